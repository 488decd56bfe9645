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


def test_pure_kernel_is_left_alone(run_passes) -> None:
    text = MODULE.replace("<MIX>", "<AIV>")
    assert run_passes(text, HivmSplitMixKernelPass()) == run_passes(text)
