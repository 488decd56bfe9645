"""What the passes may do on their own: one table of switches, with upstream's names for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from tlcourse.bishengir import BishengOptions
from tlcourse.config import YES

SWAP = "tlcourse.swap"
"""The key in `pass_configs` of the passes that the other back half stands in for."""


@dataclass(frozen=True, kw_only=True)
class PassOptions:
    """What the passes may do on their own.

    Args:
        auto_blockify_loop: start one block a core, which does the work of several.
        auto_multi_buffer: give buffers that a loop refills a second copy.
        inject_sync: insert the flags and barriers inside a core.
        inject_block_sync: insert the flags between cores (Developer).
        bind_sub_block: share vector work between the two vector cores (Developer).
        cv_pipelining: let cube and vector cores work on several iterations of a loop at a time
            (Developer); it needs `auto_multi_buffer`.
        graph_sync_solver: the newer of the two passes that place flags inside a core.
        plan_buffer_location: move each buffer to the innermost place that holds its uses.
        workspace_multibuffer: copies of a tile that the cores hand over in (Developer).
        tile_mix_cube_loop: parts that a cube loop of cv-pipelining is cut into; real only.
        tile_mix_vector_loop: the same of a vector loop; real only.
        unit_flag_sync: mmadL1 and fixpipe hand over without an event; real only.
        barrier_all: a barrier over all pipes before each op instead of flags; slow and always
            right.
        swap: passes that the other back half stands in for, see `pipeline.exchange`.
    """

    auto_blockify_loop: bool = False
    auto_multi_buffer: bool = True
    inject_sync: bool = True
    inject_block_sync: bool = True
    bind_sub_block: bool = True
    cv_pipelining: bool = True
    graph_sync_solver: bool = True
    plan_buffer_location: bool = True
    workspace_multibuffer: int = 4
    tile_mix_cube_loop: int = 2
    tile_mix_vector_loop: int = 2
    unit_flag_sync: bool = False
    barrier_all: bool = False
    swap: tuple[str, ...] = ()

    def for_real_compiler(self) -> BishengOptions:
        """The same for the real compiler."""
        known = {one.name for one in fields(BishengOptions)}
        named = {_REAL_NAMES.get(one.name, one.name): one.name for one in fields(self)}
        return BishengOptions(
            **{real: getattr(self, ours) for real, ours in named.items() if real in known}
        )

    def with_configs(self, configs: Mapping[str, object]) -> PassOptions:
        """The options after `pass_configs`; keys without effect here are passed over."""
        changes: dict[str, bool | int] = {}
        for switch in SWITCHES:
            if switch.config in configs:
                changes[switch.option] = switch.read(str(configs[switch.config]))
        names = str(configs.get(SWAP, "")).replace(" ", "").split(",")
        swap = self.swap + tuple(name for name in names if name)
        return replace(self, swap=swap, **changes)


_REAL_NAMES = {"inject_sync": "auto_inject_sync", "inject_block_sync": "auto_inject_block_sync"}


@dataclass(frozen=True, kw_only=True)
class Switch:
    """One switch.

    Args:
        option: its field of PassOptions.
        upstream: the name that the real compiler has for it; empty for one of the TIR phase.
        config: its key in `pass_configs`.
        inverted: whether switching it on there switches the option off.
        real_only: the passes that follow it, where only those of the real compiler do.
        embedded_value: what the embedded passes do then whatever is asked for.
    """

    option: str
    upstream: str
    config: str
    inverted: bool = False
    real_only: tuple[str, ...] = ()
    embedded_value: bool | int = False

    @property
    def is_number(self) -> bool:
        """Whether it takes a number, at least 1, instead of on and off."""
        return type(getattr(PassOptions(), self.option)) is int

    @property
    def usual(self) -> str:
        """Its value in upstream's sense where nobody gives one."""
        return self.written(getattr(PassOptions(), self.option))

    def written(self, value: bool | int) -> str:
        """A value of the option in upstream's sense, as `read` takes it."""
        return str(value) if self.is_number else str(value is not self.inverted).lower()

    def read(self, text: str) -> bool | int:
        """The option that a value in upstream's sense gives."""
        if self.is_number:
            return int(text)
        return (text.strip().lower() in YES) is not self.inverted


def _of_compiler(option: str, upstream: str, *, inverted: bool = False) -> Switch:
    config = f"npuir.{upstream.replace('-', '_')}"
    return Switch(option=option, upstream=upstream, config=config, inverted=inverted)


_TILES = ("tile-cube-vector-loop",)
_SYNC = ("hivm-graph-sync-solver", "hivm-inject-sync")


SWITCHES: tuple[Switch, ...] = (
    _of_compiler("auto_multi_buffer", "enable-auto-multi-buffer"),
    _of_compiler("inject_sync", "disable-hivm-auto-inject-sync", inverted=True),
    _of_compiler("graph_sync_solver", "enable-hivm-graph-sync-solver"),
    _of_compiler("inject_block_sync", "disable-auto-inject-block-sync", inverted=True),
    _of_compiler("bind_sub_block", "enable-auto-bind-sub-block"),
    _of_compiler("cv_pipelining", "limit-auto-multi-buffer-only-for-local-buffer", inverted=True),
    _of_compiler("workspace_multibuffer", "set-workspace-multibuffer"),
    _of_compiler("auto_blockify_loop", "enable-auto-blockify-loop"),
    replace(
        _of_compiler("tile_mix_cube_loop", "tile-mix-cube-loop"), real_only=_TILES, embedded_value=1
    ),
    replace(
        _of_compiler("tile_mix_vector_loop", "tile-mix-vector-loop"),
        real_only=_TILES,
        embedded_value=1,
    ),
    replace(_of_compiler("unit_flag_sync", "enable-hivm-unit-flag-sync"), real_only=_SYNC),
    _of_compiler("barrier_all", "enable-hivm-inject-barrier-all-sync"),
    Switch(
        option="plan_buffer_location",
        upstream="",
        config="tl.enable_plan_and_update_buffer_allocation",
    ),
)
"""All switches; where upstream's tilelang has no key of its own, the compiler's name makes it."""


def configs_of(words: Iterable[str]) -> dict[str, str]:
    """`pass_configs` of words `name=value`; a name alone means `true`.

    Args:
        words: names as the real compiler has them, or keys of `pass_configs`.
    """
    keys = {switch.upstream: switch.config for switch in SWITCHES if switch.upstream}
    found: dict[str, str] = {}
    for word in words:
        name, _, value = word.removeprefix("--").partition("=")
        found[keys.get(name, name)] = value or "true"
    return found
