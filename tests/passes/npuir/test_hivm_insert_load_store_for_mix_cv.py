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
