import pytest

from tlcourse.diagnostics import TLError
from tlcourse.passes.npuir.hivm_cross_core_gss import HivmCrossCoreGSSPass
from tlcourse.passes.npuir.hivm_mark_real_core_type import HivmMarkRealCoreTypePass

T = "tensor<64x64xf32>"
HAND_OVER = f"""%t = hivm.hir.fixpipe ins(%r : {T}) outs(%w : {T}) -> {T}
    %l = hivm.hir.load ins(%t : {T}) outs(%e : {T}) core_type = <VECTOR> -> {T}"""


def _module(body: str) -> str:
    return f"""module {{
  func.func @k(%r: {T}, %w: {T}, %e: {T}, %c0: i32, %c4: i32, %c1: i32)
      attributes {{hivm.func_core_type = #hivm.func_core_type<MIX>}} {{
    {body}
    return
  }}
}}"""


def _flags(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if "sync_block" in line or "scf.for" in line]


def test_one_flag_between_writer_and_reader(run_passes) -> None:
    text = run_passes(_module(HAND_OVER), HivmCrossCoreGSSPass())
    assert _flags(text) == [
        "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0",
        "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0",
    ]


def test_loop_gives_the_buffer_back(run_passes) -> None:
    text = run_passes(
        _module(f"scf.for %i = %c0 to %c4 step %c1 : i32 {{ {HAND_OVER} }}"), HivmCrossCoreGSSPass()
    )
    assert _flags(text) == [
        "hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE2>, <PIPE_S>] flag = 1",
        "scf.for %i = %c0 to %c4 step %c1 : i32 {",
        "hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE2>, <PIPE_S>] flag = 1",
        "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0",
        "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0",
        "hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE2>, <PIPE_S>] flag = 1",
        "hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE2>, <PIPE_S>] flag = 1",
    ]


def test_too_many_flags_are_refused(run_passes) -> None:
    body = "\n".join(HAND_OVER.replace("%t", f"%t{i}").replace("%l", f"%l{i}") for i in range(17))
    with pytest.raises(TLError) as caught:
        run_passes(_module(body), HivmCrossCoreGSSPass())
    assert caught.value.code == "TL330"


def test_marks_name_the_core_and_go_again(run_passes) -> None:
    marked = run_passes(_module(HAND_OVER), HivmMarkRealCoreTypePass())
    assert "hivm.tcore_type = #hivm.tcore_type<CUBE>" in marked
    assert "hivm.tcore_type = #hivm.tcore_type<VECTOR>" in marked
    removed = run_passes(marked, HivmMarkRealCoreTypePass(remove_core_type_attrs=True))
    assert removed == run_passes(_module(HAND_OVER))
