"""What a learner reads when tuning goes wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tlcourse.diagnostics import Diagnostic, TLError, error
from tlcourse.language.names import near_name

Config = Mapping[str, object]


def not_tuned(name: str) -> TLError:
    """TL453: there is no result of a tuner."""
    return error(
        "TL453",
        f"{name} was not tuned",
        why="a kernel that @tilelang.autotune chose knows its time and its configuration",
        fix="write @tilelang.autotune(configs=..) above @tilelang.jit and call the function",
    )


def unknown_keys(name: str, config: Config, unused: Sequence[str], known: list[str]) -> TLError:
    """TL450: a configuration names something that the function does not take."""
    return error(
        "TL450",
        f"{name} has no parameter {', '.join(unused)}, which the configuration {shown(config)} "
        "sets",
        why=f"its parameters are {', '.join(known) or 'none'}",
        fix=f"{near_name(unused[0], known)}name parameters of {name} in every configuration",
    )


def no_configs(name: str, got: object) -> TLError:
    """TL451: there is nothing to try."""
    what = "there is no configuration" if not got else f"configs is {type(got).__name__}"
    return error(
        "TL451",
        f"{name} cannot be tuned: {what}",
        why="configs is a list of dictionaries, or a function that returns one",
        fix='write configs=[{"block_M": 64}, {"block_M": 128}]',
    )


def none_works(name: str, failures: Sequence[tuple[Config, str]]) -> TLError:
    """TL452: every configuration failed; the reasons stand beside them."""
    width = max(len(shown(config)) for config, _ in failures)
    rows = [f"    {shown(config):<{width}}  {reason}" for config, reason in failures]
    return error(
        "TL452",
        f"none of the {len(failures)} configurations of {name} compiles, runs and is right",
        why="\n".join(["what happened to each:", *rows]),
        fix="mend the first one alone: call the function with its values",
    )


def timed_out(seconds: float) -> TLError:
    """TL454: one configuration takes too long."""
    return error(
        "TL454",
        f"not done after {seconds:g} s",
        why="each configuration has this time to run, to be checked and to be timed",
        fix="tune on smaller tensors, or give more time: @tilelang.autotune(timeout=..)",
    )


def misplaced(what: str, fix: str) -> TLError:
    """TL432: a decorator stands above something else than it decorates."""
    return error(
        "TL432",
        what,
        why="@tilelang.autotune stands above @tilelang.jit, which stands above a function "
        "that returns a T.prim_func",
        fix=fix,
    )


def already_given(name: str, given: Iterable[str]) -> Diagnostic:
    """TL455: the call names what should be tuned."""
    return Diagnostic(
        code="TL455",
        severity="warning",
        what=f"{name} is not tuned: the call gives {', '.join(given)}",
        why="a configuration would set it to something else",
        fix=f"leave it out to tune {name}",
    )


def shown(config: Config) -> str:
    """A configuration as a learner would write it."""
    return ", ".join(f"{name}={value!r}" for name, value in config.items()) or "(empty)"


def reason_of(problem: BaseException) -> str:
    """Why a configuration failed, on one line."""
    if isinstance(problem, TLError):
        return f"{problem.code}  {problem.diagnostic.what}"
    return f"{type(problem).__name__}: {' '.join(str(problem).split())}"
