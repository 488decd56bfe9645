"""The configurations of a tuned function: a list, or a function of the call that makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from tlcourse.jit.tuning.errors import Config, no_configs, unknown_keys

Configs = Sequence[Mapping[str, object]] | Callable[..., Sequence[Mapping[str, object]]]


def listed(
    name: str,
    configs: Configs,
    parameters: Iterable[str],
    args: tuple[object, ...] = (),
    kwargs: Mapping[str, object] | None = None,
) -> tuple[Config, ...]:
    """The configurations to try, in order, each once.

    Args:
        name: the function.
        configs: the list; or what makes it of the call's positional arguments, a tuple, and of
            its named ones, a sorted tuple of pairs.
        parameters: names that a configuration may set.
        args: positional arguments of the call.
        kwargs: arguments of the call by name.

    Raises:
        TL450: a configuration sets something else.
        TL451: there is none.
    """
    found = configs
    if callable(found):
        found = found(args, tuple(sorted((kwargs or {}).items())))
    if not isinstance(cast(object, found), Sequence) or not found:
        raise no_configs(name, cast(object, found))
    known, kept = list(parameters), list[Config]()
    for config in cast("Sequence[object]", found):
        if not isinstance(config, Mapping):
            raise no_configs(name, config)
        one = {str(key): value for key, value in cast("Config", config).items()}
        unused = [key for key in one if key not in known]
        if unused:
            raise unknown_keys(name, one, unused, known)
        if one not in kept:
            kept.append(one)
    return tuple(kept)
