"""`jit`, `compile` and `lower`: from a traced function to a kernel object."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import ParamSpec, overload

import torch

from tlcourse.config import read_config
from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.signature import parameters, stamp
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.report import warn
from tlcourse.jit.settings import normal_out_idx, read_settings
from tlcourse.language import PrimFunc
from tlcourse.records import Mode

P = ParamSpec("P")
OutIdx = int | Sequence[int] | None
PassConfigs = Mapping[str, object] | None


def compile(
    func: PrimFunc,
    out_idx: OutIdx = None,
    execution_backend: str = "cython",
    target: str = "npuir",
    target_host: str | None = None,
    verbose: bool = False,
    pass_configs: PassConfigs = None,
    *,
    mode: Mode | None = None,
) -> Kernel:
    """Makes a kernel of a `T.prim_func`. The mode is read here and fixed.

    Args:
        func: the traced function.
        out_idx: positions of parameters that a call allocates and returns.
        execution_backend: accepted as upstream's scripts pass it; has no effect.
        target: `npuir`.
        target_host: accepted; has no effect.
        verbose: accepted; has no effect.
        pass_configs: options of passes by upstream's names.
        mode: Developer or Expert; None reads TILELANG_ASCEND_MODE.

    Raises:
        TL420: `func` is not a prim_func.
        TL421: out_idx does not name outputs.
        TL422: the target is unknown.
        TL424: a variable of the environment holds an unknown word.
        TL425: the chip is unknown.
    """
    prim_func = _prim_func("tilelang.compile", func)
    warn(prim_func.warnings, prim_func.sources)
    settings = read_settings(mode=mode, target=target, pass_configs=pass_configs)
    module = prim_func.module.clone()
    stamp(
        module,
        mode=settings.mode,
        target=settings.target,
        out_idx=normal_out_idx(out_idx, parameters(module, prim_func.sources)),
        pass_configs=settings.pass_configs,
    )
    return Kernel(module, prim_func.sources, settings, prim_func)


def lower(func: PrimFunc, target: str = "npuir", *, mode: Mode | None = None) -> str:
    """The MLIR text that code generation makes of a `T.prim_func`.

    Raises:
        TL420: `func` is not a prim_func.
        TL422: the target is unknown.
    """
    return compile(func, target=target, mode=mode).mlir_content


@overload
def jit(func: Callable[P, PrimFunc], /) -> Callable[P, Kernel]: ...
@overload
def jit(
    func: None = None,
    *,
    out_idx: OutIdx = None,
    target: str = "npuir",
    target_host: str | None = None,
    execution_backend: str = "cython",
    verbose: bool = False,
    pass_configs: PassConfigs = None,
    debug_root_path: str | None = None,
) -> Callable[[Callable[P, PrimFunc]], Callable[P, Kernel]]: ...
def jit(
    func: Callable[P, PrimFunc] | None = None,
    *,
    out_idx: OutIdx = None,
    target: str = "npuir",
    target_host: str | None = None,
    execution_backend: str = "cython",
    verbose: bool = False,
    pass_configs: PassConfigs = None,
    debug_root_path: str | None = None,
) -> Callable[P, Kernel] | Callable[[Callable[P, PrimFunc]], Callable[P, Kernel]]:
    """Turns a function that makes a `T.prim_func` into one that makes a kernel.

    The new function remembers its kernels: equal arguments under equal settings (mode, chip,
    executor ..) give the same kernel object. Works with and without parentheses.

    Args:
        func: the function; left out where `jit` is written with parentheses.
        out_idx: see `compile`, as for all arguments that follow.
        target: `npuir`.
        target_host: accepted; has no effect.
        execution_backend: accepted; has no effect.
        verbose: accepted; has no effect.
        pass_configs: options of passes by upstream's names.
        debug_root_path: accepted; has no effect. `kernel.trace()` shows what it would store.

    Raises:
        TL420: the function gives no prim_func (when called).
        TL423: an argument of the function cannot be remembered (when called).
        TL428: the function is called with tensors (when called).
    """

    def make(prim_func: PrimFunc) -> Kernel:
        return compile(prim_func, out_idx, target=target, pass_configs=pass_configs)

    if func is not None:
        return _remembering(func, make)
    return lambda factory: _remembering(factory, make)


def _remembering(
    factory: Callable[P, PrimFunc], make: Callable[[PrimFunc], Kernel]
) -> Callable[P, Kernel]:
    made: dict[Hashable, Kernel] = {}
    name = getattr(factory, "__name__", "the function")

    @functools.wraps(factory)
    def kernel_for(*args: P.args, **kwargs: P.kwargs) -> Kernel:
        if any(isinstance(value, torch.Tensor) for value in (*args, *kwargs.values())):
            raise _called_with_tensors(name)
        key = (read_config(), args, tuple(sorted(kwargs.items())))
        if not _is_hashable(key):
            raise _not_hashable(name)
        if key not in made:
            made[key] = make(_prim_func(name, factory(*args, **kwargs)))
        return made[key]

    setattr(kernel_for, "__jit_impl__", factory)
    return kernel_for


def _is_hashable(key: object) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _prim_func(name: str, got: object) -> PrimFunc:
    """`got`, if it is a prim_func."""
    if isinstance(got, PrimFunc):
        return got
    described = "None" if got is None else f"a {type(got).__name__}"
    raise error(
        "TL420",
        f"{name} needs a T.prim_func, but got {described}",
        why="a kernel is compiled from what @T.prim_func makes of a Python function",
        fix="write @T.prim_func above the kernel function, and return that function",
    )


def _not_hashable(name: str) -> TLError:
    return error(
        "TL423",
        f"an argument of {name} is a list, a dict or something else that can change",
        why=f"{name} remembers the kernel for its arguments, so they have to stay as they are",
        fix="pass numbers, texts and tuples",
    )


def _called_with_tensors(name: str) -> TLError:
    return error(
        "TL428",
        f"{name} was called with tensors, but it makes a kernel",
        why="a jit function takes shapes and tile sizes; the kernel that it returns takes tensors",
        fix=f"write kernel = {name}(..sizes..) and then kernel(..tensors..)",
    )
