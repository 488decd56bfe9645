from tlcourse.passes.npuir.hivm_inline_fixpipe import HivmInlineFixpipePass

HEAD = """func.func @k(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %gm: memref<64x64xf32>,
    %gm16: memref<64x64xf16>, %init: i1, %m: index, %k: index, %c0: i32, %c8: i32, %c1: i32) {"""
LOOP = """%e = tensor.empty() : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %e) -> (tensor<64x64xf32>) : i32 {
      %p = hivm.hir.mmadL1 ins(%a, %b, %init, %m, %k, %m : tensor<64x32xf16>, tensor<32x64xf16>, i1,
        index, index, index) outs(%t : tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %p : tensor<64x64xf32>
    }"""
STORE = "hivm.hir.store ins(%r : tensor<64x64xf32>) outs(%gm : memref<64x64xf32>)"
EXP = """%o = tensor.empty() : tensor<64x64xf32>
    %y = hivm.hir.vexp ins(%r : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    hivm.hir.store ins(%y : tensor<64x64xf32>) outs(%gm : memref<64x64xf32>)"""
CAST = """%o = tensor.empty() : tensor<64x64xf16>
    %h = hivm.hir.vcast ins(%r : tensor<64x64xf32>) outs(%o : tensor<64x64xf16>) MODE
      -> tensor<64x64xf16>
    hivm.hir.store ins(%h : tensor<64x64xf16>) outs(%gm16 : memref<64x64xf16>)"""


def _module(*body: str) -> str:
    return f"module {{ {HEAD} {LOOP} {' '.join(body)} return }} }}"


def test_store_of_a_product_becomes_the_fixpipe(run_passes) -> None:
    text = run_passes(_module(STORE), HivmInlineFixpipePass())
    assert "hivm.hir.store" not in text
    assert "hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%r" in text
    assert "outs(%gm : memref<64x64xf32>)" in text


def test_vector_reader_gets_one_fixpipe_behind_the_loop(run_passes) -> None:
    text = run_passes(_module(STORE, EXP), HivmInlineFixpipePass())
    lines = [line.strip() for line in text.splitlines()]
    fixpipes = [line for line in lines if "hir.fixpipe" in line]
    assert len(fixpipes) == 1
    assert "-> tensor<64x64xf32>" in fixpipes[0]
    name = fixpipes[0].split(" = ")[0]
    assert any(line.startswith(f"hivm.hir.store ins({name} ") for line in lines)
    assert any(f"hivm.hir.vexp ins({name} " in line for line in lines)


def test_cast_to_f16_is_folded(run_passes) -> None:
    text = run_passes(_module(CAST.replace("MODE", "")), HivmInlineFixpipePass())
    assert "pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>" in text
    assert "outs(%gm16 : memref<64x64xf16>)" in text
    assert "hivm.hir.store" not in text
    assert "hivm.hir.vcast" not in text


def test_short_tile_is_cast_on_the_way_too(run_passes) -> None:
    body = """%o = tensor.empty() : tensor<64x64xf16>
    %h = hivm.hir.vcast ins(%r : tensor<64x64xf32>) outs(%o : tensor<64x64xf16>)
      -> tensor<64x64xf16>
    %s = tensor.extract_slice %h[0, 0] [%m, %k] [1, 1] : tensor<64x64xf16> to tensor<?x?xf16>
    hivm.hir.store ins(%s : tensor<?x?xf16>) outs(%gm16 : memref<64x64xf16>)"""
    text = run_passes(_module(body), HivmInlineFixpipePass())
    assert "tensor<64x64xf32> to tensor<?x?xf32>" in text
    assert "F322F16" in text
    assert "hivm.hir.vcast" not in text


def test_cast_with_another_rounding_is_not_folded(run_passes) -> None:
    text = run_passes(
        _module(CAST.replace("MODE", "round_mode = <floor>")), HivmInlineFixpipePass()
    )
    assert "pre_quant" not in text
    assert "hivm.hir.vcast" in text


def test_kernel_without_products_is_left_alone(run_passes) -> None:
    text = f"module {{ {HEAD} return }} }}"
    assert run_passes(text, HivmInlineFixpipePass()) == run_passes(text)


def _loop_with(reader: str) -> str:
    return _module(STORE).replace("scf.yield %p", f"{reader.replace('%r', '%p')} scf.yield %p")


def test_product_stored_each_turn_stays_in_l0c(run_passes) -> None:
    text = run_passes(_loop_with(STORE), HivmInlineFixpipePass())
    assert "hivm.hir.store" not in text
    assert "scf.yield %p : tensor<64x64xf32>" in text
    assert text.count("hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%p") == 1
    assert text.count("hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%r") == 1


def test_product_computed_with_each_turn_stays_in_l0c(run_passes) -> None:
    text = run_passes(_loop_with(EXP), HivmInlineFixpipePass())
    lines = [line.strip() for line in text.splitlines()]
    assert "scf.yield %p : tensor<64x64xf32>" in lines
    inside = next(line for line in lines if "hir.fixpipe" in line)
    assert "ins(%p : tensor<64x64xf32>)" in inside
    name = inside.split(" = ")[0]
    assert any(f"hivm.hir.vexp ins({name} " in line for line in lines)


def test_store_behind_a_further_sum_takes_the_product_out_before(run_passes) -> None:
    """The store reads what %r was before the second matrix op added to it."""
    more = LOOP[LOOP.index("%p =") : LOOP.index("scf.yield")]
    more = more.replace("%p =", "%q =").replace("outs(%t", "outs(%r")
    text = run_passes(_module(more, STORE), HivmInlineFixpipePass())
    places = [text.index(word) for word in ("fixpipe", "outs(%r", "hivm.hir.store")]
    assert places == sorted(places)
    assert "hivm.hir.store ins(%r" not in text


def test_a_fixpipe_for_a_print_says_so(run_passes) -> None:
    t, h = "tensor<16x16xf32>", "tensor<16x16xf16>"
    text = f"""func.func @k(%a: {h}, %e: {t}, %b: i1, %n: index) {{
      %r = hivm.hir.mmadL1 ins(%a, %a, %b, %n, %n, %n : {h}, {h}, i1, index, index, index)
        outs(%e : {t}) -> {t}
      hivm.hir.debug {{debugtype = "print", hex = false, prefix = "r"}} %r : {t}
      return
    }}"""
    out = run_passes(text, HivmInlineFixpipePass())
    assert "fixpipe {dma_mode = #hivm.dma_mode<nz2nd>, used_for_debug_op = true} ins(%r" in out
