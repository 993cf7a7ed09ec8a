"""Names of Triton's that scripts import whether they use them or not."""


def absent(path, hint=""):
    """A class that says, when it is used, that Tesela has no such thing. It is
    one so that `isinstance` works, and finds no object."""

    message = f"Tesela has no `{path}`" + (f": {hint}" if hint else "")

    def refuse(*args, **kwargs):
        raise NotImplementedError(message)

    class Refusing(type):
        def __getattr__(cls, name):
            if name.startswith("__"):
                raise AttributeError(name)
            refuse()

    name = path.rpartition(".")[2]
    return Refusing(name, (), {
        "__new__": refuse, "__module__": path.rpartition(".")[0],
        "__doc__": message + ".",
    })
