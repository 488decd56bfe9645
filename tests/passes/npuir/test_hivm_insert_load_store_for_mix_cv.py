from tlcourse.passes.npuir.hivm_insert_load_store_for_mix_cv import (
    HivmInsertLoadStoreForMixCVPass,
)

T = "tensor<64x64xf32>"
H = "tensor<64x64xf16>"
HEAD = f"""func.func @k(%r: {T}, %s: {H}, %gm: memref<64x64xf16>, %init: i1, %m: index) {{
    %e = tensor.empty() : {T}
    %o = tensor.empty() : {H}"""
MMAD = (
    f"hivm.hir.mmadL1 ins(%A, %s, %init, %m, %m, %m : {H}, {H}, i1, index, index, index) "
    f"outs(%e : {T}) -> {T}"
)


def _module(body: str) -> str:
    return f"module {{ {HEAD} {body} return }} }}"


def test_vector_core_loads_what_the_fixpipe_wrote(run_passes) -> None:
    body = f"""%t = hivm.hir.fixpipe ins(%r : {T}) outs(%e : {T}) -> {T}
    %y = hivm.hir.vexp ins(%t : {T}) outs(%e : {T}) -> {T}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    load = next(line for line in text.splitlines() if "hivm.hir.load" in line)
    assert "ins(%t : " in load
    assert '{"inserted-load"}' in load
    assert "core_type = <VECTOR>" in load
    assert f"hivm.hir.vexp ins({load.split()[0]} " in text


def test_cube_core_gets_a_vector_result_through_a_store_and_a_load(run_passes) -> None:
    body = f"""%p = hivm.hir.vcast ins(%r : {T}) outs(%o : {H}) -> {H}
    %q = {MMAD.replace("%A", "%p")}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    store = next(line for line in text.splitlines() if "hivm.hir.store" in line)
    load = next(line for line in text.splitlines() if "hivm.hir.load" in line)
    assert "ins(%p : " in store
    assert f"ins({store.split()[0]} : " in load
    assert "core_type = <CUBE>" in load
    assert f"hivm.hir.mmadL1 ins({load.split()[0]}, %s" in text


def test_tile_for_both_cores_is_loaded_twice(run_passes) -> None:
    body = f"""%b = memref.alloc() : memref<64x64xf16>
    hivm.hir.load ins(%gm : memref<64x64xf16>) outs(%b : memref<64x64xf16>)
    %x = bufferization.to_tensor %b restrict : memref<64x64xf16>
    %q = {MMAD.replace("%A", "%x")}
    %y = hivm.hir.vexp ins(%x : {H}) outs(%o : {H}) -> {H}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    assert text.count("hivm.hir.load") == 2
    assert text.count("memref.alloc") == 2
    assert "hivm.hir.mmadL1 ins(%x, %s" in text
    assert "hivm.hir.vexp ins(%x :" not in text


def test_short_tile_for_both_cores_is_loaded_twice(run_passes) -> None:
    body = f"""%b = memref.alloc() : memref<64x64xf16>
    %p = memref.subview %b[0, 0] [%m, 64] [1, 1] : memref<64x64xf16>
      to memref<?x64xf16, strided<[64, 1]>>
    hivm.hir.load ins(%gm : memref<64x64xf16>) outs(%p : memref<?x64xf16, strided<[64, 1]>>)
    %x = bufferization.to_tensor %b restrict : memref<64x64xf16>
    %q = {MMAD.replace("%A", "%x")}
    %y = hivm.hir.vexp ins(%x : {H}) outs(%o : {H}) -> {H}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    assert text.count("hivm.hir.load") == 2
    assert text.count("memref.subview") == 2
    assert text.count("memref.alloc") == 2


def test_work_of_one_core_is_left_alone(run_passes) -> None:
    body = f"""%y = hivm.hir.vexp ins(%r : {T}) outs(%e : {T}) -> {T}
    %z = hivm.hir.vexp ins(%y : {T}) outs(%e : {T}) -> {T}"""
    assert run_passes(_module(body), HivmInsertLoadStoreForMixCVPass()) == run_passes(_module(body))


WIDE = "tensor<64x128xf16>"
SLICE = f"tensor.extract_slice %p[0, 64] [64, 64] [1, 1] : {WIDE} to {H}"


def test_a_part_of_a_vector_result_is_carried_over_alone(run_passes) -> None:
    body = f"""%w = tensor.empty() : {WIDE}
    %p = hivm.hir.vexp ins(%w : {WIDE}) outs(%w : {WIDE}) -> {WIDE}
    %x = {SLICE}
    %q = {MMAD.replace("%A", "%x")}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    store = next(line for line in text.splitlines() if "hivm.hir.store" in line)
    load = next(line for line in text.splitlines() if "hivm.hir.load" in line)
    assert f"ins(%x : {H})" in store
    assert f"ins({store.split()[0]} : {H})" in load
    assert f"hivm.hir.mmadL1 ins({load.split()[0]}, %s" in text


def test_a_carried_vector_result_is_carried_over_in_each_turn(run_passes) -> None:
    body = f"""%c = arith.constant 0 : index
    %p = hivm.hir.vcast ins(%r : {T}) outs(%o : {H}) -> {H}
    %z = scf.for %i = %c to %m step %m iter_args(%x = %p) -> ({H}) {{
      %q = {MMAD.replace("%A", "%x")}
      %y = hivm.hir.vexp ins(%x : {H}) outs(%o : {H}) -> {H}
      scf.yield %y : {H}
    }}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    store = next(line for line in text.splitlines() if "hivm.hir.store" in line)
    assert text.index("scf.for") < text.index(store)
    assert "ins(%x : " in store
    assert "hivm.hir.vexp ins(%x :" in text


def test_a_part_of_a_product_is_loaded_for_the_core_that_reads_it(run_passes) -> None:
    body = f"""%w = tensor.empty() : {WIDE}
    %p = hivm.hir.fixpipe ins(%w : {WIDE}) outs(%w : {WIDE}) -> {WIDE}
    %x = {SLICE}
    %q = {MMAD.replace("%A", "%x")}
    %y = hivm.hir.vexp ins(%p : {WIDE}) outs(%w : {WIDE}) -> {WIDE}"""
    text = run_passes(_module(body), HivmInsertLoadStoreForMixCVPass())
    loads = [line for line in text.splitlines() if "hivm.hir.load" in line]
    cores = {"ins(%x : " if "<CUBE>" in line else "ins(%p : ": line for line in loads}
    assert len(loads) == 2
    assert all(source in line for source, line in cores.items())


def test_a_loaded_tile_whose_part_is_multiplied_is_loaded_for_both(run_passes) -> None:
    body = f"""%b = memref.alloc() : memref<64x128xf16>
    hivm.hir.load ins(%big : memref<64x128xf16>) outs(%b : memref<64x128xf16>)
    %p = bufferization.to_tensor %b restrict : memref<64x128xf16>
    %x = {SLICE}
    %q = {MMAD.replace("%A", "%x")}
    %w = tensor.empty() : {WIDE}
    %y = hivm.hir.vexp ins(%p : {WIDE}) outs(%w : {WIDE}) -> {WIDE}"""
    module = _module(body).replace("%m: index)", "%m: index, %big: memref<64x128xf16>)")
    text = run_passes(module, HivmInsertLoadStoreForMixCVPass())
    assert text.count("hivm.hir.load") == 2
    assert "hivm.hir.vexp ins(%p :" not in text
