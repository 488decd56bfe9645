"""`AutoTuner`: the tuner as an object, for a function that is not under `@tilelang.jit`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Self, Unpack

from tlcourse.jit.decorator import compile
from tlcourse.jit.factory import make_prim_func, name_of
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.tuning.arguments import AutotuneResult, CompileArgs, ProfileArgs, ProfileOptions
from tlcourse.jit.tuning.configs import Configs, listed
from tlcourse.jit.tuning.errors import Config
from tlcourse.jit.tuning.search import Search


class AutoTuner:
    """Tunes a function that returns a T.prim_func.

    Args:
        fn: the function; takes the values of a configuration by name.
        configs: list of dictionaries, or a function that returns one.

    Example:
        >>> tuner = AutoTuner.from_kernel(matmul, configs=[{"block_M": 64}])  # doctest: +SKIP
        >>> tuner.set_compile_args(out_idx=[-1]).run().config  # doctest: +SKIP
    """

    def __init__(self, fn: Callable[..., object], configs: Configs) -> None:
        self.fn = fn
        self.configs = configs
        self.compile_args = CompileArgs()
        self.profile_args = ProfileArgs()

    @classmethod
    def from_kernel(cls, kernel: Callable[..., object], configs: Configs) -> Self:
        """A tuner for a function; see the class."""
        return cls(kernel, configs)

    def set_compile_args(
        self,
        out_idx: int | Sequence[int] | None = None,
        target: str = "npuir",
        execution_backend: str = "cython",
        target_host: str | None = None,
        verbose: bool = False,
        pass_configs: Mapping[str, object] | None = None,
    ) -> Self:
        """Says how configurations are compiled; see `tlcourse.jit.compile`."""
        self.compile_args = CompileArgs(
            out_idx=out_idx,
            target=target,
            execution_backend=execution_backend,
            target_host=target_host,
            verbose=verbose,
            pass_configs=pass_configs,
        )
        return self

    def set_profile_args(self, **options: Unpack[ProfileOptions]) -> Self:
        """Says how configurations are run, checked and timed; see `ProfileArgs`."""
        self.profile_args = ProfileArgs(**options)
        return self

    def run(
        self, warmup: float | None = None, rep: float | None = None, timeout: float | None = None
    ) -> AutotuneResult:
        """Tries every configuration; arguments left out are those of `set_profile_args`.

        Raises:
            TL450: a configuration names no parameter of the function.
            TL451: there is no configuration.
            TL452: none compiles, runs and is right.
        """
        name = name_of(self.fn)
        profile = self.profile_args
        search = Search(
            name=name,
            configs=listed(name, self.configs, inspect.signature(self.fn).parameters),
            make=self._made,
            profile=replace(
                profile,
                warmup=profile.warmup if warmup is None else warmup,
                rep=profile.rep if rep is None else rep,
                timeout=profile.timeout if timeout is None else timeout,
            ),
        )
        return search.run()

    def __call__(self) -> AutotuneResult:
        """The same as `run`."""
        return self.run()

    def _made(self, config: Config) -> Kernel:
        made: object = make_prim_func(self.fn, (), config)
        chosen = self.compile_args
        return compile(made, chosen.out_idx, target=chosen.target, pass_configs=chosen.pass_configs)
