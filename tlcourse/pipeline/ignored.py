"""The switches of a compile, and those that reach no pass of the back half that compiles."""

from __future__ import annotations

from collections.abc import Mapping

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import Diagnostic
from tlcourse.live import SwitchState
from tlcourse.pipeline.exchange import idle_swaps
from tlcourse.pipeline.options import SWAP, SWITCHES, PassOptions, Switch
from tlcourse.pipeline.order import Setting
from tlcourse.records import Backend, Mode


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


def switch_states(configs: Mapping[str, str], backend: Backend) -> tuple[SwitchState, ...]:
    """Every switch with its value under `pass_configs`; arguments as `ignored_switches`."""
    options = PassOptions().with_configs(configs)
    return tuple(
        SwitchState(
            name=switch.upstream or switch.config,
            config=switch.config,
            value=switch.written(getattr(options, switch.option)),
            usual=switch.usual,
            is_followed=not _only_ours_run(switch, backend, options.swap),
        )
        for switch in SWITCHES
    )


def idle_exchanges(configs: Mapping[str, str], mode: Mode) -> tuple[Diagnostic, ...]:
    """A warning (TL326) for each pass in `tlcourse.swap` that this compile does not run.

    Args:
        configs: names and values.
        mode: how the kernel is written.
    """
    options = PassOptions().with_configs(configs)
    if not options.swap:
        return ()
    names = idle_swaps(Setting(mode=mode, chip=DEFAULT_CHIP, options=options))
    return tuple(_idle(name, mode) for name in names)


def _idle(name: str, mode: Mode) -> Diagnostic:
    return Diagnostic(
        code="TL326",
        severity="warning",
        what=f"{SWAP}: {name} is exchanged for nothing, as this compile does not run it",
        why=f"in {mode} mode, with these switches, it is no part of the pipeline",
        fix=f"leave {name} out, or set the switch that brings it in: docs/passes.md lists both",
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
