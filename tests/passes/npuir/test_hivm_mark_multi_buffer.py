"""hivm-mark-multi-buffer: which buffers get a second copy."""

import pytest

from tlcourse.passes.npuir.hivm_mark_multi_buffer import HivmMarkMultiBufferPass

GM = "memref<64xf32, #hivm.address_space<gm>>"
UB = "memref<64xf32, #hivm.address_space<ub>>"
L1 = "memref<1x1x16x16xf16, #hivm.address_space<cbuf>>"
MARK = "{hivm.multi_buffer = 2 : i32}"


def _kernel(body: str, *, before: str = "", core: str = "AIV", part: str = "") -> str:
    return f"""module {{
  func.func @k(%g: {GM}, %c: i1) attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<{core}>{part}}} {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    {before}
    scf.for %i = %c0 to %c4 step %c1 : i32 {{
      {body}
    }}
    return
  }}
}}"""


ALLOC = f"%a = memref.alloc() : {UB}\n%b = memref.alloc() : {UB}\n"
WORK = f"""hivm.hir.load ins(%g : {GM}) outs(%a : {UB})
      hivm.hir.vexp ins(%a : {UB}) outs(%b : {UB})
      hivm.hir.store ins(%b : {UB}) outs(%g : {GM})"""
CUBE = f"""%a = memref.alloc() : {L1}
      hivm.hir.nd2nz {{dst_continuous}} ins(%g : {GM}) outs(%a : {L1})"""
MIX = ", hivm.part_of_mix"
COUNTS = {
    "loads and stores of a vector kernel": (_kernel(ALLOC + WORK), 2),
    "loads into L1": (_kernel(CUBE, core="AIC"), 1),
    "loads into L1 in a mixed kernel": (_kernel(CUBE, core="AIC", part=MIX), 1),
    "vector side of a mixed kernel": (_kernel(ALLOC + WORK, part=MIX), 0),
    "before the loop": (_kernel(WORK, before=ALLOC), 0),
    "no move": (_kernel(ALLOC + f"hivm.hir.vexp ins(%a : {UB}) outs(%b : {UB})"), 0),
    "already marked": (
        _kernel(ALLOC + f"annotation.mark %a {MARK} : {UB}\n" + WORK),
        2,
    ),
}


@pytest.mark.parametrize("case", COUNTS)
def test_marks(run_passes, case: str) -> None:
    text, count = COUNTS[case]
    assert run_passes(text, HivmMarkMultiBufferPass()).count(MARK) == count


def test_the_mark_finds_the_buffer_behind_views(run_passes) -> None:
    flat = "memref<8x8xf32, #hivm.address_space<ub>>"
    body = f"""%t = memref.alloc() : {flat}
      %v = memref.collapse_shape %t [[0, 1]] : {flat} into {UB}
      hivm.hir.load ins(%g : {GM}) outs(%v : {UB})"""
    text = run_passes(_kernel(body), HivmMarkMultiBufferPass())
    assert f"annotation.mark %t {MARK} : {flat}" in text


def test_switched_off_it_does_nothing(run_passes) -> None:
    text = _kernel(ALLOC + WORK)
    off = run_passes(text, HivmMarkMultiBufferPass(enable_auto=False))
    assert off == run_passes(text)


@pytest.mark.bishengir
@pytest.mark.parametrize("case", COUNTS)
def test_the_real_pass_marks_as_many(real_passes, case: str) -> None:
    text, count = COUNTS[case]
    options = (
        "enable-auto=true limit-auto-multi-buffer-of-local-buffer=no-l0c "
        "limit-auto-multi-buffer-only-for-local-buffer=true "
        "limit-mix-auto-multi-buffer-buffer=only-cube"
    )
    real = real_passes(text, f"func.func(hivm-mark-multi-buffer{{{options}}})")
    assert real.count(MARK) == count
