"""The order of passes, one table per phase. A pass that one mode alone needs says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.passes import ModulePass

from tlcourse.chips import Chip
from tlcourse.passes.npuir.annotation_lowering import AnnotationLoweringPass
from tlcourse.passes.npuir.canonicalize_ext import CanonicalizeExtPass
from tlcourse.passes.npuir.canonicalize_module import CanonicalizeModulePass
from tlcourse.passes.npuir.convert_to_hivm_op import ConvertToHivmOpPass
from tlcourse.passes.npuir.cse import CsePass
from tlcourse.passes.npuir.hivm_add_ffts_to_syncblocksetop import HivmAddFftsToSyncBlockSetOpPass
from tlcourse.passes.npuir.hivm_alloc_extra_buffer import HivmAllocExtraBufferPass
from tlcourse.passes.npuir.hivm_bind_sub_block import HivmBindSubBlockPass
from tlcourse.passes.npuir.hivm_bind_workspace_arg import HivmBindWorkspaceArgPass
from tlcourse.passes.npuir.hivm_cross_core_gss import HivmCrossCoreGSSPass
from tlcourse.passes.npuir.hivm_enable_multi_buffer import HivmEnableMultiBufferPass
from tlcourse.passes.npuir.hivm_enable_stride_align import HivmEnableStrideAlignPass
from tlcourse.passes.npuir.hivm_flatten_ops import HivmFlattenOpsPass
from tlcourse.passes.npuir.hivm_graph_sync_solver import HivmGraphSyncSolverPass
from tlcourse.passes.npuir.hivm_infer_data_layout import HivmInferDataLayoutPass
from tlcourse.passes.npuir.hivm_infer_mem_scope import HivmInferMemScopePass
from tlcourse.passes.npuir.hivm_init_entry_kernel import HivmInitEntryKernelPass
from tlcourse.passes.npuir.hivm_inline_fixpipe import HivmInlineFixpipePass
from tlcourse.passes.npuir.hivm_insert_infer_funcs import (
    InsertInferTaskTypeFuncPass,
    InsertInferWorkspaceSizeFuncPass,
)
from tlcourse.passes.npuir.hivm_insert_load_store_for_mix_cv import HivmInsertLoadStoreForMixCVPass
from tlcourse.passes.npuir.hivm_mark_multi_buffer import HivmMarkMultiBufferPass
from tlcourse.passes.npuir.hivm_mark_real_core_type import HivmMarkRealCoreTypePass
from tlcourse.passes.npuir.hivm_normalize_matmul import HivmNormalizeMatmulPass
from tlcourse.passes.npuir.hivm_plan_memory import HivmPlanMemoryPass
from tlcourse.passes.npuir.hivm_split_mix_kernel import HivmSplitMixKernelPass
from tlcourse.passes.npuir.insert_workspace_for_mix_cv import InsertWorkSpaceForMixCVPass
from tlcourse.passes.npuir.lower_memref_ext import LowerMemRefExtPass
from tlcourse.passes.npuir.one_shot_bufferize import OneShotBufferizePass
from tlcourse.passes.npuir.plan_workspace import PlanWorkspacePass
from tlcourse.passes.npuir.triton_global_kernel_args_to_hivm_op import (
    TritonGlobalKernelArgsToHivmOpPass,
)
from tlcourse.passes.tir.bind_target import BindTargetPass
from tlcourse.passes.tir.legalize_npuir_bf16 import LegalizeNpuirBF16Pass
from tlcourse.passes.tir.lower_npuir_block import LowerNpuirBlockPass
from tlcourse.passes.tir.lower_opaque_block import LowerOpaqueBlockPass
from tlcourse.passes.tir.npu_loop_vectorize import NpuLoopVectorizePass
from tlcourse.passes.tir.plan_and_update_buffer_allocation_location import (
    PlanAndUpdateBufferAllocationLocationPass,
)
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass
from tlcourse.pipeline.options import PassOptions
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
    """One entry of a table: a pass, and when it runs."""

    make: MakePass
    modes: tuple[Mode, ...] = ("Developer", "Expert")
    option: str = ""

    def runs(self, setting: Setting) -> bool:
        """Whether the pass is part of a compile."""
        wanted = not self.option or bool(getattr(setting.options, self.option))
        return wanted and setting.mode in self.modes


def _step(kind: Callable[[], ModulePass], option: str = "") -> Step:
    return Step(make=lambda setting: kind(), option=option)


def _developer(kind: Callable[[], ModulePass], option: str = "") -> Step:
    return Step(make=lambda setting: kind(), modes=("Developer",), option=option)


TIR_PASSES: tuple[Step, ...] = (
    _step(BindTargetPass),
    _step(SimplifyPass),
    _step(RemoveNoOpPass),
    _step(NpuLoopVectorizePass),
    _step(LegalizeNpuirBF16Pass),
    _step(PlanAndUpdateBufferAllocationLocationPass, "plan_buffer_location"),
    _step(LowerOpaqueBlockPass),
    _step(LowerNpuirBlockPass),
    _step(RemoveNoOpPass),
)

NPUIR_PASSES: tuple[Step, ...] = (
    _step(CanonicalizeModulePass),
    _step(TritonGlobalKernelArgsToHivmOpPass),
    _step(ConvertToHivmOpPass),
    _step(HivmInitEntryKernelPass),
    # Developer: one function on tensors becomes one function per kind of core on buffers.
    _developer(HivmNormalizeMatmulPass),
    _developer(HivmInlineFixpipePass),
    _developer(HivmInsertLoadStoreForMixCVPass),
    _developer(InsertWorkSpaceForMixCVPass),
    _developer(HivmBindWorkspaceArgPass),
    _developer(PlanWorkspacePass),
    _developer(HivmMarkRealCoreTypePass),
    _developer(HivmCrossCoreGSSPass, "inject_block_sync"),
    _developer(InsertInferWorkspaceSizeFuncPass),
    _developer(InsertInferTaskTypeFuncPass),
    _developer(HivmSplitMixKernelPass),
    _developer(HivmBindSubBlockPass, "bind_sub_block"),
    _developer(OneShotBufferizePass),
    _developer(CanonicalizeExtPass),
    # Both modes meet here: buffers, one or two functions.
    _step(HivmInferMemScopePass),
    _step(HivmEnableStrideAlignPass),
    _step(HivmInferDataLayoutPass),
    _step(CanonicalizeExtPass),
    _step(HivmFlattenOpsPass),
    _step(HivmAllocExtraBufferPass),
    _step(CsePass),
    _step(HivmMarkMultiBufferPass, "auto_multi_buffer"),
    Step(make=lambda setting: HivmPlanMemoryPass(setting.chip.name)),
    Step(make=lambda setting: HivmGraphSyncSolverPass(setting.chip.name), option="inject_sync"),
    _developer(LowerMemRefExtPass),
    _step(HivmAddFftsToSyncBlockSetOpPass),
    _step(HivmEnableMultiBufferPass),
    _step(AnnotationLoweringPass),
    _step(CsePass),
    _step(CanonicalizeExtPass),
)
