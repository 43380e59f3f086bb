"""From a value on every frame to few keys that play the same: joints within an angle, goals within a length.

Keys are added where something is too far off and taken away where nothing is missed, and all values and slopes are
fitted anew each time (`key_fitting`). Goals cost few keys, because the fit lets the bones of a limb make up for each
other: six goals ask for 18 numbers a frame, the joints that carry them have three times as many. (Tried: a tighter
tolerance for all bones, until goals are near enough, needs two to three times the keys.)
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from .key_fitting import COLUMNS, Bools, Ints, Pull, Spans, fit
from .keys import Keys, Kind, apart, checked, continuous

Places = Callable[[Sequence[Floats], Ints], Floats]

STEPS = 8  # of the fit with goals, each time a key comes or goes
ROUNDS = 40  # of adding keys, before groups that are still off get one on every frame
PASSES = 2  # of taking keys away: a third one takes 1 %
EVERY = 3  # it tries every so manieth key at a time
MENDS = 2  # rounds of adding keys again after that
GAIN = 0.97  # of the keys that a pass leaves: with more, it was the last
TIGHTER = 0.15  # of their tolerance: groups for which goals are another time tried
CROWDED = 1.3  # times the keys of the first try, before any are taken away: then it is given up
FAR = 4  # frames to the nearest key: a group with one nearer is less likely to get another for a goal's sake
PIECE = 16  # frames of a stretch in which a goal is off: each gets a key
CLOSE = 0.98  # of a tolerance: what is closer to it, or beyond, weighs more the next time
LESS, MORE, MOST = 1.15, 1.5, 30.0  # how much more at least and at most, and in all: factors of an error
SAMPLED, SAMPLES = 4, 128  # frames: how goals are pulled is measured at every so manieth, and at so many of them
STILL = 0.2  # of the goals' tolerance: a group that is kept still may not move a goal by more
NUDGE = 1e-5  # of a column, to measure that


@dataclass(frozen=True)
class Group:
    """A bone's location or rotation.

    Attributes:
        name: for errors.
        kind: what its columns are.
        curves: [F, columns], on every frame.
        tolerance: how far off a frame may be, in metres or radians.
    """

    name: str
    kind: Kind
    curves: Floats
    tolerance: float


@dataclass(frozen=True)
class Goals:
    """Points of the body that are to stay where the curves have them.

    Attributes:
        places: where they are, [n, goals, 3] in metres, for the columns [n, columns] of each group as they play in the
            frames [n]: these are places in `times`, any number of times each.
        tolerance: metres that a goal may be off in any frame.
    """

    places: Places
    tolerance: float


def reduce(curves: ArrayLike, times: ArrayLike, kind: Kind, tolerance: float) -> Keys:
    """Few keys for one group, within a tolerance in metres or radians on every frame."""
    return reduce_all([Group("the curves", kind, np.asarray(curves, float), tolerance)], times)[0]


def reduce_all(groups: Sequence[Group], times: ArrayLike, goals: Goals | None = None) -> list[Keys]:
    """Few keys for each group, such that no group and no goal is farther off than its tolerance in any frame.

    Args:
        groups: the curves.
        times: [F], of the frames, ascending.
        goals: what has to stay in place, too.
    """
    going = reduce_in_steps(groups, times, goals)
    while True:
        try:
            next(going)
        except StopIteration as end:
            found: list[Keys] = end.value
            return found


def reduce_in_steps(
    groups: Sequence[Group], times: ArrayLike, goals: Goals | None = None
) -> Generator[int, None, list[Keys]]:
    """The same as a generator, for those who have other things to do in between: yields how many keys it tries."""
    if not groups:
        return []
    body = _Body(groups, _checked_times(times))
    state = yield from _alone(body)
    return body.keys(state) if goals is None else (yield from _with_goals(body, state, goals))


def _alone(body: "_Body", most: float = np.inf) -> "Steps":
    """Keys for each group by itself; unfinished, if there are more than so many."""
    keyed = np.zeros(body.wanted.shape[:2], bool)
    keyed[:, 0] = True
    state = body.fitted(keyed)
    keyed[(state.off > 1.0).any(axis=1), -1] = True  # the others are constant
    state = yield from _grown(body, body.fitted(keyed), most)
    return (yield from _thinned(body, state)) if state.count <= most else state


def _with_goals(body: "_Body", state: "_State", goals: Goals) -> Generator[int, None, list[Keys]]:
    """Keys that keep goals, too: the groups that move, and move goals, get more."""
    keys, wanted, played = body.keys(state), body.columns(body.wanted), body.columns(state.spans.play(state.fitted))
    at = np.arange(len(body.times))
    places = goals.places(wanted, at)
    if not goals.tolerance > 0.0:
        raise PosewrightError(f"The tolerance of goals is above zero, not {goals.tolerance}")
    if not np.isfinite(places).all():
        raise PosewrightError("Goals have no place for some frames of the curves: nothing can be measured")
    off = np.linalg.norm(goals.places(played, at) - places, axis=2)
    if (off <= goals.tolerance).all():
        return keys
    moving = _moving(state, goals, wanted, played, places)
    pull = _measured(goals.places, goals.tolerance, wanted, moving, places)
    exact = [Keys(body.times, *one) for one in zip(wanted, body.columns(body.slopes), strict=True)]
    if not len(pull.groups):
        return exact

    def with_others(own: Sequence[Floats], frames: Ints) -> Floats:
        columns = [one[frames] for one in played]
        for place, one in zip(pull.groups.tolist(), own, strict=True):
            columns[place] = one
        return goals.places(columns, frames)

    part = _Body([body.groups[place] for place in pull.groups], body.times)
    part.tie(Goals(with_others, goals.tolerance), places, pull)
    found = yield from _tied(part, part.seen(state.keyed[pull.groups], state.on_rows()[pull.groups]))
    if not found.is_within:
        return exact
    for place, one in zip(pull.groups.tolist(), part.keys(found), strict=True):
        keys[place] = one
    return keys


def _moving(state: "_State", goals: Goals, wanted: list[Floats], played: list[Floats], places: Floats) -> Ints:
    """The groups that may move for goals: those that move anyway, and those whose keeping still would move a goal.

    A bone that keeps still otherwise is not moved to make up for others.
    """
    moves, at = state.keyed.sum(axis=1) > 1, np.arange(len(places))
    for place in np.flatnonzero(~moves).tolist():
        columns = [*wanted[:place], played[place], *wanted[place + 1 :]]
        off = np.linalg.norm(goals.places(columns, at) - places, axis=2)
        moves[place] = off.max(initial=0.0) > STILL * goals.tolerance
    return np.asarray(np.flatnonzero(moves))


def _tied(body: "_Body", state: "_State") -> "Steps":
    """With keys added for goals: to those that groups need by themselves, or to those of a tighter tolerance.

    The latter is better for smooth motion, where a few keys more bring a group much nearer.
    """
    found = yield from _grown(body, body.fitted(state.keyed, state))
    tighter = [replace(group, tolerance=TIGHTER * group.tolerance) for group in body.groups]
    other = yield from _alone(_Body(tighter, body.times), CROWDED * found.count)
    if other.count < found.count:
        body.forget()
        other = yield from _grown(body, body.fitted(other.keyed, other), found.count)
    return other if other.is_within and other.count < found.count else found


def _measured(places: Places, tolerance: float, wanted: list[Floats], moving: Ints, there: Floats) -> Pull:
    """How groups move goals, by moving each column a little."""
    frames = len(there)
    at: Ints = np.unique(np.append(np.arange(0, frames, max(SAMPLED, frames // SAMPLES)), frames - 1))
    before, pulling = there[at].reshape(1, len(at), -1), []
    moves = [np.zeros((len(at), 0, before.shape[2]))]
    for place in moving.tolist():
        count = wanted[place].shape[1]
        nudged = [np.tile(columns[at], (count, 1)) for columns in wanted]
        nudged[place] += NUDGE * np.repeat(np.eye(count), len(at), axis=0)
        after = places(nudged, np.tile(at, count)).reshape(count, len(at), -1)
        if np.abs(after - before).max(initial=0.0) > 1e-6 * NUDGE:
            pulling.append(place)
            moves.append(np.zeros((len(at), COLUMNS, before.shape[2])))
            moves[-1][:, :count] = ((after - before) / NUDGE).transpose(1, 0, 2)
    sampled = np.concatenate(moves, axis=1)
    left: Ints = np.clip(np.searchsorted(at, np.arange(frames), side="right") - 1, 0, max(len(at) - 2, 0))
    right = np.minimum(left + 1, len(at) - 1)
    share = ((np.arange(frames) - at[left]) / np.maximum(at[right] - at[left], 1))[:, None, None]
    between = (1.0 - share) * sampled[left] + share * sampled[right]
    return Pull(np.array(pulling, np.intp), between, np.full((frames, between.shape[2]), tolerance**-2.0))


def _checked_times(times: ArrayLike) -> Floats:
    found: Floats = np.asarray(times, float)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or not (np.diff(found) > 0.0).all():
        raise PosewrightError("The times of frames are finite numbers, each later than the one before")
    return found


@dataclass(frozen=True)
class _State:
    """Keys and what they come to.

    Attributes:
        keyed: [G, F], where keys are.
        spans: what plays between them.
        fitted: [K, 2, COLUMNS], the keys' values and slopes.
        off: [G, F], each group's error over its tolerance.
        goals_off: [F, goals], the same of goals.
    """

    keyed: Bools
    spans: Spans
    fitted: Floats
    off: Floats
    goals_off: Floats

    @property
    def count(self) -> int:
        return len(self.spans.rows)

    def on_rows(self) -> Floats:
        """The keys' values and slopes at their frames [G, F, 2, COLUMNS]."""
        found = np.zeros((*self.keyed.shape, 2, COLUMNS))
        found[self.keyed] = self.fitted
        return found

    @property
    def is_within(self) -> bool:
        return bool((self.off <= 1.0).all() and (self.goals_off <= 1.0).all())


Steps = Generator[int, None, _State]


class _Body:
    """What is wanted of all groups, and how heavily it weighs."""

    def __init__(self, groups: Sequence[Group], times: Floats) -> None:
        self.groups, self.times = groups, times
        self.wanted = np.zeros((len(groups), len(times), COLUMNS))
        for place, group in enumerate(groups):
            if not group.tolerance > 0.0:
                raise PosewrightError(f"The tolerance of {group.name} is above zero, not {group.tolerance}")
            curves = checked(group.kind, group.curves, times, group.name)
            self.wanted[place, :, : group.kind.columns] = continuous(group.kind, curves)
        self.slopes = np.zeros_like(self.wanted)
        if len(times) > 1:
            self.slopes = np.asarray(np.gradient(self.wanted, times, axis=1, edge_order=2 if len(times) > 2 else 1))
        self.tolerance = np.array([group.tolerance for group in groups])
        half = np.array([2.0 if group.kind is Kind.QUATERNION else 1.0 for group in groups])  # its columns: half angles
        self.weights = np.repeat(((half / self.tolerance) ** 2)[:, None], len(times), axis=1)
        self.heavier = np.ones_like(self.weights)
        self.goals: Goals | None = None
        self.pull: Pull | None = None
        self.places = np.zeros((len(times), 0, 3))
        self.goals_heavier = np.ones((len(times), 0))

    def tie(self, goals: Goals, places: Floats, pull: Pull) -> None:
        """Let goals count from now on, which are to be at `places` [F, goals, 3]."""
        self.goals, self.places = goals, places
        self.pull = replace(pull, groups=np.arange(len(self.groups)))
        self.forget()

    def forget(self) -> None:
        """Let every frame weigh the same again."""
        self.heavier, self.goals_heavier = np.ones_like(self.weights), np.ones(self.places.shape[:2])

    def columns(self, rows: Floats) -> list[Floats]:
        """Of each group, as many as it has."""
        return [own[:, : group.kind.columns] for own, group in zip(rows, self.groups, strict=True)]

    def fitted(self, keyed: Bools, start: _State | None = None) -> _State:
        """Fit keys at these frames. With goals it begins at the curves as they play: the fit does not go to its end."""
        single = keyed.sum(axis=1) == 1
        keyed = keyed.copy()
        keyed[~single, -1] = True  # a constant group that gets a second key has to end with one
        spans = Spans(keyed, self.times)
        if start is None or self.pull is None:
            played, slopes = self.wanted, np.where(single[:, None, None], 0.0, self.slopes)
        else:
            played, slopes = start.spans.play(start.fitted), start.spans.slopes(start.fitted)
        begun = np.stack([played[keyed], slopes[keyed]], axis=1)
        pull = self.pull
        if pull is not None:
            pull = replace(pull, weights=pull.weights * np.repeat(self.goals_heavier, 3, axis=1))
        weights = self.weights * self.heavier
        return self._seen(keyed, spans, fit(spans, self.wanted, self.slopes, weights, begun, STEPS, pull))

    def seen(self, keyed: Bools, rows: Floats) -> _State:
        """What keys come to, whose values and slopes are at their frames of [G, F, 2, COLUMNS]."""
        return self._seen(keyed, Spans(keyed, self.times), rows[keyed])

    def _seen(self, keyed: Bools, spans: Spans, fitted: Floats) -> _State:
        played, off = spans.play(fitted), np.zeros(keyed.shape)
        for kind in Kind:
            own = [place for place, group in enumerate(self.groups) if group.kind is kind]
            now, wanted = played[own, :, : kind.columns], self.wanted[own, :, : kind.columns]
            off[own] = apart(kind, now, wanted) / self.tolerance[own, None]
        goals_off = np.zeros((len(self.times), 0))
        if self.goals is not None:
            places = self.goals.places(self.columns(played), np.arange(len(self.times)))
            goals_off = np.linalg.norm(places - self.places, axis=2) / self.goals.tolerance
        return _State(keyed, spans, fitted, off, goals_off)

    def emphasise(self, state: _State) -> None:
        """Let what is off weigh more: least squares would leave a few frames far off, for the sake of many."""
        self.heavier = _heavier(self.heavier, state.off)
        self.goals_heavier = _heavier(self.goals_heavier, state.goals_off)

    def levers(self) -> Floats:
        """How far a unit of each group moves each goal [G, F, goals], by its strongest column."""
        found = np.zeros((*self.wanted.shape[:2], self.places.shape[1]))
        if self.pull is not None:
            moves = self.pull.moves.reshape(len(self.times), len(self.pull.groups), COLUMNS, -1, 3)
            found[self.pull.groups] = np.sqrt((moves**2).sum(axis=4).max(axis=2)).transpose(1, 0, 2)
        return found

    def keys(self, state: _State) -> list[Keys]:
        """As the caller wants them."""
        found, owner = [], state.spans.rows // len(self.times)
        for place, group in enumerate(self.groups):
            own = state.fitted[owner == place, :, : group.kind.columns]
            found.append(Keys(self.times[state.keyed[place]], own[:, 0], own[:, 1]))
        return found


def _heavier(weights: Floats, off: Floats) -> Floats:
    """Weights that have grown where something is off."""
    more = np.where(off > CLOSE, np.clip(off, LESS, MORE), 1.0) ** 2
    return np.asarray(np.minimum(weights * more, MOST**2))


def _grown(body: _Body, state: _State, most: float = np.inf) -> Steps:
    """With keys added until everything is within its tolerance, or there are more than so many."""
    levers = body.levers()
    for _ in range(ROUNDS):
        if state.is_within or state.count > most:
            return state
        body.emphasise(state)
        state = body.fitted(_split(state) | _split_for_goals(state, levers), state)
        yield state.count
    return _exact(body, state, levers)


def _split(state: _State) -> Bools:
    """A key more in every span that is off: at its worst frame, but well inside, or long spans would be peeled."""
    spans, off = state.spans, state.off.ravel()
    inside = np.where(state.keyed.ravel(), -1.0, off)
    worst = np.maximum.reduceat(inside, spans.first)
    ends = spans.rows[spans.ends]
    ends[:, 1] = np.where(ends[:, 0] < ends[:, 1], ends[:, 1], ends[:, 0] + state.keyed.shape[1] - 1)  # of one key
    bad = (worst > 1.0) | ((worst >= 0.0) & (off[ends] > 1.0).any(axis=1))
    at_worst = inside == spans.over_rows(worst).ravel()
    rows: Ints = np.flatnonzero(at_worst & spans.over_rows(bad).ravel())
    _, first = np.unique(spans.span[rows], return_index=True)
    rows, quarter = rows[first], np.maximum((ends[bad, 1] - ends[bad, 0]) // 4, 1)
    found = state.keyed.ravel().copy()
    found[np.clip(rows, ends[bad, 0] + quarter, ends[bad, 1] - quarter)] = True
    return np.asarray(found.reshape(state.keyed.shape))


def _split_for_goals(state: _State, levers: Floats) -> Bools:
    """A key more for every stretch of frames in which a goal is off: of the group that can help most."""
    found, frames = state.keyed.copy(), np.arange(state.keyed.shape[1])
    before = np.maximum.accumulate(np.where(state.keyed, frames, -FAR), axis=1)
    after = np.minimum.accumulate(np.where(state.keyed, frames, len(frames) + FAR)[:, ::-1], axis=1)[:, ::-1]
    room = np.minimum(np.minimum(frames - before, after - frames), FAR)  # [G, F]
    for goal, off in enumerate(state.goals_off.T):
        bad = np.concatenate([[False], off > 1.0, [False]])
        for start, end in np.flatnonzero(np.diff(bad)).reshape(-1, 2):
            pieces = np.array_split(np.arange(start, end), 1 + (end - start) // PIECE)
            for at in (piece[off[piece].argmax()] for piece in pieces):
                help_of = levers[:, at, goal] * room[:, at]
                if help_of.any():
                    found[help_of.argmax(), at] = True
    return found


def _exact(body: _Body, state: _State, levers: Floats) -> _State:
    """With a key on every frame of the groups that are off, and of those that move goals which are."""
    pulls, bad = levers.max(axis=1, initial=0.0) > 0.0, np.zeros(len(state.keyed), bool)
    while not state.is_within and not bad.all():
        more = (state.off > 1.0).any(axis=1) | (pulls & (state.goals_off > 1.0).any(axis=0)).any(axis=1)
        bad = bad | more if (more & ~bad).any() else np.ones_like(bad)
        keyed, rows = state.keyed | bad[:, None], state.on_rows()
        rows[bad] = np.stack([body.wanted[bad], body.slopes[bad]], axis=2)
        state = body.seen(keyed, rows)
    return state


def _thinned(body: _Body, state: _State) -> Steps:
    """With keys taken away as long as every group stays within its tolerance. Where goals were in, few could go."""
    for _ in range(PASSES):
        before = state.count
        for turn in range(EVERY):
            tried = state.keyed & (np.cumsum(state.keyed, axis=1) % EVERY == turn)
            tried[:, [0, -1]] = False
            without = body.fitted(state.keyed & ~tried, state)
            worst = np.maximum.reduceat(without.off.ravel(), without.spans.first)
            missed = tried & (without.spans.over_rows(worst) > 1.0)
            fewer = body.fitted(without.keyed | missed, without)
            for _ in range(MENDS):
                if not fewer.is_within:
                    body.emphasise(fewer)
                    fewer = body.fitted(_split(fewer), fewer)
            state = _fewer(body, state, fewer)
            yield state.count
        if state.count > GAIN * before:
            break
    return state


def _fewer(body: _Body, state: _State, other: _State) -> _State:
    """Of each group the state with fewer keys, if it is within the tolerance."""
    better = (other.off <= 1.0).all(axis=1) & (other.keyed.sum(axis=1) < state.keyed.sum(axis=1))
    keyed = np.where(better[:, None], other.keyed, state.keyed)
    rows = np.where(better[:, None, None, None], other.on_rows(), state.on_rows())
    return body.seen(keyed, rows)
