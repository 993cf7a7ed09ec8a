"""python -m tesela SCRIPT [ARGUMENT…]      runs a script
python -m tesela -m MODULE [ARGUMENT…]   runs a module
python -m tesela -c CODE [ARGUMENT…]     runs a text
python -m tesela - [ARGUMENT…]           runs what stands on standard input

`import triton` in it means Tesela."""

import builtins
import importlib.machinery
import linecache
import os
import runpy
import sys
import types
import zipfile

from .install import install_as_triton


def _fresh_main(loader) -> types.ModuleType:
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    main.__loader__ = loader
    sys.modules["__main__"] = main
    return main


def _set_first_path(path: str) -> None:
    # With `-P` there is no entry for the script.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = path


def _run_file(text: bytes, file: str) -> None:
    main = _fresh_main(importlib.machinery.SourceFileLoader("__main__", file))
    main.__file__ = file
    main.__cached__ = None
    exec(compile(text, file, "exec", dont_inherit=True), main.__dict__)


def _run_text(text: str, name: str) -> None:
    """Kernels find their text as those of files do."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    main = _fresh_main(importlib.machinery.BuiltinImporter)
    exec(compile(text, name, "exec", dont_inherit=True), main.__dict__)


def _run_module(name: str, is_module: bool) -> None:
    """A module, or, as `__main__`, a folder or an archive that is first on the
    path: by the function that Python itself starts them with."""
    _fresh_main(None)
    runpy._run_module_as_main(name, alter_argv=is_module)


def _hide_own_frames() -> None:
    """Where the current exception gets out of the process, its traceback begins
    with what it would begin with without us."""
    own = {main.__code__.co_filename, runpy.run_path.__code__.co_filename}
    hook = sys.excepthook

    def trimmed(kind, error, trace):
        while trace and trace.tb_frame.f_code.co_filename in own:
            trace = trace.tb_next
        hook(kind, error.with_traceback(trace), trace)

    sys.excepthook = trimmed


def _split(arguments: list) -> tuple:
    """The kind of thing to run, the thing, and its arguments."""
    first = arguments[0]
    if first[:2] not in ("-m", "-c"):
        return "-" if first == "-" else "", first, arguments[1:]
    if len(first) > 2:
        return first[:2], first[2:], arguments[1:]
    return first, arguments[1] if len(arguments) > 1 else None, arguments[2:]


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        asked = len(sys.argv) > 1
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    kind, what, rest = _split(sys.argv[1:])
    if what is None:
        print(f"tesela: {kind} needs an argument", file=sys.stderr)
        return 2
    is_bundle = not kind and (os.path.isdir(what) or os.path.isfile(what)
                              and zipfile.is_zipfile(what))
    if not kind and not is_bundle:
        try:
            with open(what, "rb") as stream:
                text = stream.read()
        except OSError as error:
            print(f"tesela: cannot read {what}: {error.strerror}",
                  file=sys.stderr)
            return 2
    sys.argv = [kind or what, *rest]
    _set_first_path(os.getcwd() if kind == "-m"
                    else "" if kind
                    else what if is_bundle
                    else os.path.dirname(os.path.abspath(what)))
    install_as_triton()
    try:
        if kind == "-c":
            _run_text(what, "<command>")
        elif kind == "-":
            _run_text(sys.stdin.read(), "<stdin>")
        elif kind == "-m" or is_bundle:
            _run_module(what if kind else "__main__", bool(kind))
        else:
            _run_file(text, os.path.abspath(what))
    except SystemExit:
        raise
    except BaseException:
        _hide_own_frames()
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
