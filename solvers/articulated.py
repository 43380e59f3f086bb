"""The Levenberg–Marquardt step in O(N), by the articulated-body algorithm (LM-PFD, eqs 17–22 and appendix A).

(H + diag(damping)) dq = -gradient is the equation of motion of a tree whose bodies have the virtual inertia of
`inertia`: no Jacobian, no matrix. One sweep from the leaves to the roots eliminates one joint after the other; two
more, up and down, solve for a right-hand side. Since every twist is in the tree's axes and about one point, the
transforms X of (69)–(76) are all the identity, but for those of `steady` joints.

A joint's own block of H, the D of (73), is factored as Lᵀ D L, from its last variable to its first. A variable that
rests on a limit drops out of it by an inverse pivot of zero. Joints of three variables, which most large trees are
made of, are written out, here and in the sweeps.

Of the exact second derivative, ½ s ×* F is added to the products A s, and the terms within a joint to its block. F is
not touched by elimination, and what that takes from A is symmetric: so the sweep is the same.
"""

from ..compiled import kernel, relaxed_kernel
from .coupling import Bools, factor_coupled, reduce_coupled, solve_coupled, spread_coupled
from .evaluation import Evaluation
from .inertia import MOVING, TURNING, Articulated, hand_on_steady
from .kinematics import TreeArrays, variables_of
from .rotation import Floats, Six, add_six, put_six, six_at, vector_at
from .steady import Triangle, carried_wrench, twist_from_above

# A pivot within 32 roundings of what it was subtracted from is nothing but rounding. Below 1e-150 its inverse overflows
# when it is squared.
_ROUNDING, _LEAST = 32 * 2.2e-16, 1e-150


@kernel
def factor_sweep(problem: Evaluation, damping: Floats, free: Bools, room: Articulated) -> bool:
    """Factor H + diag(damping) over the free variables. False if it is not positive, coupled rows apart."""
    positive = _eliminate(problem.tree, damping, free, room)
    if room.coupling.counts[1] > 0:
        spread_coupled(problem.goals, problem.values, room.centre, room.coupling)
        reduce_coupled(problem.tree, room.hung, room.axis, room.gain, room.low, room.coupling)
        factor_coupled(free, room.pivot, room.noise, room.coupling)
    return positive


@kernel
def solve_sweeps(problem: Evaluation, free: Bools, room: Articulated, right: Floats, x: Floats) -> None:
    """Solve for `x` [V] with the right-hand side `right` [V], as factored last; they may be one array."""
    _sweep_up(problem.tree, room, right)
    if room.coupling.counts[1] > 0:
        solve_coupled(free, room.u, room.coupling, room.value)
    sweep_down(problem.tree, room, x)


@relaxed_kernel
def _eliminate(tree: TreeArrays, damping: Floats, free: Bools, room: Articulated) -> bool:
    """From the leaves to the roots: eqs 69, 72, 73, one joint at a time. False if a pivot is below zero."""
    positive = True
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        parent, (first, count) = tree.parent[body], variables_of(tree, body)
        inertia = room.total[body] if room.heir[body] >= 0 else room.own[body]
        turning, moving = inertia[TURNING], inertia[MOVING]
        if count == 3:
            m, found = _eliminate_ball(first, inertia, turning, moving, body, damping, free, room)
            positive = positive and found
        else:
            m = _triangle_at(inertia)
            _products(first, count, m, body, room)
            for variable in range(first + count - 1, first - 1, -1):
                u, place = six_at(room.gain, variable), variable - first
                d = room.low[variable, place] + damping[variable] + room.diagonal[variable]
                noise = _noise(six_at(room.axis, variable), turning, moving, room.size[variable])
                positive = positive and (d > -noise or not free[variable])
                inverse = _set_pivot(room, variable, d, noise, free[variable])
                _eliminate_within(first, variable, u, inverse, room)
                g = _times(u, inverse)
                put_six(room.gain, variable, g)
                m = _less_one(m, g, u)
        if parent >= 0:
            above = room.total[parent]
            before = room.own[parent] if room.heir[parent] == body else above
            if tree.steady[body] == 0:
                for i in range(TURNING):
                    above[i] = before[i] + m[i]
                above[TURNING], above[MOVING] = before[TURNING] + turning, before[MOVING] + moving
            else:
                hand_on_steady(m, moving, body, room, before, above)
    return positive


@relaxed_kernel
def _eliminate_ball(
    i: int,
    m: Triangle,
    turning: float,
    moving: float,
    body: int,
    damping: Floats,
    free: Bools,
    room: Articulated,
) -> tuple[Triangle, bool]:
    """Three variables from `i` on at once. Returns what is left of the inertia, and whether all pivots are positive.

    One after the other, each would wait for the inertia that the last one leaves: a sixth longer.
    """
    j, k = i + 1, i + 2
    r, s, t = six_at(room.axis, i), six_at(room.axis, j), six_at(room.axis, k)
    u, v, w = _product(m, r), _product(m, s), _product(m, t)
    uu, vv, ww = damping[i] + room.diagonal[i], damping[j] + room.diagonal[j], damping[k] + room.diagonal[k]
    uv, uw, vw = 0.0, 0.0, 0.0
    if room.bent[0]:
        half = _times(six_at(room.wrench, body), 0.5)
        u, v, w = _plus(u, _bent(r, half)), _plus(v, _bent(s, half)), _plus(w, _bent(t, half))
        uu, vv, ww = uu + room.knit[i, 0], vv + room.knit[j, 1], ww + room.knit[k, 2]
        uv, uw, vw = room.knit[j, 0], room.knit[k, 0], room.knit[k, 1]
    uu, vv, ww = _plus_dot(uu, r, u), _plus_dot(vv, s, v), _plus_dot(ww, t, w)
    uv, uw, vw = _plus_dot(uv, r, v), _plus_dot(uw, r, w), _plus_dot(vw, s, w)
    noise = _noise(t, turning, moving, room.size[k])
    positive = ww > -noise or not free[k]
    inverse = _set_pivot(room, k, ww, noise, free[k])
    low_u, low_v, h = uw * inverse, vw * inverse, _times(w, inverse)
    uu, uv, vv = uu - low_u * uw, uv - low_u * vw, vv - low_v * vw
    u, v = _less(u, low_u, w), _less(v, low_v, w)
    room.low[k, 0], room.low[k, 1] = low_u, low_v
    noise = _noise(s, turning, moving, room.size[j])
    positive = positive and (vv > -noise or not free[j])
    inverse = _set_pivot(room, j, vv, noise, free[j])
    low_u, g = uv * inverse, _times(v, inverse)
    uu, u = uu - low_u * uv, _less(u, low_u, v)
    room.low[j, 0] = low_u
    noise = _noise(r, turning, moving, room.size[i])
    positive = positive and (uu > -noise or not free[i])
    inverse = _set_pivot(room, i, uu, noise, free[i])
    f = _times(u, inverse)
    put_six(room.gain, i, f)
    put_six(room.gain, j, g)
    put_six(room.gain, k, h)
    return _less_three(m, f, u, g, v, h, w), positive


@relaxed_kernel
def _products(first: int, count: int, m: Triangle, body: int, room: Articulated) -> None:
    """A s of a joint's variables into their gains, and its block of H into `low`."""
    for variable in range(first, first + count):
        s = six_at(room.axis, variable)
        u = _product(m, s)
        if room.bent[0]:
            half = _times(six_at(room.wrench, body), 0.5)
            u = _plus(u, _bent(s, half))
        put_six(room.gain, variable, u)
        for i in range(variable - first + 1):
            term = room.knit[variable, i] if room.bent[0] else 0.0
            room.low[variable, i] = _plus_dot(term, six_at(room.axis, first + i), u)


@kernel
def _eliminate_within(first: int, variable: int, u: Six, inverse: float, room: Articulated) -> None:
    """What eliminating a variable leaves of its joint's block, and of the products of those before it."""
    low = room.low[variable]
    for i in range(variable - first):
        slope = low[i] * inverse
        for k in range(i + 1):
            room.low[first + i, k] -= slope * low[k]
        for k in range(6):
            room.gain[first + i, k] -= slope * u[k]
    for i in range(variable - first):
        low[i] *= inverse


@kernel
def _noise(s: Six, turning: float, moving: float, size: float) -> float:
    """How large a pivot may be by rounding alone.

    |g · s|² summed over the rows is at most the size here; the rounding errors of the inertia are in proportion to it.
    """
    turns, moves = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], s[3] * s[3] + s[4] * s[4] + s[5] * s[5]
    return _ROUNDING * (2.0 * (turns * turning + moves * moving) + size) + _LEAST


@kernel
def _set_pivot(room: Articulated, variable: int, pivot: float, noise: float, free: bool) -> float:
    """Keep a pivot, and return its inverse; both are zero for one that is not free or nothing but rounding."""
    some = free and pivot > noise
    room.noise[variable], room.pivot[variable] = noise, pivot if some else 0.0
    return 1.0 / pivot if some else 0.0


@relaxed_kernel
def _sweep_up(tree: TreeArrays, room: Articulated, right: Floats) -> None:
    """From the leaves to the roots: eqs 70, 74, with p^A = -force."""
    room.force[:] = 0.0
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        parent, (first, count), force = tree.parent[body], variables_of(tree, body), six_at(room.force, body)
        if count == 3:
            i, j, k = first, first + 1, first + 2
            w = right[k] + _dot(six_at(room.axis, k), force)
            v = right[j] + _dot(six_at(room.axis, j), force) - room.low[k, 1] * w
            u = right[i] + _dot(six_at(room.axis, i), force) - room.low[k, 0] * w - room.low[j, 0] * v
            force = _less(_less(force, w, six_at(room.gain, k)), v, six_at(room.gain, j))
            force = _less(force, u, six_at(room.gain, i))
            room.u[i], room.u[j], room.u[k] = u, v, w
        else:
            for variable in range(first + count - 1, first - 1, -1):
                u = right[variable] + _dot(six_at(room.axis, variable), force)
                for later in range(variable + 1, first + count):
                    u -= room.low[later, variable - first] * room.u[later]
                room.u[variable] = u
            for variable in range(first, first + count):
                force = _less(force, room.u[variable], six_at(room.gain, variable))
        for variable in range(first, first + count):
            pivot = room.pivot[variable]
            room.value[variable] = room.u[variable] / pivot if pivot > 0.0 else 0.0
        if parent >= 0:
            if tree.steady[body] != 0:
                force = carried_wrench(vector_at(room.hung, body), force)
            add_six(room.force, parent, force)


@relaxed_kernel
def sweep_down(tree: TreeArrays, room: Articulated, step: Floats) -> None:
    """From the roots to the leaves: eqs 75, 76."""
    for body in range(tree.parent.shape[0]):
        twist, (first, count) = twist_from_above(tree, room.twist, room.hung, body), variables_of(tree, body)
        if count == 3:
            i, j, k = first, first + 1, first + 2
            x = room.value[i] - _dot(six_at(room.gain, i), twist)
            y = room.value[j] - _dot(six_at(room.gain, j), twist) - room.low[j, 0] * x
            z = room.value[k] - _dot(six_at(room.gain, k), twist)
            z = z - room.low[k, 0] * x - room.low[k, 1] * y
            twist = _less(_less(twist, -x, six_at(room.axis, i)), -y, six_at(room.axis, j))
            twist = _less(twist, -z, six_at(room.axis, k))
            step[i], step[j], step[k] = x, y, z
        else:
            for variable in range(first, first + count):
                x = room.value[variable] - _dot(six_at(room.gain, variable), twist)
                for i in range(variable - first):
                    x -= room.low[variable, i] * step[first + i]
                step[variable] = x
            for variable in range(first, first + count):
                twist = _less(twist, -step[variable], six_at(room.axis, variable))
        put_six(room.twist, body, twist)


@relaxed_kernel
def _plus_dot(x: float, a: Six, b: Six) -> float:
    """X + a · b, in as few operations as can be."""
    return x + a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@relaxed_kernel
def _dot(a: Six, b: Six) -> float:
    """The same in pairs, for sweeps that have little else to do than to wait for a sum."""
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])


@relaxed_kernel
def _plus(a: Six, b: Six) -> Six:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@relaxed_kernel
def _less(a: Six, x: float, b: Six) -> Six:
    """A - x b."""
    return a[0] - x * b[0], a[1] - x * b[1], a[2] - x * b[2], a[3] - x * b[3], a[4] - x * b[4], a[5] - x * b[5]


@relaxed_kernel
def _times(a: Six, x: float) -> Six:
    return a[0] * x, a[1] * x, a[2] * x, a[3] * x, a[4] * x, a[5] * x


@relaxed_kernel
def _bent(s: Six, half: Six) -> Six:
    """½ s ×* F, with half of F."""
    a, b, c, d, e, f = s
    p, q, r, x, y, z = half
    return (
        b * r - c * q + e * z - f * y,
        c * p - a * r + f * x - d * z,
        a * q - b * p + d * y - e * x,
        b * z - c * y,
        c * x - a * z,
        a * y - b * x,
    )


@kernel
def _triangle_at(m: Floats) -> Triangle:
    """The 21 numbers of an upper triangle, out of memory."""
    return (
        m[0],
        m[1],
        m[2],
        m[3],
        m[4],
        m[5],
        m[6],
        m[7],
        m[8],
        m[9],
        m[10],
        m[11],
        m[12],
        m[13],
        m[14],
        m[15],
        m[16],
        m[17],
        m[18],
        m[19],
        m[20],
    )


@relaxed_kernel
def _product(m: Triangle, s: Six) -> Six:
    """The inertia times a twist."""
    a, b, c, d, e, f = s
    return (
        m[0] * a + m[1] * b + m[2] * c + m[3] * d + m[4] * e + m[5] * f,
        m[1] * a + m[6] * b + m[7] * c + m[8] * d + m[9] * e + m[10] * f,
        m[2] * a + m[7] * b + m[11] * c + m[12] * d + m[13] * e + m[14] * f,
        m[3] * a + m[8] * b + m[12] * c + m[15] * d + m[16] * e + m[17] * f,
        m[4] * a + m[9] * b + m[13] * c + m[16] * d + m[18] * e + m[19] * f,
        m[5] * a + m[10] * b + m[14] * c + m[17] * d + m[19] * e + m[20] * f,
    )


@relaxed_kernel
def _less_one(m: Triangle, g: Six, u: Six) -> Triangle:
    """M - g uᵀ, with g along u."""
    return (
        m[0] - g[0] * u[0],
        m[1] - g[0] * u[1],
        m[2] - g[0] * u[2],
        m[3] - g[0] * u[3],
        m[4] - g[0] * u[4],
        m[5] - g[0] * u[5],
        m[6] - g[1] * u[1],
        m[7] - g[1] * u[2],
        m[8] - g[1] * u[3],
        m[9] - g[1] * u[4],
        m[10] - g[1] * u[5],
        m[11] - g[2] * u[2],
        m[12] - g[2] * u[3],
        m[13] - g[2] * u[4],
        m[14] - g[2] * u[5],
        m[15] - g[3] * u[3],
        m[16] - g[3] * u[4],
        m[17] - g[3] * u[5],
        m[18] - g[4] * u[4],
        m[19] - g[4] * u[5],
        m[20] - g[5] * u[5],
    )


@relaxed_kernel
def _less_three(m: Triangle, f: Six, u: Six, g: Six, v: Six, h: Six, w: Six) -> Triangle:
    """M - f uᵀ - g vᵀ - h wᵀ, with f along u, g along v, h along w."""
    return (
        m[0] - f[0] * u[0] - g[0] * v[0] - h[0] * w[0],
        m[1] - f[0] * u[1] - g[0] * v[1] - h[0] * w[1],
        m[2] - f[0] * u[2] - g[0] * v[2] - h[0] * w[2],
        m[3] - f[0] * u[3] - g[0] * v[3] - h[0] * w[3],
        m[4] - f[0] * u[4] - g[0] * v[4] - h[0] * w[4],
        m[5] - f[0] * u[5] - g[0] * v[5] - h[0] * w[5],
        m[6] - f[1] * u[1] - g[1] * v[1] - h[1] * w[1],
        m[7] - f[1] * u[2] - g[1] * v[2] - h[1] * w[2],
        m[8] - f[1] * u[3] - g[1] * v[3] - h[1] * w[3],
        m[9] - f[1] * u[4] - g[1] * v[4] - h[1] * w[4],
        m[10] - f[1] * u[5] - g[1] * v[5] - h[1] * w[5],
        m[11] - f[2] * u[2] - g[2] * v[2] - h[2] * w[2],
        m[12] - f[2] * u[3] - g[2] * v[3] - h[2] * w[3],
        m[13] - f[2] * u[4] - g[2] * v[4] - h[2] * w[4],
        m[14] - f[2] * u[5] - g[2] * v[5] - h[2] * w[5],
        m[15] - f[3] * u[3] - g[3] * v[3] - h[3] * w[3],
        m[16] - f[3] * u[4] - g[3] * v[4] - h[3] * w[4],
        m[17] - f[3] * u[5] - g[3] * v[5] - h[3] * w[5],
        m[18] - f[4] * u[4] - g[4] * v[4] - h[4] * w[4],
        m[19] - f[4] * u[5] - g[4] * v[5] - h[4] * w[5],
        m[20] - f[5] * u[5] - g[5] * v[5] - h[5] * w[5],
    )
