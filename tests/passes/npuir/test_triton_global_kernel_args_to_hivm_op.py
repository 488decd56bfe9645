"""triton-global-kernel-args-to-hivm-op: three of six grid arguments go."""

import pytest

from tlcourse.passes.npuir.triton_global_kernel_args_to_hivm_op import (
    TritonGlobalKernelArgsToHivmOpPass,
)

MODULE = """module {
  func.func @k(%a: memref<?xf32, #hivm.address_space<gm>>, %n: i32, %x: i32, %y: i32, %z: i32,
      %i: i32, %j: i32, %l: i32) attributes {hacc.entry,
      hacc.function_kind = #hacc.function_kind<DEVICE>} {
    BODY
    return
  }
}"""


def _run(run_passes, body: str = "") -> str:
    return run_passes(MODULE.replace("BODY", body), TritonGlobalKernelArgsToHivmOpPass())


def test_ids_go_and_the_block_count_is_marked(run_passes) -> None:
    text = _run(run_passes)
    assert "%n: i32, %x: i32, %y: i32, %z: i32)" in text
    assert "annotation.mark %1 {logical_block_num} : i32" in text
    assert "dense<[true, false, false, false, false]> : vector<5xi1>" in text
    assert "get_block_idx" not in text


def test_a_used_id_is_computed_from_the_block_index(run_passes) -> None:
    text = _run(run_passes, "annotation.mark %i {seen} : i32\nannotation.mark %l {seen} : i32")
    assert "hivm.hir.get_block_idx" in text
    # z is the fastest: l = b % z, j = b / z % y, i = b / z / y % x
    assert text.count("arith.remsi") == 3
    assert [line.split()[-3] for line in text.splitlines() if "arith.remsi" in line] == [
        "%z",
        "%y",
        "%x",
    ]


@pytest.mark.parametrize(
    "change", [("hacc.entry,", ""), ("%x: i32", "%x: i64"), (", %i: i32, %j: i32, %l: i32", "")]
)
def test_other_functions_stay(run_passes, change: tuple[str, str]) -> None:
    text = run_passes(
        MODULE.replace("BODY", "").replace("\n      %i: i32", " %i: i32").replace(*change),
        TritonGlobalKernelArgsToHivmOpPass(),
    )
    assert "logical_block_num" not in text
    assert "func_dyn_memref_args" not in text


@pytest.mark.bishengir
def test_the_real_pass_leaves_the_same_signature(run_passes, real_passes) -> None:
    text = MODULE.replace("BODY", "annotation.mark %j {seen} : i32")
    real = real_passes(text, "func.func(triton-global-kernel-args-to-hivm-op)")
    ours = _run(run_passes, "annotation.mark %j {seen} : i32")
    for word in ("dense<[true, false, false, false, false]>", "{logical_block_num}"):
        assert word in ours
        assert word in real
    signature = real.split("func.func @k(", 1)[1].split(")", 1)[0]
    assert signature.count(": i32") == 4
