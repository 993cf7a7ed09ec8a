"""Prints src/target/maths/MathTables.h.

Each is the minimax polynomial of a function under a weight (Remez exchange on a
dense grid, in 45 digits). Coefficients are rounded to the type one by one, the
low ones first, and the rest is fitted anew after each, so that rounding them
costs next to nothing.

    pip install mpmath
    python tools/dev/minimax.py > src/target/maths/MathTables.h
"""

from mpmath import mp, mpf, matrix, lu_solve
import mpmath as m

mp.dps = 45


def round_to(value, bits):
    """The nearest number with so many significant bits."""
    if value == 0:
        return value
    exponent = m.floor(m.log(abs(value), 2)) + 1
    scale = mpf(2) ** (bits - exponent)
    return m.nint(value * scale) / scale


def chebyshev_grid(low, high, count):
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle - half * m.cos(m.pi * i / (count - 1)) for i in range(count)]


def remez(target, weight, powers, grid):
    """Coefficients of x^p for p in powers that minimise the weighted error."""
    n = len(powers)
    rows = [[x**p for p in powers] for x in grid]
    reference = [round(i * (len(grid) - 1) / n) for i in range(n + 1)]
    best = None
    for _ in range(60):
        system = matrix(n + 1, n + 1)
        right = matrix(n + 1, 1)
        for i, at in enumerate(reference):
            for j in range(n):
                system[i, j] = rows[at][j]
            system[i, n] = (-1) ** i / weight[at]
            right[i] = target[at]
        solution = lu_solve(system, right)
        coefficients = [solution[j] for j in range(n)]
        level = abs(solution[n])
        errors = [
            weight[i] * (sum(c * r for c, r in zip(coefficients, rows[i])) - target[i])
            for i in range(len(grid))
        ]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[1]:
            best = (coefficients, worst)
        if worst <= level * (1 + mpf(10) ** -4):
            break
        # The extreme point of each run of one sign; drop the smaller end.
        runs = []
        for i, e in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n + 1:
            if abs(errors[runs[0]]) < abs(errors[runs[-1]]):
                runs.pop(0)
            else:
                runs.pop()
        if len(runs) < n + 1:
            break
        reference = runs
    return best


def fit(function, weight, low, high, degree, bits, fixed=()):
    """A polynomial of this degree with coefficients of so many bits. `fixed`
    gives the first ones."""
    grid = chebyshev_grid(mpf(low), mpf(high), 24 * (degree + 2))
    grid = [x for x in grid if abs(x) > mpf(10) ** -9]
    target = [function(x) for x in grid]
    weights = [abs(weight(x)) for x in grid]
    result = list(fixed)
    rest = [
        t - sum(c * x**p for p, c in enumerate(result)) for t, x in zip(target, grid)
    ]
    for power in range(len(result), degree + 1):
        coefficients, _ = remez(rest, weights, range(power, degree + 1), grid)
        c = round_to(coefficients[0], bits)
        result.append(c)
        rest = [r - c * x**power for r, x in zip(rest, grid)]
    error = max(abs(r * w) for r, w in zip(rest, weights))
    return result, error


def interpolate(function, weight, low, high, degree, bits):
    """The polynomial through Chebyshev's points: nearly the minimax one, and
    found at once where there are many coefficients."""
    count = degree + 1
    middle, half = (low + high) / 2, (high - low) / 2
    points = [
        middle + half * m.cos(m.pi * (2 * i + 1) / (2 * count))
        for i in range(count)
    ]
    system = matrix(count, count)
    for i, x in enumerate(points):
        for j in range(count):
            system[i, j] = x**j
    solution = lu_solve(system, matrix([function(x) for x in points]))
    result = [round_to(solution[j], bits) for j in range(count)]
    error = max(
        abs(weight(x) * (m.polyval(result[::-1], x) - function(x)))
        for x in chebyshev_grid(low, high, 1000)
    )
    return result, error


def series(function, at_zero):
    """The function, with its limit where it is 0/0."""
    return lambda x: at_zero if abs(x) < mpf(10) ** -15 else function(x)


LN2 = m.log(2)
LOG2E = 1 / LN2
HALF_LN2 = LN2 / 2 * mpf("1.0001")

# function, weight, low, high
EXP = (
    lambda x: mpf(1) / 2 if x == 0 else (m.expm1(x) - x) / x**2,
    lambda x: x**2 / (m.expm1(x) if x else 1) if x else mpf(0),
    -HALF_LN2,
    HALF_LN2,
)
EXP2 = (
    series(lambda x: (m.power(2, x) - 1) / x, LN2),
    lambda x: abs(x) / m.power(2, x),
    mpf("-0.50005"),
    mpf("0.50005"),
)


def log_q(scale):
    """(log(1+f) * scale - f * scale) / f^2, against log(1+f) * scale."""
    return (
        series(lambda f: scale * (m.log1p(f) - f) / f**2, -scale / 2),
        series(lambda f: f**2 / (m.log1p(f) * scale), mpf(0)),
        m.sqrt(mpf(1) / 2) - mpf("1.0001"),
        m.sqrt(mpf(2)) - mpf("0.9999"),
    )


def atanh_r(limit):
    """(log(1+f) - 2s) / s^3 as a function of z = s^2, s = f / (2+f)."""

    def function(z):
        s = m.sqrt(z)
        return mpf(2) / 3 if s < mpf(10) ** -12 else 2 * (m.atanh(s) - s) / s**3

    return (
        function,
        lambda z: z * m.sqrt(z) / (2 * m.atanh(m.sqrt(z))) if z else mpf(0),
        mpf(0),
        mpf(limit) ** 2,
    )


def odd(function, first, power, limit):
    """(f(x) - x * first) / x^3 as a function of z = x^2, against f(x)."""

    def quotient(z):
        x = m.sqrt(z)
        if x < mpf(10) ** -10:
            return power
        return (function(x) - first * x) / x**3

    return (
        quotient,
        lambda z: z * m.sqrt(z) / function(m.sqrt(z)) if z else mpf(0),
        mpf(0),
        mpf(limit) ** 2,
    )


COS = (
    lambda z: mpf(1) / 24
    if z < mpf(10) ** -10
    else (m.cos(m.sqrt(z)) - 1 + z / 2) / z**2,
    lambda z: z**2,
    mpf(0),
    (m.pi / 4 * mpf("1.001")) ** 2,
)
ERF_SMALL = (
    lambda z: (m.erf(m.sqrt(z)) / m.sqrt(z) if z else 2 / m.sqrt(m.pi)) - 1,
    lambda z: m.sqrt(z) / m.erf(m.sqrt(z)) if z else mpf(1),
    mpf(0),
    mpf(1),
)
# log(erfc(a)) / a, against erf(a)
ERF_LARGE = (
    lambda a: m.log(m.erfc(a)) / a,
    lambda a: a * m.erfc(a) / m.erf(a),
    mpf("0.999"),
    mpf("3.95"),
)
ERF_LARGE_DOUBLE = (*ERF_LARGE[:3], mpf("5.93"))


def erfcx(t):
    """(1 + 2x) e^(x^2) erfc(x), where t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * m.exp(x * x) * m.erfc(x)


QUADRANT = m.pi / 4 * mpf("1.001")

# name in C++: (what it is, type, function, weight, low, high, degree)
TABLES = {
    "expFloat": ("(e^x - 1 - x) / x^2, |x| <= ln(2)/2", "float", *EXP, 4),
    "expDouble": ("(e^x - 1 - x) / x^2, |x| <= ln(2)/2", "double", *EXP, 10),
    "exp2Float": ("(2^x - 1) / x, |x| <= 1/2", "float", *EXP2, 5),
    "exp2Double": ("(2^x - 1) / x, |x| <= 1/2", "double", *EXP2, 11),
    "exp2Short": ("(2^x - 1) / x, |x| <= 1/2", "short", *EXP2, 6),
    "logFloat": ("(ln(1+x) - x) / x^2, sqrt(1/2) <= 1+x <= sqrt(2)", "float", *log_q(mpf(1)), 8),
    "log2Float": (
        "(log2(1+x) - x log2(e)) / x^2, sqrt(1/2) <= 1+x <= sqrt(2)",
        "float",
        *log_q(LOG2E),
        8,
    ),
    "log10Float": (
        "(log10(1+x) - x log10(e)) / x^2, sqrt(1/2) <= 1+x <= sqrt(2)",
        "float",
        *log_q(1 / m.log(10)),
        8,
    ),
    "logDouble": (
        "(2 atanh(s) - 2s) / s^3 of s^2, |s| <= 0.1717",
        "double",
        *atanh_r("0.1717"),
        7,
    ),
    "logShort": (
        "(2 atanh(s) - 2s) / s^3 of s^2, |s| <= 0.1717",
        "short",
        *atanh_r("0.1717"),
        4,
    ),
    "sinFloat": (
        "(sin(x) - x) / x^3 of x^2, |x| <= pi/4",
        "float",
        *odd(m.sin, 1, -mpf(1) / 6, QUADRANT),
        2,
    ),
    "sinDouble": (
        "(sin(x) - x) / x^3 of x^2, |x| <= pi/4",
        "double",
        *odd(m.sin, 1, -mpf(1) / 6, QUADRANT),
        5,
    ),
    "cosFloat": ("(cos(x) - 1 + x^2/2) / x^4 of x^2, |x| <= pi/4", "float", *COS, 2),
    "cosDouble": ("(cos(x) - 1 + x^2/2) / x^4 of x^2, |x| <= pi/4", "double", *COS, 5),
    "sinhFloat": (
        "(sinh(x) - x) / x^3 of x^2, |x| <= 1",
        "float",
        *odd(m.sinh, 1, mpf(1) / 6, 1),
        3,
    ),
    "sinhDouble": (
        "(sinh(x) - x) / x^3 of x^2, |x| <= 1",
        "double",
        *odd(m.sinh, 1, mpf(1) / 6, 1),
        7,
    ),
    "asinFloat": (
        "(asin(x) - x) / x^3 of x^2, |x| <= 1/2",
        "float",
        *odd(m.asin, 1, mpf(1) / 6, mpf("0.5001")),
        4,
    ),
    "asinDouble": (
        "(asin(x) - x) / x^3 of x^2, |x| <= 1/2",
        "double",
        *odd(m.asin, 1, mpf(1) / 6, mpf("0.5001")),
        12,
    ),
    "atanFloat": (
        "(atan(x) - x) / x^3 of x^2, |x| <= 1",
        "float",
        *odd(m.atan, 1, -mpf(1) / 3, mpf("1.0001")),
        8,
    ),
    "atanDouble": (
        "(atan(x) - x) / x^3 of x^2, |x| <= 7/16",
        "double",
        *odd(m.atan, 1, -mpf(1) / 3, mpf("0.4376")),
        10,
    ),
    "erfFloat": ("erf(x) / x - 1 of x^2, |x| <= 1", "float", *ERF_SMALL, 6),
    "erfcFloat": ("ln(1 - erf(x)) / x, 1 <= x <= 3.95", "float", *ERF_LARGE, 6),
    "erfDouble": ("erf(x) / x - 1 of x^2, |x| <= 1", "double", *ERF_SMALL, 11),
    "erfcDouble": ("ln(1 - erf(x)) / x, 1 <= x <= 5.93", "double", *ERF_LARGE_DOUBLE, 18),
    # Shepherd and Laframboise, Mathematics of Computation 36 (1981).
    "erfcScaled": (
        "(1 + 2x) e^(x^2) erfc(x) of (x - 4) / (x + 4), 0 <= x <= 28",
        "interpolated",
        erfcx,
        lambda t: 1 / erfcx(t),
        mpf(-1),
        mpf("0.75"),
        26,
    ),
}

# Of each type: bits of a coefficient, decimal digits that tell it apart.
TYPES = {
    "float": (24, 9),
    "double": (53, 17),
    "short": (53, 17),
    "interpolated": (53, 17),
}

HEADER = """//===- MathTables.h - the polynomials of the elementary functions ---------===//
//
// Printed by tools/dev/minimax.py: minimax polynomials, the lowest power first.
// Beside each its largest relative error. "Short" ones are for results that are
// rounded to float in the end.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_MATHS_MATHTABLES_H
#define TESELA_TARGET_MATHS_MATHTABLES_H

namespace tesela::maths::tables {
"""

FOOTER = """
} // namespace tesela::maths::tables

#endif // TESELA_TARGET_MATHS_MATHTABLES_H"""


def main():
    print(HEADER)
    for name, (what, kind, function, weight, low, high, degree) in TABLES.items():
        bits, digits = TYPES[kind]
        find = interpolate if kind == "interpolated" else fit
        coefficients, error = find(function, weight, low, high, degree, bits)
        print(f"/// {what}:\n/// 2^{m.nstr(m.log(error, 2), 3)}.")
        print(f"inline constexpr double {name}[] = {{")
        for c in coefficients:
            print(f"    {m.nstr(c, digits, min_fixed=-3, max_fixed=3)},")
        print("};")
    print(FOOTER)


if __name__ == "__main__":
    main()
