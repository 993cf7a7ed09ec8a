"""Parses the example of every op in the .td files of a folder.

An example names its operands without saying their types, so the parser is asked:
each operand becomes a function's argument of type `none`, and the error says what
it should have been.
"""

import pathlib
import re
import subprocess
import sys

folder, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
EXPECTED = re.compile(
    r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs"
)


def operands(example):
    """Names that the example uses and does not define, in order of use."""
    defined = set()
    for line in example.splitlines():
        if " = " in line:
            defined.update(re.findall(r"%\w+", line.split(" = ")[0]))
        if line.strip().startswith("^"):
            defined.update(re.findall(r"%\w+(?=:)", line))
    used = dict.fromkeys(re.findall(r"%\w+", example))
    return [name for name in used if name not in defined]


def check(example):
    """What is wrong with an example; nothing where it parses and verifies."""
    types = dict.fromkeys(operands(example), "none")
    for _ in range(len(types) + 1):
        arguments = ", ".join(f"{name}: {type}" for name, type in types.items())
        text = f"func.func @example({arguments}) {{\n{example}\nreturn\n}}\n"
        run = subprocess.run([tool], input=text, capture_output=True, text=True)
        if run.returncode == 0:
            return None
        wanted = EXPECTED.search(run.stderr)
        if not wanted or types[wanted[1]] != "none":
            break
        types[wanted[1]] = wanted[2]
    return f"{text}{run.stderr}"


failures = checked = 0
for path in sorted(folder.glob("*Ops.td")):
    for op in re.split(r"^(?=def Tile_\w+Op\b)", path.read_text(), flags=re.M)[1:]:
        name = re.match(r"def (\w+)", op)[1]
        examples = re.findall(r"```mlir\n(.*?)```", op, flags=re.S)
        problems = [check(example) for example in examples]
        if not examples and "Terminator" not in op:
            problems = ["has no example"]
        for problem in filter(None, problems):
            print(f"{path.name}: {name}: {problem}")
            failures += 1
        checked += len(examples)

print(f"{checked} examples, {failures} wrong")
sys.exit(failures != 0 or checked == 0)
