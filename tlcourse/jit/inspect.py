"""Finds the kernel that a command speaks of in a Python file."""

from __future__ import annotations

import difflib
import inspect
import runpy
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.jit import Kernel, compile
from tlcourse.jit.reconfigure import with_pass_configs
from tlcourse.jit.script import does_not_run
from tlcourse.language import PrimFunc


def load_kernel(
    path: Path, name: str | None = None, *, pass_configs: Mapping[str, object] | None = None
) -> Kernel:
    """Runs a file and gives the kernel of that name, or its only kernel.

    A kernel is a compiled kernel, a `T.prim_func`, or a function that makes one of them when
    it is called without arguments. The file does not run as `__main__`.

    Args:
        path: the Python file.
        name: name of the kernel; None takes the only one there is.
        pass_configs: options of passes beside the kernel's own, which they override.

    Raises:
        TL431: a value in pass_configs has no meaning.
        TL710: the file has no kernel of that name, or none at all.
        TL711: the file has several kernels and none was named.
        TL712: the function does not make a kernel when called without arguments.
        TL713: the file or the function raises an exception of Python's.
    """
    names = _run(path)
    found = {key: value for key, value in names.items() if _may_be_kernel(value, path.stem)}
    if name is None:
        name = _only(path, names, found)
    if name not in found and (missing := _missing(names.get(name), path.stem)):
        raise _needs_arguments(path, name, missing)
    if name not in found:
        raise _no_such_kernel(path, name, found)
    kernel = _as_kernel(path, name, found[name])
    return with_pass_configs(kernel, pass_configs) if pass_configs else kernel


def _run(path: Path) -> Mapping[str, object]:
    """What the file defines, by name."""
    saved = sys.path[:]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        return runpy.run_path(str(path), run_name=path.stem)
    except TLError:
        raise
    except Exception as problem:
        raise does_not_run(path, problem) from problem
    finally:
        sys.path[:] = saved


def _may_be_kernel(value: object, module: str) -> bool:
    """Whether it is a kernel, or a function of this file that can be called without arguments."""
    if isinstance(value, (Kernel, PrimFunc)):
        return True
    return _is_function(value, module) and not _missing(value, module)


def _is_function(value: object, module: str) -> bool:
    """Whether it is a function of this file."""
    return inspect.isfunction(value) and value.__module__ == module


def _missing(value: object, module: str) -> list[str]:
    """The arguments without which a function of this file cannot be called."""
    if not inspect.isfunction(value) or not _is_function(value, module):
        return []
    parameters = inspect.signature(value).parameters.values()
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in optional]


def _only(path: Path, names: Mapping[str, object], found: Mapping[str, object]) -> str:
    """The name of the only kernel; a plain function is not called on suspicion."""
    sure = [
        name
        for name, value in found.items()
        if isinstance(value, (Kernel, PrimFunc)) or hasattr(value, "__jit_impl__")
    ]
    factories = [
        name
        for name, value in names.items()
        if _missing(value, path.stem) and hasattr(value, "__jit_impl__")
    ]
    if not sure and factories:
        return factories[0]
    if not sure:
        raise _no_such_kernel(path, None, found)
    if len(sure) > 1:
        raise error(
            "TL711",
            f"{path} has several kernels: {', '.join(sure)}",
            why="the command shows one kernel at a time",
            fix=f"name it: {path}:{sure[0]}",
        )
    return sure[0]


def _as_kernel(path: Path, name: str, value: object) -> Kernel:
    made: object = value
    if not isinstance(value, (Kernel, PrimFunc)) and callable(value):
        made = _called(path, value)
    if isinstance(made, PrimFunc):
        return compile(made)
    if isinstance(made, Kernel):
        return made
    raise error(
        "TL712",
        f"{name}() in {path} gives {type(made).__name__}, not a kernel",
        why="a T.prim_func, a compiled kernel, or a function that returns one is expected",
        fix=f"let {name} return its T.prim_func, or name another function",
    )


def _called(path: Path, factory: Callable[[], object]) -> object:
    try:
        return factory()
    except TLError:
        raise
    except Exception as problem:
        raise does_not_run(path, problem) from problem


def _needs_arguments(path: Path, name: str, missing: list[str]) -> TLError:
    call = f"{name}(256, ...)" if len(missing) > 1 else f"{name}(256)"
    return error(
        "TL712",
        f"{name} in {path} is a factory that needs arguments: {', '.join(missing)}",
        why="the command calls a function without arguments to get its kernel",
        fix=f"give them defaults, or put `kernel = {call}` in the file and name it: {path}:kernel",
    )


def _no_such_kernel(path: Path, name: str | None, found: Mapping[str, object]) -> TLError:
    near = difflib.get_close_matches(name or "", found, n=1)
    what = f"{path} has no kernel" + (f" named {name}" if name else "")
    if found and not name:
        what = f"{path} has functions that may make a kernel, and none is named"
    fix = "add a T.prim_func, or a function without arguments that returns one"
    if found:
        fix = f"name one of: {', '.join(found)}"
    if near:
        fix = f"did you mean {path}:{near[0]}?"
    return error(
        "TL710",
        what,
        why="kernels, T.prim_funcs and functions callable without arguments were looked at",
        fix=fix,
    )
