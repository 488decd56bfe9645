"""The order of passes, one table per phase. A pass that one mode alone needs says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.passes import ModulePass

from tlcourse.chips import Chip
from tlcourse.pipeline.options import PassOptions
from tlcourse.pipeline.registry import make_pass, passes
from tlcourse.records import Mode


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What decides which passes run, and how."""

    mode: Mode
    chip: Chip
    options: PassOptions


MakePass = Callable[[Setting], ModulePass]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One entry of a table: a pass, and when it runs.

    Args:
        make: makes the pass.
        modes: the modes that need it.
        option: options that must be on, with `!` before it off; several are set apart by blanks.
    """

    make: MakePass
    modes: tuple[Mode, ...] = ("Developer", "Expert")
    option: str = ""

    def runs(self, setting: Setting) -> bool:
        """Whether the pass is part of a compile."""
        return setting.mode in self.modes and all(
            getattr(setting.options, name.removeprefix("!")) is not name.startswith("!")
            for name in self.option.split()
        )


def _step(name: str, option: str = "", **fields: object) -> Step:
    return Step(make=lambda setting: _made(name, setting, fields), option=option)


def _developer(name: str, option: str = "", **fields: object) -> Step:
    return replace(_step(name, option, **fields), modes=("Developer",))


def _made(name: str, setting: Setting, fields: dict[str, object]) -> ModulePass:
    """A pass with the values of its fields; what depends on the chip learns which it is."""
    if "chip" in passes()[name].options:
        fields = {"chip": setting.chip.name, **fields}
    if "set-workspace-multibuffer" in passes()[name].options:
        fields = {"set_workspace_multibuffer": setting.options.workspace_multibuffer, **fields}
    return make_pass(name, fields)


TIR_PASSES: tuple[Step, ...] = (
    _step("BindTarget"),
    _step("Simplify"),
    _step("RemoveNoOp"),
    _step("NpuLoopVectorize"),
    _step("LegalizeNpuirBF16"),
    _step("PlanAndUpdateBufferAllocationLocation", "plan_buffer_location"),
    _step("LowerOpaqueBlock"),
    _step("LowerNpuirBlock"),
    _step("RemoveNoOp"),
)

NPUIR_PASSES: tuple[Step, ...] = (
    _step("canonicalize-module"),
    _step("triton-global-kernel-args-to-hivm-op"),
    _step("convert-to-hivm-op"),
    _step("hivm-init-entry-kernel"),
    # Developer: one function on tensors becomes one function per kind of core on buffers.
    _developer("hivm-normalize-matmul"),
    _developer("hivm-inline-fixpipe"),
    _developer("hivm-insert-load-store-for-mix-cv"),
    _developer("insert-workspace-for-mix-cv"),
    _developer("hivm-bind-workspace-arg"),
    _step("auto-blockify-parallel-loop", "auto_blockify_loop"),
    _developer("hivm-mark-multi-buffer", "auto_multi_buffer cv_pipelining"),
    _developer("cv-pipelining", "auto_multi_buffer cv_pipelining"),
    _developer("hivm-plan-memory", mem_plan_mode="global-work-space-plan"),
    _developer("hivm-mark-real-core-type"),
    _developer("hivm-cross-core-gss", "inject_block_sync"),
    _developer("hivm-insert-infer-workspace-size-func"),
    _developer("hivm-insert-infer-task-type-func"),
    _developer("hivm-split-mix-kernel"),
    _developer("scf-canonicalize-iter-arg"),
    _developer("hivm-bind-sub-block", "bind_sub_block"),
    _developer("one-shot-bufferize"),
    _developer("canonicalize-ext"),
    # Both modes meet here: buffers, one or two functions.
    _step("hivm-infer-mem-scope"),
    _step("hivm-aggregated-decompose-op"),
    _step("hivm-enable-stride-align"),
    _step("hivm-constantize-buffer-size"),
    _step("hivm-infer-data-layout"),
    _step("canonicalize-ext"),
    _step("hivm-flatten-ops"),
    _step("hivm-alloc-extra-buffer"),
    _step("hivm-infer-mem-scope"),
    _step("cse"),
    _step("hivm-mark-multi-buffer", "auto_multi_buffer"),
    _step("hivm-plan-memory"),
    _step("hivm-graph-sync-solver", "inject_sync graph_sync_solver !barrier_all"),
    _step("hivm-inject-sync", "inject_sync !graph_sync_solver !barrier_all"),
    _step("hivm-inject-sync", "inject_sync barrier_all", sync_mode="barrier-all"),
    _developer("lower-memref-ext"),
    _step("hivm-add-ffts-to-syncblocksetop"),
    _step("hivm-enable-multi-buffer"),
    _step("annotation-lowering"),
    _step("cse"),
    _step("canonicalize-ext"),
)
