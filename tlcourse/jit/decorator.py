"""`jit`, `compile` and `lower`: from a traced function to a kernel object."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Hashable
from typing import ParamSpec, cast, overload

from tlcourse.config import read_config
from tlcourse.dialects.signature import parameters, stamp
from tlcourse.jit.dump import dump
from tlcourse.jit.factory import as_prim_func, check_call, key_of
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.recipe import JitImpl, OutIdx, PassConfigs
from tlcourse.jit.report import warn
from tlcourse.jit.settings import normal_out_idx, read_settings
from tlcourse.jit.tuning.errors import misplaced
from tlcourse.language import PrimFunc
from tlcourse.records import Mode

P = ParamSpec("P")

_TUNED = "__tune_params"
_INTO_A_FUNCTION = "put the T.prim_func into a function that returns it, @tilelang.jit above that"


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
        TL431: a value in pass_configs has no meaning.
    """
    prim_func = as_prim_func("tilelang.compile", func)
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
    kernel = Kernel(module, prim_func.sources, settings, prim_func)
    _show_ir(kernel)
    return kernel


def _show_ir(kernel: Kernel) -> None:
    """Shows the IR of a kernel that was just made, where the environment asks for it."""
    config = read_config()
    if config.dump_ir:
        dump(kernel)
    if config.lower_trace:
        from tlcourse.jit.lower_trace import trace_if_asked

        trace_if_asked(kernel)


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

    The new function remembers its kernels: equal arguments of equal types under equal settings
    (mode, chip, executor ..) give the same kernel object. Works with and without parentheses.

    Args:
        func: the function; left out where `jit` is written with parentheses.
        out_idx: see `compile`, as for all arguments that follow.
        target: `npuir`.
        target_host: accepted; has no effect.
        execution_backend: accepted; has no effect.
        verbose: accepted; has no effect.
        pass_configs: options of passes by upstream's names.
        debug_root_path: folder that gets the script and the MLIR of each kernel.

    Raises:
        TL420: the function gives no prim_func (when called).
        TL423: an argument of the function cannot be remembered (when called).
        TL426: the arguments do not fit the function (when called).
        TL428: the function is called with tensors (when called).
        TL429: the function raised (when called).
        TL431: a value in pass_configs has no meaning (when called).
        TL432: `func` is a T.prim_func.
        TL433: debug_root_path cannot be written (when called).
    """
    if isinstance(func, PrimFunc):
        raise misplaced("@tilelang.jit stands above a PrimFunc", _INTO_A_FUNCTION)

    def make(made: PrimFunc) -> Kernel:
        return compile(made, out_idx, target=target, pass_configs=pass_configs)

    def decorate(factory: Callable[P, PrimFunc]) -> Callable[P, Kernel]:
        recipe = JitImpl(func=factory, compile=make, debug_root_path=debug_root_path)
        return _remembering(factory, recipe)

    return decorate if func is None else decorate(func)


def _remembering(factory: Callable[P, PrimFunc], recipe: JitImpl) -> Callable[P, Kernel]:
    made: dict[Hashable, Kernel] = {}

    @functools.wraps(factory)
    def kernel_for(*args: P.args, **kwargs: P.kwargs) -> Kernel:
        named = dict(kwargs)
        named |= cast("dict[str, object]", named.pop(_TUNED, {}))
        check_call(factory, args, named, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        key = (read_config(), key_of(factory, args, named))
        if key not in made:
            made[key] = recipe.make(args, named)
        return made[key]

    setattr(kernel_for, "__jit_impl__", recipe)
    return kernel_for
