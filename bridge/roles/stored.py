"""Roles on the armature object: what set-up has found, and what was decided by hand, which it keeps."""

from collections.abc import Container, Iterable, Sequence

import bpy
import numpy as np

from ... import properties
from .. import channels, goal_list, limb_switches
from ..joints import human
from ..limb_switches import Switched
from . import finding, rigify
from .finding import Role
from .skeleton import Skeleton

GOALS = ("pelvis", "chest", "head", "hand", "foot")  # the parts that get goals
NOT_NAMED = "no bone is named so, and "  # goes without saying in a report
SAID = 3  # reasons in a report; the list has the rest


def set_up(
    armature_object: bpy.types.Object,
    forget: bool = False,
    depsgraph: bpy.types.Depsgraph | None = None,
    limits: bool = True,
) -> str:
    """Find and store the roles, give hands, feet, head, pelvis and chest idle goals, and joints human limits.

    Moves no bone that is seen: the present pose is the reference from then on.

    `forget` drops what was decided by hand. Through `depsgraph` the pose is read where limbs can follow IK or FK;
    without it, they stay as they are. Returns in a sentence what was found and what was not.
    """
    character = properties.character(armature_object)
    stored = character.posewright_roles
    by_hand = [] if forget else [Role(one.name, one.bone, "HAND") for one in stored if one.source == "HAND"]
    roles = _with_those_by_hand(finding.find(read(armature_object)), by_hand)
    switched = _on_fk_controls(armature_object, roles, depsgraph)
    roles = [_with_note(one, switched) for one in roles]
    store(armature_object, roles)
    added = add_goals(armature_object, roles, besides={bone for one in switched if not one.at_fk for bone in one.bones})
    done = [one.said for one in switched]
    bones = channels.pose_bones(armature_object)
    if rigify.is_one(bones):
        done.append(f"trunk: these controls stay put: {', '.join(rigify.staying(bones))}")
    if limits:
        done.insert(0, human.apply(armature_object, forget=forget))
    character.posewright_set_up_done, character.posewright_anchor = "\n".join(done), ""
    armature_object.update_tag()
    return "; ".join((sentence(roles, added), *done))


def _on_fk_controls(
    armature_object: bpy.types.Object, roles: list[Role], depsgraph: bpy.types.Depsgraph | None
) -> list[Switched]:
    """Put the limbs of a generated Rigify rig on their FK controls, which have the roles."""
    if depsgraph is None or not rigify.is_one(channels.pose_bones(armature_object)):
        return []
    limbs = rigify.limbs(roles)
    by_hand = [name for name, limb in limbs.items() if any(one.source == "HAND" for one in limb)]
    wanted = {name: tuple(one.bone for one in limb) for name, limb in limbs.items() if name not in by_hand}
    left = [Switched((), True, f"{name}: left as it is, its bones were chosen by hand") for name in by_hand]
    return limb_switches.to_fk(armature_object, wanted, depsgraph) + left


def _with_note(role: Role, switched: Iterable[Switched]) -> Role:
    """A role with a note on whether the limb follows the bone, where that is a control."""
    for one in switched:
        if role.bone in one.bones:
            return role._replace(reason=f"an FK control; {one.said}")
    return role


def read(armature_object: bpy.types.Object) -> Skeleton:
    """The bones of an armature in their rest pose, in the armature's space."""
    data = armature_object.data
    assert isinstance(data, bpy.types.Armature)
    places = {bone.name: place for place, bone in enumerate(data.bones)}
    parents = [places[bone.parent.name] if bone.parent else -1 for bone in data.bones]
    heads, tails = (channels.floats(data.bones, name, 3).astype(np.float64) for name in ("head_local", "tail_local"))
    return Skeleton(list(places), parents, heads, tails)


def known(armature_object: bpy.types.Object) -> dict[str, str]:
    """The bones by their roles, without doubtful ones: as stored or, where nothing is, as found. Stores nothing."""
    items = properties.character(armature_object).posewright_roles
    roles = [Role(one.name, one.bone, one.source, "", one.doubtful) for one in items]
    roles = roles or finding.find(read(armature_object))
    there = channels.pose_bones(armature_object)
    return {one.role: one.bone for one in roles if one.bone in there and not one.doubtful}


def _with_those_by_hand(found: Sequence[Role], by_hand: Sequence[Role]) -> list[Role]:
    """What was found, with what was decided by hand in its place. A bone that somebody has chosen has no other role."""
    decided = {one.role: one for one in by_hand}
    chosen = {one.bone: one.role for one in by_hand if one.bone}
    merged = []
    for one in found:
        if one.role in decided:
            merged.append(decided.pop(one.role))
        elif one.bone in chosen:
            merged.append(Role(one.role, "", "NONE", f"{one.bone!r} was made the {in_words(chosen[one.bone])} by hand"))
        else:
            merged.append(one)
    return merged + list(decided.values())


def store(armature_object: bpy.types.Object, roles: Iterable[Role]) -> None:
    """Store roles in their order. Of an override, Blender keeps those from the library, in the library's order."""
    stored = properties.character(armature_object).posewright_roles
    stored.clear()
    left = {one.name for one in stored}
    for role in roles:
        item: properties.POSEWRIGHT_PG_role | None = stored.get(role.role)
        if item is None:
            item = stored.add()
            item.name = role.role
        item.bone = role.bone  # says "by hand": so before the others
        item.source, item.reason, item.doubtful = role.source, role.reason, role.doubtful
        left.discard(role.role)
    for name in left:
        gone = stored[name]
        gone.bone = ""
        gone.source, gone.reason, gone.doubtful = "NONE", "the skeleton no longer has it", False


def add_goals(armature_object: bpy.types.Object, roles: Iterable[Role], besides: Container[str] = ()) -> list[str]:
    """Idle goals for bones that are dragged, but for those that have one, and some. Returns the bones of the new ones.

    `besides` has controls that their limbs do not follow: nothing would be seen of a drag.
    """
    character = properties.character(armature_object)
    active, before = character.posewright_active_goal, len(character.posewright_goals)
    there = {goal.bone for goal in character.posewright_goals}
    pose = armature_object.pose
    added = []
    for role in roles:
        wanted = role.role.partition(".")[0] in GOALS and role.bone and not role.doubtful
        if (
            wanted
            and role.bone not in besides
            and role.bone not in there
            and pose is not None
            and role.bone in pose.bones
        ):
            goal_list.add(armature_object, role.bone)
            added.append(role.bone)
    character.posewright_active_goal = active if before else 0  # the list is shown from its top
    return added


def sentence(roles: Sequence[Role], added: Sequence[str]) -> str:
    """What was found and what was not, and why."""
    counts = {source: sum(one.source == source for one in roles if one.bone) for source in ("NAME", "SHAPE", "HAND")}
    ways = {"NAME": "by name", "SHAPE": "by geometry", "HAND": "by hand"}
    how = ", ".join(f"{count} {ways[source]}" for source, count in counts.items() if count)
    said = f"Found {sum(counts.values())} roles ({how})" if how else "Found no roles"
    said += f", added {len(added)} goals" if added else ", added no goals"
    doubts = _by_reason(one for one in roles if one.doubtful)
    missing = _by_reason(one for one in roles if not one.bone and one.source == "NONE")
    for intro, reasons in (("doubtful", doubts), ("not found", missing)):
        some = [f"{', '.join(names)} ({reason})" for reason, names in list(reasons.items())[:SAID]]
        if some:
            rest = len(reasons) - len(some)
            said += f"; {intro}: {', '.join(some)}" + (f" and {rest} more in the list" if rest else "")
    return said


def _by_reason(roles: Iterable[Role]) -> dict[str, list[str]]:
    """Roles in words by what is said of them; what is so on both sides comes once: Blender cuts long reports."""
    listed = list(roles)
    reasons = {one.role: one.reason for one in listed}
    found: dict[str, list[str]] = {}
    for one in listed:
        body, _, side = one.role.rpartition(".")
        if side == "R" and reasons.get(f"{body}.L") == one.reason:
            continue
        both = side == "L" and reasons.get(f"{body}.R") == one.reason
        reason = one.reason.removeprefix(NOT_NAMED)
        found.setdefault(reason, []).append(in_words(body if both else one.role))
    return found


def in_words(role: str) -> str:
    """A role as an animator says it: `index.1.L` is "left index 1"."""
    part, _, rest = role.partition(".")
    sides = {"L": "left ", "R": "right "}
    numbers = "".join(f" {word}" for word in rest.split(".") if word and word not in sides)
    return next((sides[word] for word in rest.split(".") if word in sides), "") + part.replace("_", " ") + numbers
