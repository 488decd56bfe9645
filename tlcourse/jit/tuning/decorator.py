"""`@tilelang.autotune(configs=..)` above `@tilelang.jit(..)`."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Hashable, Mapping
from typing import Unpack

from tlcourse.config import read_config
from tlcourse.jit.factory import check_call, key_of, name_of
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.recipe import JitImpl
from tlcourse.jit.report import warn
from tlcourse.jit.tuning.arguments import ProfileArgs, ProfileOptions
from tlcourse.jit.tuning.configs import Configs, listed
from tlcourse.jit.tuning.errors import Config, already_given, misplaced
from tlcourse.jit.tuning.search import Search

Makes = Callable[..., Kernel]

_PLACE = "write @tilelang.autotune(configs=[..]) above @tilelang.jit(..)"


def autotune(
    func: object = None,
    *,
    configs: Configs = (),
    **options: Unpack[ProfileOptions],
) -> Callable[[Makes], Makes]:
    """Lets a jit function find the values of some of its parameters itself.

    Call the function without them. Each configuration is compiled, run once and compared with
    the reference; the kernel with the lowest time is returned, and remembered for the call's
    arguments. Times are those of the simulated chip where the simulator knows all operations,
    else of this machine; each line says which.

    Args:
        func: refused: the decorator needs its arguments.
        configs: list of dictionaries, or a function of the call's arguments that returns one.
        options: the arguments of `ProfileArgs`: warmup, rep, timeout, supply_type, ref_prog,
            supply_prog, rtol, atol, max_mismatched_ratio, skip_check, manual_check_prog and
            cache_input_tensors.

    Raises:
        TL432: it stands without arguments, or not above `@tilelang.jit`.
        TL450: a configuration names no parameter of the function (when called).
        TL451: there is no configuration (when called).
        TL452: none compiles, runs and is right (when called).
    """
    if func is not None:
        raise misplaced("@tilelang.autotune stands without arguments", _PLACE)
    profile = ProfileArgs(**options)
    return lambda makes: _tuning(makes, configs, profile)


def _tuning(makes: Makes, configs: Configs, profile: ProfileArgs) -> Makes:
    recipe = getattr(makes, "__jit_impl__", None)
    if not isinstance(recipe, JitImpl):
        what = getattr(makes, "__name__", type(makes).__name__)
        raise misplaced(f"@tilelang.autotune stands above {what}, no jit function", _PLACE)
    best: dict[Hashable, Kernel] = {}

    @functools.wraps(makes)
    def kernel_for(*args: object, **kwargs: object) -> Kernel:
        parameters = inspect.signature(recipe.func).parameters
        name = name_of(recipe.func)
        wanted = listed(name, configs, parameters, args, kwargs)
        given = _given(wanted[0], list(parameters), len(args), kwargs)
        if given:
            warn([already_given(name, given)], {})
            return makes(*args, **kwargs)
        caller = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        check_call(recipe.func, args, {**kwargs, **wanted[0]}, caller)
        key = (read_config(), key_of(recipe.func, args, kwargs))
        if key not in best:
            search = Search(
                name=name,
                configs=wanted,
                make=lambda config: recipe.make(args, {**kwargs, **config}),
                profile=profile,
            )
            best[key] = search.run().kernel
        return best[key]

    return kernel_for


def _given(
    config: Config, parameters: list[str], positions: int, kwargs: Mapping[str, object]
) -> list[str]:
    """The parameters of a configuration that the call sets itself."""
    first = parameters[:positions]
    return [name for name in config if name in kwargs or name in first]
