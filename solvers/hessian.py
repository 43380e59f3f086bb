"""The cost's second derivative H = JᵀWJ + C, for solvers that take Newton's step: O(V · depth), with no Jacobian.

The rows pull on a body with a wrench F, and through it on the variable i, of twist s_i, with s_i · F. So
H_ij = ∂_j (s_i · F) = s_i · A s_j + F · ∂_j s_i. A = Σ w g gᵀ + K is how the pull changes as the body moves: the
virtual inertia of the rows g, and K, which the goals know (`goals.bend`). As inertia does, A adds up from the leaves to
the root (the composite rigid bodies of Walker and Orin), from a `steady` body as a point of its parent. A twist changes
only with variables above it, or of its own joint (`joint_curvature`); since H is symmetric, those above need not be
asked.

All twists and pulls are about the middle of the bodies: about the tree's origin, 1 km away, six digits would go.
Rows on several bodies get their w jᵀj entry by entry, and join the branches that they run across (`hessian_rows`). Of
these only wires and distances know how their pull changes (`wire_curvature`). 155 variables with 338 wires, a third of
them taut, take 0.2 ms an iteration in all.
"""

from ..compiled import kernel, relaxed_kernel
from .evaluation import Evaluation
from .goals.bend import bend
from .goals.distance import Distance
from .goals.tables import bend_point
from .goals.wire import Wire
from .hessian_room import FORCE, WIDTH, HessianRoom
from .hessian_rows import add_coupled_row, add_tap
from .joint_curvature import bend_joints
from .kinematics import Ints, TreeArrays
from .rotation import Floats, Vector, cross, vector_at
from .steady import find_hung
from .wire_curvature import add_distance, bend_wire

WIRE, DISTANCE = Wire.kind, Distance.kind


@kernel
def hessian_here(problem: Evaluation, q: Floats, pull: Floats, bent: bool, room: HessianRoom) -> None:
    """Fill the matrix at `q` [V], which was evaluated last, with rows that pull with `pull` [M].

    With w r for it this is the second derivative; if it is not `bent`, JᵀWJ alone.
    """
    for k in range(room.matrix.shape[0]):
        room.matrix[k, : k + 1] = 0.0
    room.body[:] = 0.0
    room.held[:] = 0
    centre = _middle(problem.pose.position)
    for variable in range(room.axis.shape[0]):
        s, axis = problem.pose.axis[variable], room.axis[variable]
        angular = (s[0], s[1], s[2])
        moved = cross(angular, centre)
        for i in range(3):
            axis[i], axis[3 + i] = angular[i], s[3 + i] + moved[i]
    find_hung(problem.tree, problem.pose, centre, room.hung)
    _find_above(problem.tree, room.above)
    _gather(problem, pull, bent, room, centre)
    _sweep(problem.tree, room)
    if bent:
        for body in range(room.body.shape[0]):
            for i in range(6):
                room.wrench[body, i] = room.body[room.held[body] - 1, FORCE + i] if room.held[body] > 0 else 0.0
        bend_joints(problem.tree, problem.pose, q, room.axis, room.wrench, centre, room.knit)
        for j in range(room.matrix.shape[0]):
            first = problem.tree.first[problem.tree.body[j]]
            for i in range(first, j + 1):
                room.matrix[j, i] += room.knit[j, i - first]


@kernel
def _middle(position: Floats) -> Vector:
    x, y, z = 0.0, 0.0, 0.0
    for body in range(position.shape[0]):
        x += position[body, 0]
        y += position[body, 1]
        z += position[body, 2]
    scale = 1.0 / max(position.shape[0], 1)
    return scale * x, scale * y, scale * z


@kernel
def _find_above(tree: TreeArrays, above: Ints) -> None:
    """Without coupled rows, variables on different branches know nothing of one another."""
    for body in range(tree.parent.shape[0]):
        before = tree.parent[body]
        while before >= 0 and tree.freedom[before] == 0:
            before = tree.parent[before]
        last = tree.first[before] + tree.freedom[before] - 1 if before >= 0 else -1
        for i in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            above[i] = i - 1 if i > tree.first[body] else last


@kernel
def _gather(problem: Evaluation, pull: Floats, bent: bool, room: HessianRoom, centre: Vector) -> None:
    """What each goal adds to the bodies it pulls on."""
    goals = problem.goals
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] == 0:
            continue
        if goals.kind[goal] == DISTANCE:
            add_distance(problem, goal, pull, bent, room, centre)
            continue
        pulls = bent and bend(goals, goal, problem.pose, pull, centre, room.body)
        several = goals.tap[goal + 1] - goals.tap[goal] > goals.row[goal + 1] - goals.row[goal]
        if several:
            for row in range(goals.row[goal], goals.row[goal + 1]):
                if goals.weight[row] > 0.0:
                    add_coupled_row(problem, goal, row, goals.weight[row], room, centre)
        if bent and goals.kind[goal] == WIRE:
            bend_wire(problem, goal, pull, room, centre)
            pulls = True
        if several and not pulls:
            continue
        for tap in range(goals.tap[goal], goals.tap[goal + 1]):
            if problem.values.tap_row[tap] >= 0:
                add_tap(problem, tap, pull, room, centre, not several, pulls)


@relaxed_kernel
def _sweep(tree: TreeArrays, room: HessianRoom) -> None:
    """Add s_i · A s_j, from the leaves to the roots, for every variable j and those i of its own joint and above.

    A body that nothing but one below pulls on shares its row: copying it up an arm took a third of the sweep.
    """
    matrix, axis = room.matrix, room.axis
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        if room.held[body] == 0:
            continue
        m = room.body[room.held[body] - 1]
        for j in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            s = axis[j]
            y0 = m[0] * s[0] + m[1] * s[1] + m[2] * s[2] + m[3] * s[3] + m[4] * s[4] + m[5] * s[5]
            y1 = m[6] * s[0] + m[7] * s[1] + m[8] * s[2] + m[9] * s[3] + m[10] * s[4] + m[11] * s[5]
            y2 = m[12] * s[0] + m[13] * s[1] + m[14] * s[2] + m[15] * s[3] + m[16] * s[4] + m[17] * s[5]
            y3 = m[18] * s[0] + m[19] * s[1] + m[20] * s[2] + m[21] * s[3] + m[22] * s[4] + m[23] * s[5]
            y4 = m[24] * s[0] + m[25] * s[1] + m[26] * s[2] + m[27] * s[3] + m[28] * s[4] + m[29] * s[5]
            y5 = m[30] * s[0] + m[31] * s[1] + m[32] * s[2] + m[33] * s[3] + m[34] * s[4] + m[35] * s[5]
            above, end = body, j + 1
            while above >= 0:
                for i in range(tree.first[above], end):
                    t = axis[i]
                    matrix[j, i] += t[0] * y0 + t[1] * y1 + t[2] * y2 + t[3] * y3 + t[4] * y4 + t[5] * y5
                if tree.steady[above] != 0:
                    y0, y1, y2 = cross(vector_at(room.hung, above), (y3, y4, y5))
                above = tree.parent[above]
                end = tree.first[above] + tree.freedom[above] if above >= 0 else 0
        parent = tree.parent[body]
        if parent < 0:
            continue
        steady = tree.steady[body] != 0
        if room.held[parent] == 0 and not steady:
            room.held[parent] = room.held[body]
            continue
        if room.held[parent] != parent + 1:  # two branches meet: from here on it has a row of its own
            for i in range(WIDTH if room.held[parent] > 0 else 0):
                room.body[parent, i] = room.body[room.held[parent] - 1, i]
            room.held[parent] = parent + 1
        if steady:
            _hang(room.body, m, parent, vector_at(room.hung, body))
            continue
        for i in range(WIDTH):
            room.body[parent, i] += m[i]


@kernel
def _hang(bodies: Floats, m: Floats, parent: int, h: Vector) -> None:
    """Add the numbers `m` [42] of a steady body that hangs on the point `h` to those of its parent: see `steady`.

    With D, the block of translation in A: [[h]× D [h]×ᵀ, [h]× D; D [h]×ᵀ, D], and how the force turns with h.
    """
    to = bodies[parent]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        at_j, at_k = 6 * (3 + j) + 3, 6 * (3 + k) + 3
        own = 6 * (3 + i)
        lower = cross(h, (m[own + 3], m[own + 4], m[own + 5]))
        across = (
            h[j] * m[at_k] - h[k] * m[at_j],
            h[j] * m[at_k + 1] - h[k] * m[at_j + 1],
            h[j] * m[at_k + 2] - h[k] * m[at_j + 2],
        )
        upper = cross(h, across)
        for c in range(3):
            to[6 * i + c] += upper[c]
            to[6 * i + 3 + c] += across[c]
            to[own + c] += lower[c]
            to[own + 3 + c] += m[own + 3 + c]
    force = (m[FORCE + 3], m[FORCE + 4], m[FORCE + 5])
    moment = cross(h, force)
    for i in range(3):
        to[FORCE + i] += moment[i]
        to[FORCE + 3 + i] += force[i]
    bend_point(bodies, parent, h, force)
