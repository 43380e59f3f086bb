"""How far a run is: the places in search.tally, and what may stand there.

A slice may end in the midst of anything, and the next goes on as if it had not. So whatever is counted or decided on
the way is kept with the search, in one array. `run`, `restarts`, `rounds` and `methods` share it: each place is named
here, once.

- `run`: the PHASE; what pins and goals cost at the start (START_PINS, START_GOALS); how the search before a population
  ended (LOCAL), the most generations (LIMIT), and the iterations of earlier slices (MADE); whether the last answer is
  an earlier pose than the search has come to (EARLIER).
- `restarts`: how many tries began at random poses (RESTARTS); iterations of this one (TRIED) and of all (SPENT); the
  cost when it was last looked whether it falls (BEFORE); how often in this one angles were taken a turn back (TURNED).
- `rounds`: the ROUND, 0 before the first, and its iterations (WITHIN); whether posture is eased (EASING), how much of
  that may count (SHARE), the worst error before it (HELD), and how the search before it ended (WAS).
- `methods`: how many SADDLES it went on from; where search.q was evaluated last (AT).
"""

# Places in search.tally.
PHASE, ROUND, START_PINS, START_GOALS, RESTARTS, TRIED, SPENT, BEFORE, TURNED, LOCAL, LIMIT, MADE = range(12)
WITHIN, SADDLES, EASING, SHARE, HELD, AT, WAS, EARLIER = range(12, 20)
PLACES = 20

TRYING, SEARCHING, EVOLVING, ENDED = range(4)  # of PHASE
NOT_EASED, EASING_ALL, DONE_EASING = range(3)  # of EASING
# Where search.q was evaluated last, with cost and gradient: nowhere that counts, in the problem's room, in room.there.
NOWHERE, HERE, THERE = range(3)
