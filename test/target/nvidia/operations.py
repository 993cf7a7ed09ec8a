"""Prints a module with one kernel for each operation and type that thread
programs may have, four lanes each."""

FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
WITHOUT_F64 = "acos acosh asin asinh atan atan2 atanh cbrt".split()

UNARY = (
    "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf exp exp2 "
    "expm1 floor log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan "
    "tanh trunc"
).split()
BINARY = ["math.atan2", "math.copysign", "math.powf"] + [
    "arith." + op
    for op in "addf divf maximumf maxnumf minimumf minnumf mulf remf subf".split()
]
INTEGER = [
    "arith." + op
    for op in (
        "addi andi divsi divui maxsi maxui minsi minui muli ori remsi remui "
        "shli shrsi shrui subi xori"
    ).split()
]
BITS = ["math.absi", "math.ctlz", "math.ctpop", "math.cttz"]

count = 0


def kernel(source: str, result: str, body: str) -> None:
    """%a and %b are of `source`, the body defines %r of `result`."""
    global count
    count += 1
    align = "{alignment = 4 : i64} : !llvm.ptr<1>"
    print(
        f"""func.func @k{count}(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %o: !llvm.ptr<1>)
    attributes {{tile.kernel, nvvm.reqntid = array<i32: 128>}} {{
  %a = llvm.load %x {align} -> vector<4x{source}>
  %b = llvm.load %y {align} -> vector<4x{source}>
  {body}
  llvm.store %r, %o {{alignment = 4 : i64}} : vector<4x{result}>, !llvm.ptr<1>
  return
}}"""
    )


def floats(name: str) -> None:
    vector = f"vector<4x{name}>"
    for op in UNARY:
        if name != "f64" or op not in WITHOUT_F64:
            kernel(name, name, f"%r = math.{op} %a : {vector}")
    for op in BINARY:
        if name != "f64" or op.removeprefix("math.") not in WITHOUT_F64:
            kernel(name, name, f"%r = {op} %a, %b : {vector}")
    kernel(name, name, f"%r = arith.negf %a : {vector}")
    kernel(name, name, f"%r = math.fma %a, %b, %a : {vector}")
    for predicate in ("olt", "oeq", "une", "uno"):
        kernel(name, name,
               f"%c = arith.cmpf {predicate}, %a, %b : {vector}\n"
               f"  %r = arith.select %c, %a, %b : vector<4xi1>, {vector}")
    for kind in ("isnan", "isinf", "isfinite", "isnormal"):
        kernel(name, name,
               f"%c = math.{kind} %a : {vector}\n"
               f"  %r = arith.select %c, %a, %b : vector<4xi1>, {vector}")
    for other in INTEGERS:
        for op in ("fptosi", "fptoui"):
            kernel(name, other,
                   f"%r = arith.{op} %a : {vector} to vector<4x{other}>")
        for op in ("sitofp", "uitofp"):
            kernel(other, name,
                   f"%r = arith.{op} %a : vector<4x{other}> to {vector}")
    for other, width in FLOATS.items():
        if width != FLOATS[name]:
            op = "truncf" if width < FLOATS[name] else "extf"
            kernel(name, other,
                   f"%r = arith.{op} %a : {vector} to vector<4x{other}>")


def integers(name: str) -> None:
    vector = f"vector<4x{name}>"
    for op in INTEGER:
        kernel(name, name, f"%r = {op} %a, %b : {vector}")
    for op in BITS:
        kernel(name, name, f"%r = {op} %a : {vector}")
    if name != "i8":
        kernel(name, name,
               f"%l, %r = arith.mului_extended %a, %b : {vector}")
    for kind in ("add", "and", "maxsi", "minui"):
        kernel(name, name,
               f"%s = vector.reduction <{kind}>, %a : {vector} into {name}\n"
               f"  %r = vector.broadcast %s : {name} to {vector}")


for name in FLOATS:
    floats(name)
for name in INTEGERS:
    integers(name)
