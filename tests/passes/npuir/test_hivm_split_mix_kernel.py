import pytest

from tlcourse.passes.npuir.hivm_split_mix_kernel import HivmSplitMixKernelPass

T = "tensor<64x64xf32>"
H = "tensor<64x32xf16>"
MODULE = f"""module {{
  func.func @k(%a: {H}, %b: tensor<32x64xf16>, %ws: memref<64x64xf32>, %gm: memref<64x64xf32>,
      %init: i1, %m: index, %kk: index, %c0: i32, %c4: i32, %c1: i32)
      attributes {{hivm.func_core_type = #hivm.func_core_type<MIX>}} {{
    %e = tensor.empty() : {T}
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> ({T}) : i32 {{
      %p = hivm.hir.mmadL1 ins(%a, %b, %init, %m, %kk, %m : {H}, tensor<32x64xf16>, i1, index,
        index, index) outs(%t : {T}) -> {T}
      scf.yield %p : {T}
    }}
    %w = bufferization.to_tensor %ws restrict writable : memref<64x64xf32>
    %f = hivm.hir.fixpipe ins(%r : {T}) outs(%w : {T}) -> {T}
    hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0
    hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0
    %l = hivm.hir.load ins(%f : {T}) outs(%e : {T}) core_type = <VECTOR> -> {T}
    %y = hivm.hir.vexp ins(%l : {T}) outs(%e : {T}) -> {T}
    hivm.hir.store ins(%y : {T}) outs(%gm : memref<64x64xf32>)
    return
  }}
}}
"""


def _functions(text: str) -> dict[str, str]:
    parts = text.split("func.func @")[1:]
    return {part.split("(")[0]: part for part in parts}


def test_each_function_keeps_its_own_work(run_passes) -> None:
    halves = _functions(run_passes(MODULE, HivmSplitMixKernelPass()))
    assert list(halves) == ["k_mix_aic", "k_mix_aiv"]
    cube, vector = halves["k_mix_aic"], halves["k_mix_aiv"]
    for kept, gone in ((cube, vector), (vector, cube)):
        assert "hivm.part_of_mix" in kept
        assert kept is not gone
    assert "func_core_type<AIC>" in cube
    assert "func_core_type<AIV>" in vector
    assert [name for name in ("mmadL1", "fixpipe", "block_set", "scf.for") if name in cube] == [
        "mmadL1",
        "fixpipe",
        "block_set",
        "scf.for",
    ]
    for name in ("vexp", "hir.load", "hir.store", "block_wait"):
        assert name in vector
        assert name not in cube
    for name in ("mmadL1", "fixpipe", "block_set", "scf.for"):
        assert name not in vector


def test_reader_on_the_other_core_reads_the_workspace(run_passes) -> None:
    vector = _functions(run_passes(MODULE, HivmSplitMixKernelPass()))["k_mix_aiv"]
    assert "hivm.hir.load ins(%w : " in vector


@pytest.mark.parametrize(("shown", "where"), [("%r", "aic"), ("%y", "aiv"), ("%e_part", "aiv")])
def test_tile_is_printed_by_the_core_that_makes_it(run_passes, shown: str, where: str) -> None:
    kind = f"{T}" if shown != "%e_part" else "tensor<16x64xf32>"
    text = MODULE.replace(
        "    hivm.hir.store",
        f"""    %e_part = tensor.extract_slice %y[0, 0] [16, 64] [1, 1] : {T} to tensor<16x64xf32>
    hivm.hir.debug {{debugtype = "print", prefix = "", hex = false}} {shown} : {kind}
    hivm.hir.store""",
    )
    halves = _functions(run_passes(text, HivmSplitMixKernelPass()))
    assert [name[-3:] for name, half in halves.items() if "debug" in half] == [where]


def test_number_is_printed_by_both_cores(run_passes) -> None:
    text = MODULE.replace(
        "    hivm.hir.store",
        """    hivm.hir.debug {debugtype = "print", prefix = "", hex = false} %c4 : i32
    hivm.hir.store""",
    )
    halves = _functions(run_passes(text, HivmSplitMixKernelPass()))
    assert all("debug" in half for half in halves.values())


def test_pure_kernel_is_left_alone(run_passes) -> None:
    text = MODULE.replace("<MIX>", "<AIV>")
    assert run_passes(text, HivmSplitMixKernelPass()) == run_passes(text)


SLICED = MODULE.replace(
    "hivm.hir.sync_block_set",
    f"""%part = tensor.extract_slice %f[0, 0] [16, 64] [1, 1] : {T} to tensor<16x64xf32>
    %small = tensor.empty() : tensor<16x64xf32>
    %part_l = hivm.hir.load ins(%part : tensor<16x64xf32>) outs(%small : tensor<16x64xf32>)
      core_type = <VECTOR> -> tensor<16x64xf32>
    hivm.hir.store ins(%part_l : tensor<16x64xf32>) outs(%gm_part : memref<16x64xf32>)
    hivm.hir.sync_block_set""",
).replace("%init: i1", "%gm_part: memref<16x64xf32>, %init: i1")


def test_a_tile_that_only_the_other_core_reads_in_parts_is_no_dead_one(run_passes) -> None:
    cube = _functions(run_passes(SLICED, HivmSplitMixKernelPass()))["k_mix_aic"]
    assert "extract_slice" not in cube
    assert "annotation.mark %f" in cube


def test_slices_with_a_mark_of_their_core_go_with_their_readers(run_passes) -> None:
    grown = "tensor<4x64x64xf32>"
    text = MODULE.replace(
        "hivm.hir.store",
        f"""%big = tensor.empty() : {grown}
    %in = tensor.insert_slice %y into %big[0, 0, 0] [1, 64, 64] [1, 1, 1]
      {{hivm.tcore_type = #hivm.tcore_type<VECTOR>}} : {T} into {grown}
    %out = tensor.extract_slice %in[0, 0, 0] [1, 64, 64] [1, 1, 1] : {grown} to {T}
    hivm.hir.store""",
    ).replace("ins(%y : tensor<64x64xf32>) outs(%gm", "ins(%out : tensor<64x64xf32>) outs(%gm")
    halves = _functions(run_passes(text, HivmSplitMixKernelPass()))
    assert "insert_slice" in halves["k_mix_aiv"]
    assert "insert_slice" not in halves["k_mix_aic"]
