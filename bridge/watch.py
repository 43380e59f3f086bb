"""Which characters an update concerns, and what happens when one cannot be solved.

Called by Blender's handlers for every change of anything: what does not concern a character costs microseconds, and
`bridge.live`, which brings numpy and the solvers along, is loaded with the first character. No reference to Blender's
data is kept from one call to the next; objects are told apart by `session_uid`.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy

from .. import bridge, properties
from ..properties import Character
from . import outcome
from .collision import unchanged
from .dragging import temporary_goals
from .feet import preview
from .outcome import Outcome
from .together import partners
from .variations import shown

PATIENCE = 0.1  # seconds without a change, after which a character is solved that is too slow for every change
_LAST = 5  # so many solves decide whether a character is slow


@dataclass
class _Watched:
    """A character, and what it looks at."""

    name: str
    library: str | None
    targets: set[int]  # by session_uid
    partners: set[int]  # characters that its loops hold, by session_uid
    took: deque[float] = field(default_factory=lambda: deque(maxlen=_LAST))  # milliseconds


@dataclass
class _State:
    characters: dict[int, _Watched] | None = None  # by session_uid; None: not looked for yet
    busy: bool = False
    loaded: bool = False  # whether bridge.live is there
    waiting: set[int] = field(default_factory=set)  # slow characters that are to be solved when all is quiet
    left_out: frozenset[int] = frozenset()  # characters that somebody solves by other means, by session_uid
    allowed: float = 4.0  # milliseconds that a solve may take while something moves
    changes: int = 0  # how often something has changed


_state = _State()


def changes() -> int:
    """How often something has changed so far: what is seen of a pose is the same while that number is."""
    return _state.changes


def forget() -> None:
    """Forget everything: after undo, load, disable."""
    _state.changes += 1
    _state.characters = None
    preview.forget()
    unchanged.forget()
    if _state.loaded:
        bridge.live.forget()
    _state.waiting.clear()


def stop() -> None:
    """Stop waiting, and forget."""
    if bpy.app.timers.is_registered(_solve_waiting):
        bpy.app.timers.unregister(_solve_waiting)
    forget()
    outcome.forget()
    shown.forget()


def after_load() -> None:
    """Another file is there. A drag that was going on when it was saved has long ended."""
    forget()
    outcome.forget()
    shown.forget()
    temporary_goals.sweep()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Meanwhile nothing is solved: for actions that look at what comes of their own changes."""
    before, _state.busy = _state.busy, True
    try:
        yield
    finally:
        _state.busy = before


@contextmanager
def leaving_out(*things: bpy.types.Object) -> Iterator[None]:
    """Meanwhile some characters are not solved; others are, whose bones their goals may follow."""
    before, _state.left_out = _state.left_out, frozenset(one.session_uid for one in things)
    _look_for_characters()  # a script may have made the first goal of another just before
    try:
        yield
    finally:
        _state.left_out = before


def allow(milliseconds: float) -> None:
    """How long a solve may take while something moves."""
    _state.allowed = milliseconds


def time_anew() -> None:
    """Forget how long solves took: they take another time from now on, as with kernels that have become compiled."""
    for watched in (_state.characters or {}).values():
        watched.took.clear()


def count(thing: bpy.types.Object, found: Outcome) -> None:
    """Count a solve that somebody else did among those that decide whether a character is slow, and say so in it."""
    known = _state.characters or {}
    uids = [one.session_uid for one in partners.group(thing) or (thing,)]
    solved = [known[uid] for uid in uids if uid in known]
    for watched in solved:
        watched.took.append(found.milliseconds)
    found.slow = any(_is_slow(watched) for watched in solved)


def followers(thing: bpy.types.Object) -> list[bpy.types.Object]:
    """The characters with a goal that looks at an object, as far as they are known."""
    found = [
        _object_of(uid, watched)
        for uid, watched in (_state.characters or {}).items()
        if thing.session_uid in watched.targets and uid != thing.session_uid
    ]
    return [one for one in found if one is not None]


def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something changed: solve the characters that it concerns."""
    _state.changes += 1
    unchanged.after_update(depsgraph)
    if _state.busy:
        return
    changed = _changed(depsgraph)
    if changed:
        _solve_all(scene, depsgraph, changed, new_frame=False)


def after_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """The frame changed: solve all characters. While playing, only those that want it."""
    _state.changes += 1
    unchanged.forget()
    known = set(_state.characters or ())
    if not _state.busy and not (known and known <= _state.left_out):
        _changed(depsgraph)  # a script may have made the first goal of a character just before
        _solve_all(scene, depsgraph, None, new_frame=True)


def _changed(depsgraph: bpy.types.Depsgraph) -> set[int]:
    """The objects that changed, by `session_uid`. Armatures among them are looked at: they may be characters by now."""
    found: set[int] = set()
    for one in depsgraph.updates:
        thing = one.id.original if one.id else None
        if isinstance(thing, bpy.types.Object) and thing.session_uid not in found:  # its pose may be another of them
            found.add(thing.session_uid)
            if thing.type == "ARMATURE" and _state.characters is not None:
                _look_at(thing)
    return found


def _solve_all(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changed: set[int] | None, new_frame: bool
) -> None:
    render = depsgraph.mode == "RENDER"
    if render and _has_windows() and not scene.render.use_lock_interface:
        return  # they are drawn while the render writes, each in a thread of its own
    playing = new_frame and not render and _is_playing(scene)
    _state.busy = True
    try:
        known, done = dict(_characters(scene)), set[int]()
        holders = [one for uid, one in known.items() if (_state.characters or {})[uid].partners]
        for uid, character in known.items():
            if uid in _state.left_out or uid in done or not character.posewright_live:
                continue
            watched = (_state.characters or {})[uid]
            members = partners.group(character, holders) if holders else ()
            uids = {uid, *(one.session_uid for one in members)}
            done |= uids
            targets = {each for one in uids & known.keys() for each in (_state.characters or {})[one].targets}
            itself = changed is None or not changed.isdisjoint(uids | watched.partners)
            plays = any(properties.character(one).posewright_play for one in members or (character,))
            if (itself or not (changed or set()).isdisjoint(targets)) and (plays or not playing):
                _solve(character, depsgraph, watched, new_frame, itself, members)
    finally:
        _state.busy = False


def _solve(
    character: Character,
    depsgraph: bpy.types.Depsgraph,
    watched: _Watched,
    new_frame: bool,
    itself: bool,
    members: Sequence[bpy.types.Object],
) -> None:
    """Solve one character and those that it holds, or let them wait if they are slow."""
    _state.loaded = True
    if bridge.live.why_not(character):
        return
    if not bpy.app.background and _is_slow(watched):
        _wait(character)
    else:
        _solve_now(character, depsgraph, watched, new_frame, itself, members)


def _wait(character: Character) -> None:
    """Have a slow character solved when nothing has changed for a while."""
    _state.waiting.add(character.session_uid)
    if bpy.app.timers.is_registered(_solve_waiting):
        bpy.app.timers.unregister(_solve_waiting)
    bpy.app.timers.register(_solve_waiting, first_interval=PATIENCE)


def _solve_now(
    character: Character,
    depsgraph: bpy.types.Depsgraph,
    watched: _Watched,
    new_frame: bool,
    itself: bool,
    members: Sequence[bpy.types.Object] | None = None,
) -> None:
    """Solve it. Whatever goes wrong switches live off and is said once."""
    try:
        found = bridge.live.update(character, depsgraph, new_frame, itself, members=members)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not come again at every update
        character.posewright_live = False
        outcome.note(character, Outcome(error=bridge.live.told(error)))
        bridge.live.forget(character)
        return
    if found.goals or members:
        watched.took.append(found.milliseconds)
    found.slow = _is_slow(watched)
    for one in members or ():
        _look_at(one)  # one without goals has a reference by now
        if (its := outcome.of(one)) is not None:
            its.slow = found.slow  # whoever of them is dragged


def _is_slow(watched: _Watched) -> bool:
    return len(watched.took) == _LAST and sorted(watched.took)[_LAST // 2] > _state.allowed


def _solve_waiting() -> float | None:
    """The timer: solve slow characters, once nothing moves any more."""
    context = bpy.context
    manager = context.window_manager
    if manager is not None and any(len(window.modal_operators) for window in manager.windows):
        return PATIENCE
    waiting, _state.waiting = _state.waiting, set()
    scene = context.scene
    if scene is None:
        return None
    _state.busy = True
    try:
        for uid, character in list(_characters(scene)):
            if uid in waiting and character.posewright_live:
                watched = (_state.characters or {})[uid]
                _solve_now(character, context.evaluated_depsgraph_get(), watched, new_frame=False, itself=True)
    finally:
        _state.busy = False
    return None


def _characters(scene: bpy.types.Scene) -> Iterator[tuple[int, Character]]:
    """The characters of a scene, by what is known of them."""
    if _state.characters is None:
        _look_for_characters()
    known = _state.characters or {}
    for uid, watched in list(known.items()):
        found = _object_of(uid, watched)
        if found is None:
            del known[uid]
        else:
            _look_at(found)
            if uid in known and partners.is_in(scene, found):
                yield uid, properties.character(found)


def _look_for_characters() -> None:
    """Know all armature objects with goals."""
    if _state.characters is None:
        _state.characters = {}
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            _look_at(thing)


def _object_of(uid: int, watched: _Watched) -> bpy.types.Object | None:
    """The object of a `session_uid`, first looked for under the name that it had."""
    named: bpy.types.Object | None = bpy.data.objects.get((watched.name, watched.library))
    if named is not None and named.session_uid == uid:
        return named
    return next((one for one in bpy.data.objects if one.session_uid == uid), None)


def _look_at(thing: bpy.types.Object) -> None:
    """Know an armature object with goals or relations, or that others have held, and what it looks at."""
    assert _state.characters is not None
    character = properties.character(thing)
    goals, relations = character.posewright_goals, character.posewright_relations
    if not len(goals) and not len(relations) and not character.posewright_anchor:
        _state.characters.pop(thing.session_uid, None)
        return
    targets = {one.session_uid for goal in goals for one in (goal.target, goal.space_object) if one is not None}
    things = (one.thing for _, one in properties.relations_of(thing, "COLLISION"))
    targets |= {one.session_uid for one in things if one is not None}
    held = {part.character.session_uid for _, one in partners.loops(thing) for part in one.parts if part.character}
    library = thing.library.filepath if thing.library else None
    watched = _state.characters.get(thing.session_uid)
    if watched is None:
        _state.characters[thing.session_uid] = _Watched(thing.name, library, targets, held)
    else:
        watched.name, watched.library, watched.targets, watched.partners = thing.name, library, targets, held


def _has_windows() -> bool:
    return not bpy.app.background


def _is_playing(scene: bpy.types.Scene) -> bool:
    manager = bpy.context.window_manager
    return manager is not None and any(
        window.scene == scene and window.screen.is_animation_playing for window in manager.windows
    )
