"""Limbs that follow either of two rows of controls, as those of Rigify do: put on the FK controls, and nothing moves.

A bone of such a limb copies its FK control and, over that, something of the IK controls; a driver takes the influence
of the latter from a custom property, the switch. Which property that is, and which of its ends is FK, is read from
the rig rather than known by name. What is animated or not ours to change is left as it is, with the reason.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from .. import properties
from ..solvers.rotation import Floats
from . import action_curves, channels, snapping, watch

_INFLUENCE = re.compile(r'pose\.bones\["(.*)"\]\.constraints\["(.*)"\]\.influence')
_PROPERTY = re.compile(r'pose\.bones\["(.*)"\]\["(.*)"\]')
_OF_BONE = re.compile(r'pose\.bones\["(.*?)"\]')
SEEN = np.radians(0.005)  # radians, half of what may be seen; and as a part of the skeleton's size
SNAPPED = ", its FK controls put where the limb is seen"
_OFF = 1e-6  # an influence that is none


class Switched(NamedTuple):
    """What became of a limb."""

    bones: Sequence[str]  # its FK controls
    at_fk: bool  # whether it follows them
    said: str  # for people, with the limb's name


@dataclass(eq=False)
class _Switch:
    """A limb's switch, and what is to be put back if something moves."""

    limb: str
    controls: Sequence[str]  # FK, from the body on
    bone: str
    key: str
    followers: dict[str, str] = field(default_factory=dict)  # by control: the bone that copies it
    before: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)  # channels of the controls
    value: Any = 0.0

    @property
    def named(self) -> str:
        return f"{self.key!r} of {self.bone!r}"


class _LeftError(Exception):
    """Why a limb is left as it is."""


def to_fk(
    armature_object: bpy.types.Object, limbs: Mapping[str, Sequence[str]], depsgraph: bpy.types.Depsgraph
) -> list[Switched]:
    """Put limbs on their FK controls, those that can be; their bones stay where they are seen.

    `limbs` has the controls from the body on, by what people call the limb.
    """
    found: dict[str, Switched] = {}
    switches: list[_Switch] = []
    with watch.undisturbed():
        depsgraph.update()
        for limb, controls in limbs.items():
            try:
                switch = _find(armature_object, limb, controls)
                if _is_at_fk(armature_object, switch, depsgraph):
                    found[limb] = Switched(controls, True, f"{limb}: is at FK ({switch.named})")
                else:
                    _refuse_animated(armature_object, switch)
                    _refuse_locked(armature_object, switch)
                    switches.append(switch)
            except _LeftError as reason:
                found[limb] = Switched(controls, False, f"{limb}: left as it is, {reason}")
        if switches:
            found |= _switch(armature_object, switches, depsgraph)
    return [found[limb] for limb in limbs]


# What there is.


def _find(armature_object: bpy.types.Object, limb: str, controls: Sequence[str]) -> _Switch:
    """A limb's switch. Raises where there is none, or several."""
    bones = channels.pose_bones(armature_object)
    followers = {}
    for control in controls:
        copying = [bone.name for bone in bones if any(one.subtarget == control for one in _copies(bone))]
        if len(copying) == 1:
            followers[control] = copying[0]
    switches = set(_driving(armature_object, set(followers.values())))
    if len(followers) < len(controls) or len(switches) != 1:
        raise _LeftError("no single switch between IK and FK was found for it")
    bone, key = switches.pop()
    if bone not in bones or key not in bones[bone].keys():  # noqa: SIM118 - no dictionary
        raise _LeftError(f"its switch {key!r} of {bone!r} is gone")
    return _Switch(limb, controls, bone, key, followers, value=bones[bone][key])


def _copies(bone: Any) -> list[Any]:  # noqa: ANN401 - the stubs do not know a constraint's kind
    return [one for one in bone.constraints if one.type == "COPY_TRANSFORMS" and not one.mute]


def _driving(armature_object: bpy.types.Object, bones: set[str]) -> Iterator[tuple[str, str]]:
    """The bones and custom properties that drive the influence of constraints of some bones."""
    animation = armature_object.animation_data
    for curve in animation.drivers if animation else ():
        owner = _INFLUENCE.fullmatch(curve.data_path)
        if owner and bpy.utils.unescape_identifier(owner[1]) in bones and curve.driver:
            for target in (one for variable in curve.driver.variables for one in variable.targets):
                found = _PROPERTY.fullmatch(target.data_path)
                if found and target.id == armature_object:
                    yield bpy.utils.unescape_identifier(found[1]), bpy.utils.unescape_identifier(found[2])


def _is_at_fk(armature_object: bpy.types.Object, switch: _Switch, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether bones copy their FK controls, and nothing over that; by what is evaluated."""
    seen = channels.pose_bones(armature_object.evaluated_get(depsgraph))
    for control, follower in switch.followers.items():
        copied = [(one.subtarget, one.influence) for one in _copies(seen[follower])]
        if any((influence > _OFF) != (target == control) for target, influence in copied):
            return False
    return True


def _refuse_animated(armature_object: bpy.types.Object, switch: _Switch) -> None:
    """Raise where a switch is keyed or driven, or the rig moves over time: the limb would move otherwise then."""
    path = f'pose.bones["{bpy.utils.escape_identifier(switch.bone)}"]["{bpy.utils.escape_identifier(switch.key)}"]'
    moves = False
    for curves, owner in action_curves.of(armature_object):
        for curve in curves:
            if curve.data_path == path:
                raise _LeftError(f"its switch {switch.named} is {'driven' if owner == armature_object else 'keyed'}")
            moves |= owner != armature_object and bool(_OF_BONE.match(curve.data_path))
    if moves:
        raise _LeftError("the rig is animated, and at FK the limb would move otherwise: bake it to FK first")


def _refuse_locked(armature_object: bpy.types.Object, switch: _Switch) -> None:
    """Raise where a switch or a control is not to be changed."""
    bones: Any = channels.pose_bones(armature_object)
    if armature_object.library is not None:
        raise _LeftError("the rig is linked: make a library override of it")
    if armature_object.override_library is not None:
        path = f'["{bpy.utils.escape_identifier(switch.key)}"]'
        if not bones[switch.bone].is_property_overridable_library(path):
            raise _LeftError(f"its switch {switch.named} is locked: the library does not let it be overridden")
    locked = [name for name in switch.controls if all(bones[name].lock_rotation)]
    if locked:
        raise _LeftError(f"the rotation of {locked[0]!r} is locked")
    for _, goal in properties.asking(armature_object):
        if goal.bone in switch.controls:
            raise _LeftError(f"the goal {goal.name!r} holds {goal.bone!r}: release it first")


# What is done.


def _switch(
    armature_object: bpy.types.Object, switches: Sequence[_Switch], depsgraph: bpy.types.Depsgraph
) -> dict[str, Switched]:
    """Turn switches, and put FK controls where limbs are seen; those that do not fit are put back."""
    before = _matrices(armature_object, depsgraph)
    for switch in switches:
        _remember(armature_object, switch)
    done = [one for one in switches if _turn_to_fk(armature_object, one, depsgraph)]
    moved = _moved(armature_object, before, depsgraph)
    snapped = [one for one in done if moved & set(one.followers.values())]
    for place in range(max((len(one.controls) for one in snapped), default=0)):
        for one in snapped:
            if place < len(one.controls):
                _snap(armature_object, one, place, before, depsgraph)
        _update(armature_object, depsgraph)
    moved = _moved(armature_object, before, depsgraph) - _steered(armature_object, done)
    failed = [one for one in done if moved & set(one.followers.values())]
    if moved and not failed:  # something else hangs on the limbs, nobody knows on which
        failed = done
    for one in failed:
        _put_back(armature_object, one)
    if failed:
        _update(armature_object, depsgraph)
    found = {}
    for one in switches:
        if one not in done:
            said = f"left as it is, neither end of {one.named} is FK"
        elif one in failed:
            said = "left at IK, its FK controls cannot show the pose that is seen"
        else:
            said = f"switched to FK ({one.named})" + (SNAPPED if one in snapped else "")
        found[one.limb] = Switched(one.controls, one in done and one not in failed, f"{one.limb}: {said}")
    return found


def _remember(armature_object: bpy.types.Object, switch: _Switch) -> None:
    bones: Any = channels.pose_bones(armature_object)
    names = (*channels.NAMES, "scale")
    switch.before = [
        (control, tuple(tuple(getattr(bones[control], name)) for name in names)) for control in switch.controls
    ]


def _put_back(armature_object: bpy.types.Object, switch: _Switch) -> None:
    bones = channels.pose_bones(armature_object)
    bones[switch.bone][switch.key] = switch.value
    for control, values in switch.before:
        for name, value in zip((*channels.NAMES, "scale"), values, strict=True):
            setattr(bones[control], name, value)


def _turn_to_fk(armature_object: bpy.types.Object, switch: _Switch, depsgraph: bpy.types.Depsgraph) -> bool:
    """Turn a switch to that of its ends at which the bones copy their FK controls. Returns whether there is one."""
    bone: Any = channels.pose_bones(armature_object)[switch.bone]
    ends = bone.id_properties_ui(switch.key).as_dict() if not isinstance(switch.value, bool) else {}
    for end in (ends.get("max", 1), ends.get("min", 0)):
        bone[switch.key] = type(switch.value)(end)
        _update(armature_object, depsgraph)
        if _is_at_fk(armature_object, switch, depsgraph):
            return True
    bone[switch.key] = switch.value
    _update(armature_object, depsgraph)
    return False


def _update(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    armature_object.update_tag()
    depsgraph.update()


def _snap(
    armature_object: bpy.types.Object, switch: _Switch, place: int, before: Floats, depsgraph: bpy.types.Depsgraph
) -> None:
    """Put one control where the bone that copies it was seen; those above it are there already."""
    control = switch.controls[place]
    bones = channels.pose_bones(armature_object)
    row = bones.find(switch.followers[control])
    seen = channels.pose_bones(armature_object.evaluated_get(depsgraph))[control]
    snapping.snap(bones[control], snapping.own_matrix(seen, Matrix(before[row].tolist())))


def _matrices(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    return channels.square_matrices(channels.pose_bones(armature_object.evaluated_get(depsgraph)), "matrix")


def _moved(armature_object: bpy.types.Object, before: Floats, depsgraph: bpy.types.Depsgraph) -> set[str]:
    """The bones that are seen elsewhere than before."""
    now = _matrices(armature_object, depsgraph)
    size = float(np.linalg.norm(np.ptp(before[:, :3, 3], axis=0)))
    lengths = [np.linalg.norm(one[:, :3, :3], axis=1, keepdims=True).clip(1e-12) for one in (before, now)]
    turned = np.linalg.norm(before[:, :3, :3] / lengths[0] - now[:, :3, :3] / lengths[1], axis=1).max(axis=1)
    away = np.linalg.norm(before[:, :3, 3] - now[:, :3, 3], axis=1)
    names = [bone.name for bone in channels.pose_bones(armature_object)]
    return {names[row] for row in np.flatnonzero((turned > SEEN) | (away > SEEN * size))}


def _steered(armature_object: bpy.types.Object, switches: Sequence[_Switch]) -> set[str]:
    """The FK controls and what hangs on them: these may move."""
    bones = channels.pose_bones(armature_object)
    first = [bones[one.controls[0]] for one in switches]
    return {name for bone in first for name in (bone.name, *(below.name for below in bone.children_recursive))}
