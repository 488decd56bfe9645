"""`tilelang.PassConfigKey` and `pass_configs`: upstream's names of pass options."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from enum import StrEnum
from typing import cast

from tlcourse.config import NO, YES
from tlcourse.diagnostics import Diagnostic, TLError, error
from tlcourse.jit.report import warn
from tlcourse.pipeline.exchange import check_swap
from tlcourse.pipeline.options import SWAP, SWITCHES, PassOptions


class PassConfigKey(StrEnum):
    """Upstream's keys of `pass_configs`. Those in EFFECTIVE reach the passes; others are accepted.

    Further switches of the compiler have keys too, see `tlcourse.pipeline.options.SWITCHES`.

    Source: upstream's `tilelang/transform/pass_config.py`.
    """

    TL_SIMPLIFY = "tl.Simplify"
    TL_DYNAMIC_ALIGNMENT = "tl.dynamic_alignment"
    TL_DISABLE_DYNAMIC_TAIL_SPLIT = "tl.disable_dynamic_tail_split"
    TL_DISABLE_WARP_SPECIALIZED = "tl.disable_warp_specialized"
    TL_CONFIG_INDEX_BITWIDTH = "tl.config_index_bitwidth"
    TL_DISABLE_TMA_LOWER = "tl.disable_tma_lower"
    TL_DISABLE_SAFE_MEMORY_ACCESS = "tl.disable_safe_memory_legalize"
    TL_DEBUG_MERGE_SHARED_MEMORY_ALLOCATIONS = "tl.debug_merge_shared_memory_allocations"
    TL_ENABLE_PLAN_AND_UPDATE_BUFFER_ALLOCATION = "tl.enable_plan_and_update_buffer_allocation"
    NPUIR_ENABLE_AUTO_MULTI_BUFFER = "npuir.enable_auto_multi_buffer"
    NPUIR_DISABLE_HIVM_AUTO_INJECT_SYNC = "npuir.disable_hivm_auto_inject_sync"
    TIR_ENABLE_EQUIV_TERMS_IN_CSE = "tir.enable_equiv_terms_in_cse_tir"
    TIR_DISABLE_CSE = "tir.disable_cse_tir"
    TIR_SIMPLIFY = "tir.Simplify"
    TIR_DISABLE_STORAGE_REWRITE = "tir.disable_storage_rewrite"
    TIR_DISABLE_VECTORIZE = "tir.disable_vectorize"
    TIR_USE_ASYNC_COPY = "tir.use_async_copy"
    TIR_ENABLE_DEBUG = "tir.enable_debug"
    TIR_MERGE_STATIC_SMEM = "tir.merge_static_smem"
    TIR_ADD_LOWER_PASS = "tir.add_lower_pass"
    TIR_NOALIAS = "tir.noalias"
    CUDA_KERNELS_OUTPUT_DIR = "cuda.kernels_output_dir"


_SWITCHES = {switch.config: switch for switch in SWITCHES}
EFFECTIVE = frozenset(_SWITCHES)
"""Keys that change what passes do here, as on the NPU."""


def normal_pass_configs(configs: Mapping[str, object] | None) -> dict[str, str]:
    """`pass_configs` as texts, by upstream's names. An unknown name is warned of (TL430).

    Args:
        configs: names or members of PassConfigKey, with their values.

    Raises:
        TL325: a pass that cannot be exchanged is named in `tlcourse.swap`.
        TL431: an option that has an effect has a value without meaning, or it is no dictionary.
    """
    if configs is None:
        return {}
    if not isinstance(cast(object, configs), Mapping):
        raise _no_mapping(configs)
    found = {str(name): value for name, value in configs.items()}
    known = [*dict.fromkeys([*(key.value for key in PassConfigKey), *_SWITCHES, SWAP])]
    check_swap(PassOptions().with_configs({SWAP: found.get(SWAP, "")}).swap)
    warn([_unknown(name, known) for name in found if name not in known], {})
    return {name: _text(name, value) for name, value in found.items()}


def _text(name: str, value: object) -> str:
    switch = _SWITCHES.get(name)
    text = str(value).strip()
    if switch is None:
        return str(value)
    if switch.is_number:
        if not text.isdecimal() or int(text) < 1:
            raise _no_value(name, value, "a number from 1 on", "2")
        return str(int(text))
    if text.lower() not in YES + NO:
        raise _no_value(name, value, "on or off", "True")
    return str(text.lower() in YES)


def _no_value(name: str, value: object, wanted: str, example: str) -> TLError:
    return error(
        "TL431",
        f"pass_configs: {name} is {value!r}, not {wanted}",
        why="this option switches a pass",
        fix=f'write pass_configs={{"{name}": {example}}}',
    )


def _unknown(name: str, known: list[str]) -> Diagnostic:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return Diagnostic(
        code="TL430",
        severity="warning",
        what=f'pass_configs: no pass knows "{name}", it has no effect',
        why="options have the names that tilelang.PassConfigKey lists",
        fix=f'did you mean "{near[0]}"?' if near else "leave it out",
    )


def _no_mapping(configs: object) -> TLError:
    return error(
        "TL431",
        f"pass_configs is a {type(configs).__name__}, not a dictionary",
        why="each option has a name and a value",
        fix='write pass_configs={"npuir.enable_auto_multi_buffer": False}',
    )
