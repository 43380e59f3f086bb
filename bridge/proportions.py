"""A body at rest where it stands in the scene, by roles: joints, limbs, anatomical axes. Reads, and writes nothing."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..motion import anatomy
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import places
from .joints import anatomical

ARM = ("upper_arm", "forearm", "hand")
LEG = ("thigh", "shin", "foot")


@dataclass(frozen=True, eq=False)
class Body:
    """An armature's rest pose, in the scene's axes and units."""

    name: str  # the object's
    bones: Mapping[str, str]  # by role
    joints: Mapping[str, Floats]  # [3] by role: where the bone's head is
    turns: Mapping[str, Floats]  # [3, 3] by role: how the bone is turned
    axes: Mapping[str, Floats]  # [3, 3] by role: the anatomical axes in the bone's own
    facing: Floats  # [3, 3], columns left, up, forward
    lowest: float  # the height of the lowest end of a foot or toe
    origin: Floats  # [3], the object's

    def limb(self, parts: tuple[str, ...], side: str) -> float:
        """The length of a limb over the joints that are there; 0 where none or only one is."""
        places = [self.joints[f"{part}.{side}"] for part in parts if f"{part}.{side}" in self.joints]
        return float(sum(np.linalg.norm(two - one) for one, two in itertools.pairwise(places)))

    def legs(self) -> float:
        """The mean length of the legs; 0 where there are none."""
        return float(np.mean([self.limb(LEG, side) for side in "LR"]))

    def middle(self, part: str) -> Floats | None:
        """Midway between both sides' joints."""
        both = [self.joints[f"{part}.{side}"] for side in "LR" if f"{part}.{side}" in self.joints]
        middle: Floats = np.mean(both, axis=0)
        return middle if len(both) == 2 else None

    def hips(self) -> Floats:
        """Midway between the hip joints; the pelvis where there are none."""
        middle = self.middle("thigh")
        return self.joints["pelvis"] if middle is None else middle

    def from_hips(self, role: str) -> Floats:
        """From the hips to a joint [3]: left, up, forward."""
        found: Floats = self.facing.T @ (self.joints[role] - self.hips())
        return found


def of(armature_object: bpy.types.Object, roles: Mapping[str, str], depsgraph: bpy.types.Depsgraph | None) -> Body:
    """A body at rest. Raises an error where its roles do not show one."""
    bones = replace(anatomical.bones_of(armature_object), roles=roles)
    try:
        measured = {one.role: one.axes for one in anatomy.measure(bones)}
    except PosewrightError as error:
        raise PosewrightError(f"{armature_object.name!r}: {error}") from None
    number = {name: index for index, name in enumerate(bones.names)}
    upright = next((role for role in anatomy.TRUNK if role in measured), "spine.1")
    if upright not in measured or "pelvis" not in roles:
        raise PosewrightError(f"{armature_object.name!r} has no pelvis with a trunk on it: see its roles in Set Up")
    facing = bones.turns[number[roles[upright]]] @ measured[upright]
    measured["pelvis"] = bones.turns[number[roles["pelvis"]]].T @ facing
    world = places.world_matrix(armature_object, depsgraph)
    linear, origin = np.array(world.to_3x3()), np.array(world.translation)
    turned = np.array(places.turn_of(world).to_matrix())
    feet = [number[roles[f"{part}.{side}"]] for part in ("foot", "toe") for side in "LR" if f"{part}.{side}" in roles]
    ends = np.concatenate([bones.heads[feet], bones.tails[feet]]) @ linear.T + origin
    return Body(
        armature_object.name,
        roles,
        {role: linear @ bones.heads[number[bone]] + origin for role, bone in roles.items()},
        {role: turned @ bones.turns[number[bone]] for role, bone in roles.items()},
        measured,
        turned @ facing,
        float(ends[:, 2].min()) if len(ends) else float(origin[2]),
        origin,
    )
