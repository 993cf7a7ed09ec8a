"""Prints a module with one kernel for each atomic op and type: of scalars and
tiles, with and without a mask, an order and a use of what was there."""

INTEGERS = ("i32", "i64")
KINDS = {
    "add": INTEGERS, "and": INTEGERS, "or": INTEGERS, "xor": INTEGERS,
    "maxs": INTEGERS, "mins": INTEGERS, "maxu": INTEGERS, "minu": INTEGERS,
    "fadd": ("f16", "bf16", "f32", "f64"), "fmax": ("f32", "f64"),
    "fmin": ("f32", "f64"), "xchg": INTEGERS + ("f32", "f64"),
}
CAS = ("i16", "i32", "i64", "f16", "bf16", "f32", "f64")

count = 0


def kernel(element: str, size: int, masked: bool, used: bool, op) -> None:
    """`op(types)` is the op on %p, %x and, masked, %m."""
    global count
    count += 1
    value = f"tensor<{size}x{element}>" if size else element
    pointer = f"!tile.ptr<{element}>"
    lines = [
        f"func.func @k{count}(%base: {pointer}, %n: i32, %s: {element})"
        " attributes {tile.kernel} {",
    ]
    if size:
        lines += [
            f"  %i = tile.iota 0 : tensor<{size}xi32>",
            f"  %b = tile.splat %base : tensor<{size}x{pointer}>",
            f"  %p = tile.addptr %b, %i : tensor<{size}x{pointer}>,"
            f" tensor<{size}xi32>",
            f"  %x = tile.splat %s : {value}",
            f"  %t = tile.splat %n : tensor<{size}xi32>",
            f"  %m = arith.cmpi slt, %i, %t : tensor<{size}xi32>",
        ]
        types = f"tensor<{size}x{pointer}>, {value}"
        mask = f" mask %m : tensor<{size}xi1>" if masked else ""
        names = ("%p", "%x")
    else:
        lines += ["  %zero = arith.constant 0 : i32",
                  "  %m = arith.cmpi slt, %zero, %n : i32"]
        types = f"{pointer}, {element}"
        mask = " mask %m : i1" if masked else ""
        names = ("%base", "%s")
    lines.append("  %old = " + op(names, mask, types))
    if used:
        lines.append(f"  tile.store {names[0]}, %old : {types}")
    lines += ["  return", "}"]
    print("\n".join(lines))


ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "gpu", "sys")

for kind, elements in KINDS.items():
    for element in elements:
        for number, (size, masked, used) in enumerate(
            (size, masked, used) for size in (0, 8, 512)
            for masked in (False, True) for used in (False, True)
        ):
            order, scope = ORDERS[number % 4], SCOPES[number % 3]
            kernel(element, size, masked, used,
                   lambda names, mask, types: f"tile.atomic_rmw {kind} {order} "
                   f"{scope} {names[0]}, {names[1]}{mask} : {types}")
for element in CAS:
    for number, (size, used) in enumerate(
        (size, used) for size in (0, 8, 512) for used in (False, True)
    ):
        order, scope = ORDERS[number % 4], SCOPES[number % 3]
        kernel(element, size, False, used,
               lambda names, mask, types: f"tile.atomic_cas {order} {scope} "
               f"{names[0]}, {names[1]}, {names[1]} : {types}")
