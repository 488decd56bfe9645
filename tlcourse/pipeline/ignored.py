"""Switches that are given and reach no pass, since the back half that compiles has none for it."""

from __future__ import annotations

from collections.abc import Mapping

from tlcourse.diagnostics import Diagnostic
from tlcourse.pipeline.options import SWAP, SWITCHES, PassOptions, Switch
from tlcourse.records import Backend


def ignored_switches(configs: Mapping[str, str], backend: Backend) -> tuple[Diagnostic, ...]:
    """A warning (TL326) for each switch in `pass_configs` that has no effect on this compile.

    Args:
        configs: names and values.
        backend: what compiles; the passes in `tlcourse.swap` are the other one's.
    """
    swap = PassOptions().with_configs(configs).swap
    return tuple(
        _warning(switch, configs[switch.config], backend)
        for switch in SWITCHES
        if switch.config in configs
        and switch.read(configs[switch.config]) != switch.embedded_value
        and _only_ours_run(switch, backend, swap)
    )


def _only_ours_run(switch: Switch, backend: Backend, swap: tuple[str, ...]) -> bool:
    """Whether the embedded passes do the work of the real ones that follow the switch."""
    exchanged = any(name in swap for name in switch.real_only)
    return bool(switch.real_only) and exchanged is (backend == "bishengir")


def _warning(switch: Switch, value: str, backend: Backend) -> Diagnostic:
    names = " or ".join(switch.real_only)
    away = 'compile with backend="bishengir"' if backend == "embedded" else f"leave {SWAP} alone"
    return Diagnostic(
        code="TL326",
        severity="warning",
        what=f"pass_configs: {switch.config} = {value} has no effect on this compile",
        why=f"only the real compiler follows it, in its {names}; the embedded passes do as with "
        f"{str(switch.embedded_value).lower()}",
        fix=f"{away}, or leave the switch out",
    )
