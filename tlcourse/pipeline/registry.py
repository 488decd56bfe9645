"""All passes by upstream's name: the one table behind the order of passes, `opt` and the docs.

A new pass needs one row in `_FILES`; the fields of its class are its options.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from functools import cache, cached_property
from typing import Literal, TypeGuard, cast, get_type_hints

from xdsl.passes import ModulePass

from tlcourse.diagnostics import TLError, error
from tlcourse.pipeline.pipeline_text import PassText, parse_pipeline

Level = Literal["tir", "npuir", "mlir"]

# Every pass and its file. Files are loaded when a pass is asked for.
_FILES: dict[Level, dict[str, str]] = {
    "tir": {
        "BindTarget": "bind_target",
        "LegalizeNpuirBF16": "legalize_npuir_bf16",
        "LowerNpuirBlock": "lower_npuir_block",
        "LowerOpaqueBlock": "lower_opaque_block",
        "NpuLoopVectorize": "npu_loop_vectorize",
        "PlanAndUpdateBufferAllocationLocation": "plan_and_update_buffer_allocation_location",
        "RemoveNoOp": "remove_no_op",
        "Simplify": "simplify",
    },
    "npuir": {
        "annotation-lowering": "annotation_lowering",
        "auto-blockify-parallel-loop": "auto_blockify_parallel_loop",
        "canonicalize-ext": "canonicalize_ext",
        "canonicalize-module": "canonicalize_module",
        "convert-hfusion-to-hivm": "convert_hfusion_to_hivm",
        "convert-to-hivm-op": "convert_to_hivm_op",
        "cse": "cse",
        "cv-pipelining": "cv_pipelining",
        "hfusion-flatten-ops": "hfusion_flatten_ops",
        "hfusion-fuse-ops": "hfusion_fuse_ops",
        "hivm-add-ffts-to-syncblocksetop": "hivm_add_ffts_to_syncblocksetop",
        "hivm-aggregated-decompose-op": "hivm_aggregated_decompose_op",
        "hivm-alloc-extra-buffer": "hivm_alloc_extra_buffer",
        "hivm-bind-sub-block": "hivm_bind_sub_block",
        "hivm-bind-workspace-arg": "hivm_bind_workspace_arg",
        "hivm-constantize-buffer-size": "hivm_constantize_buffer_size",
        "hivm-cross-core-gss": "hivm_cross_core_gss",
        "hivm-enable-multi-buffer": "hivm_enable_multi_buffer",
        "hivm-enable-stride-align": "hivm_enable_stride_align",
        "hivm-flatten-ops": "hivm_flatten_ops",
        "hivm-graph-sync-solver": "hivm_graph_sync_solver",
        "hivm-infer-data-layout": "hivm_infer_data_layout",
        "hivm-infer-mem-scope": "hivm_infer_mem_scope",
        "hivm-init-entry-kernel": "hivm_init_entry_kernel",
        "hivm-inject-sync": "hivm_inject_sync",
        "hivm-inline-fixpipe": "hivm_inline_fixpipe",
        "hivm-insert-infer-task-type-func": "hivm_insert_infer_funcs",
        "hivm-insert-infer-workspace-size-func": "hivm_insert_infer_funcs",
        "hivm-insert-load-store-for-mix-cv": "hivm_insert_load_store_for_mix_cv",
        "hivm-mark-multi-buffer": "hivm_mark_multi_buffer",
        "hivm-mark-real-core-type": "hivm_mark_real_core_type",
        "hivm-normalize-matmul": "hivm_normalize_matmul",
        "hivm-plan-memory": "hivm_plan_memory",
        "hivm-split-mix-kernel": "hivm_split_mix_kernel",
        "insert-workspace-for-mix-cv": "insert_workspace_for_mix_cv",
        "lower-memref-ext": "lower_memref_ext",
        "one-shot-bufferize": "one_shot_bufferize",
        "scf-canonicalize-iter-arg": "scf_canonicalize_iter_arg",
        "triton-global-kernel-args-to-hivm-op": "triton_global_kernel_args_to_hivm_op",
    },
    "mlir": {
        "buffer-results-to-out-params": "buffer_results_to_out_params",
        "convert-to-llvm": "convert_to_llvm",
        "linalg-fuse-elementwise-ops": "linalg_fuse_elementwise_ops",
        "tosa-to-arith": "tosa_to_arith",
        "tosa-to-linalg": "tosa_to_linalg",
        "tosa-to-linalg-named": "tosa_to_linalg_named",
    },
}
_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One pass.

    Args:
        name: upstream's name.
        level: what it works on: Tile IR, AscendNPU IR, or MLIR's own dialects.
        file: the file in passes/<level> that holds it.
    """

    name: str
    level: Level
    file: str

    @cached_property
    def kind(self) -> type[ModulePass]:
        """Its class; the fields of the class are the options of the pass."""
        module = importlib.import_module(f"tlcourse.passes.{self.level}.{self.file}")
        kinds = [value for value in vars(module).values() if _is_pass(value)]
        return next(kind for kind in kinds if kind.name == self.name)

    @property
    def summary(self) -> str:
        """What the pass does, one line of its documentation."""
        text = inspect.cleandoc(self.kind.__doc__ or "")
        return " ".join(text.split("\n\n")[0].split())

    @property
    def options(self) -> dict[str, str]:
        """The options in upstream's spelling, with their defaults."""
        return {_spelled(one.name): _shown(one.default) for one in _fields(self.kind)}


@cache
def passes() -> Mapping[str, Entry]:
    """Every pass of this package by its name, those on Tile IR first."""
    return {
        name: Entry(name=name, level=level, file=file)
        for level, files in _FILES.items()
        for name, file in files.items()
    }


def _is_pass(value: object) -> TypeGuard[type[ModulePass]]:
    return inspect.isclass(value) and issubclass(value, ModulePass) and "name" in vars(value)


def make_pass(name: str, options: Mapping[str, object] | None = None) -> ModulePass:
    """A pass of this package, with the values of its fields."""
    return passes()[name].kind(**dict(options or {}))


def read_passes(text: str) -> tuple[ModulePass, ...]:
    """The passes of a pipeline, ready to run.

    A name that is not ours may be one of xDSL's own passes, such as `convert-scf-to-cf`.

    Args:
        text: a pipeline as `parse_pipeline` takes it.

    Raises:
        TL320: no pass has this name.
        TL321: the text is not a pipeline, or an option is wrong.
    """
    return tuple(_made(one) for one in parse_pipeline(text))


def _made(one: PassText) -> ModulePass:
    kind = passes()[one.name].kind if one.name in passes() else _of_xdsl(one.name)
    if kind is None:
        raise _unknown(one)
    known = {_spelled(own.name): own.name for own in _fields(kind)}
    hints = cast("dict[str, object]", get_type_hints(kind))
    values: dict[str, object] = {}
    for key, text in one.options.items():
        if _spelled(key) not in known:
            raise _no_option(one, key, known)
        field = known[_spelled(key)]
        values[field] = converted(one, key, text, hints[field])
    try:
        return kind(**values)
    except (TypeError, ValueError) as problem:  # an option that must be given, a value refused
        raise _wrong(one, f"{one.name} does not take these options", str(problem)) from problem


def _of_xdsl(name: str) -> type[ModulePass] | None:
    from xdsl.transforms import get_all_passes

    found = get_all_passes().get(name)
    return found() if found is not None else None


def converted(one: PassText, key: str, text: str, hint: object) -> object:
    """The text of an option as its field's type has it.

    Args:
        one: the pass as written, for the error.
        key: the option.
        text: its value as written.
        hint: the field's type.

    Raises:
        TL321: the text is no value of that type.
    """
    words = str(hint)
    try:
        if hint is bool or words.startswith("bool"):
            return _SWITCHES[text.lower()]
        if hint is int or words.startswith("int"):
            return int(text)
        if hint is float or words.startswith("float"):
            return float(text)
        if words.startswith("tuple[int"):
            return tuple(int(word) for word in text.split(","))
        return tuple(text.split(",")) if words.startswith("tuple") else text
    except (KeyError, ValueError) as problem:
        kind = getattr(hint, "__name__", words)
        what = f"{text!r} is no value for option {key} of {one.name}"
        raise _wrong(one, what, f"the option is of type {kind}") from problem


def _fields(kind: type[ModulePass]) -> tuple[Field[object], ...]:
    return tuple(one for one in fields(kind) if one.init)


def _spelled(field: str) -> str:
    return field.replace("_", "-")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown(one: PassText) -> TLError:
    near = get_close_matches(one.name, passes(), 1)
    return error(
        "TL320",
        f"There is no pass {one.name}",
        why="a pipeline takes the passes of this package, and xDSL's own",
        fix=f"write {near[0]}" if near else "see the list: tlcourse opt --list",
        labels=one.label("not a pass"),
        sources=one.sources(),
    )


def _no_option(one: PassText, key: str, known: Iterable[str]) -> TLError:
    names = ", ".join(known)
    why = f"its options are: {names}" if names else "it takes no options"
    return _wrong(one, f"{one.name} has no option {key}", why)


def _wrong(one: PassText, what: str, why: str) -> TLError:
    return error(
        "TL321",
        what,
        why=why,
        fix="see names, options and defaults: tlcourse opt --list",
        labels=one.label(),
        sources=one.sources(),
    )
