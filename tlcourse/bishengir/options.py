"""Options of the real compiler and the pipeline text that they make."""

from __future__ import annotations

from dataclasses import dataclass

from tlcourse.records import Mode

# The release whose output formats hivmc reads; the options of the pipeline follow it.
_HIVMC_VERSION = "1.2.0"


@dataclass(frozen=True, kw_only=True)
class BishengOptions:
    """What the back half of the compiler may do on its own.

    Args:
        auto_blockify_loop: start one block a core, which does the work of several. In
            Developer mode bishengir-opt 1.2.0 aborts with it: it nests the pass wrongly.
        auto_multi_buffer: keep several copies of a tile, so that loads overlap with work.
        auto_inject_sync: insert the flags and barriers inside a core.
        auto_inject_block_sync: insert the flags between cores (Developer mode).
        bind_sub_block: share a block's vector work between its two vector cores (Developer).
        cv_pipelining: let cube and vector cores work on several iterations of a loop at a time
            (Developer mode); off, workspace tiles have one copy.
        graph_sync_solver: the newer of the two solvers that place flags inside a core.
        unit_flag_sync: let the cube core and FIX pipe hand over by unit flags.
        barrier_all: a barrier over all pipes after each op instead of flags.
        workspace_multibuffer: copies of a tile that the cores hand over in (Developer mode).
        tile_mix_cube_loop: parts that cv-pipelining's cube loops are cut into (Developer mode).
        tile_mix_vector_loop: the same of its vector loops.
    """

    auto_blockify_loop: bool = False
    auto_multi_buffer: bool = True
    auto_inject_sync: bool = True
    auto_inject_block_sync: bool = True
    bind_sub_block: bool = True
    cv_pipelining: bool = True
    graph_sync_solver: bool = True
    unit_flag_sync: bool = False
    barrier_all: bool = False
    workspace_multibuffer: int = 4
    tile_mix_cube_loop: int = 2
    tile_mix_vector_loop: int = 2


def pipeline_text(mode: Mode, options: BishengOptions, chip_name: str) -> str:
    """The nested pipeline from code generation's MLIR to library calls.

    Source: the passes that bishengir-compile 1.2.0 builds for the flags that tilelang gives it.
    """
    return (
        "builtin.module(canonicalize-module,"
        f"hacc-append-device-spec{{target={chip_name}}},"
        "func.func(triton-global-kernel-args-to-hivm-op),"
        "convert-tensor-to-hivm,convert-to-hivm-op,"
        f"optimize-hivm-pipeline{{{_switches(mode, options)}}})"
    )


def _switches(mode: Mode, options: BishengOptions) -> str:
    always = {
        "enable-triton-kernel-compile": True,
        "enable-auto-multi-buffer": options.auto_multi_buffer,
        "disable-hivm-auto-inject-sync": not options.auto_inject_sync,
    }
    # Named only where they leave the compiler's own default.
    rare = {
        "enable-auto-blockify-loop": options.auto_blockify_loop,
        "disable-hivm-tensor-compile": mode == "Expert",
        "disable-auto-inject-block-sync": not options.auto_inject_block_sync,
        "limit-auto-multi-buffer-only-for-local-buffer": not options.cv_pipelining,
        "enable-hivm-unit-flag-sync": options.unit_flag_sync,
        "enable-hivm-inject-barrier-all-sync": options.barrier_all,
    }
    off = {
        "enable-auto-bind-sub-block": options.bind_sub_block,
        "enable-hivm-graph-sync-solver": options.graph_sync_solver,
    }
    numbers = {
        "set-workspace-multibuffer": (options.workspace_multibuffer, 4),
        "tile-mix-cube-loop": (options.tile_mix_cube_loop, 2),
        "tile-mix-vector-loop": (options.tile_mix_vector_loop, 2),
    }
    words = [f"{name}={str(on).lower()}" for name, on in always.items()]
    words += [f"{name}=true" for name, on in rare.items() if on]
    words += [f"{name}=false" for name, on in off.items() if not on]
    words += [f"{name}={count}" for name, (count, usual) in numbers.items() if count != usual]
    return " ".join([*words, f"hivmc-version={_HIVMC_VERSION}"])
