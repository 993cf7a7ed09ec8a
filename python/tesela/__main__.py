"""python -m tesela SCRIPT [ARGUMENT…]      runs a script
python -m tesela -m MODULE [ARGUMENT…]   runs a module
python -m tesela -c CODE [ARGUMENT…]     runs a text

`import triton` in it means Tesela."""

import builtins
import os
import runpy
import sys
import types

from .install import install_as_triton


def _run_as_main(code_text: str, file: str, path: str) -> None:
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    if path:
        main.__file__ = file
    sys.modules["__main__"] = main
    exec(compile(code_text, file, "exec"), main.__dict__)


def main() -> int:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    first = arguments[0]
    if first in ("-m", "-c"):
        if len(arguments) < 2:
            print(f"tesela: {first} needs an argument", file=sys.stderr)
            return 2
        sys.argv = [first if first == "-c" else arguments[1], *arguments[2:]]
        sys.path[0] = os.getcwd() if first == "-m" else ""
        install_as_triton()
        if first == "-m":
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            import linecache

            text = arguments[1]
            linecache.cache["<command>"] = (
                len(text), None, text.splitlines(True), "<command>"
            )
            _run_as_main(text, "<command>", "")
        return 0
    try:
        with open(first, "rb") as file:
            text = file.read()
    except OSError as error:
        print(f"tesela: cannot read {first}: {error.strerror}",
              file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(first))
    install_as_triton()
    _run_as_main(text, first, first)
    return 0


if __name__ == "__main__":
    sys.exit(main())
