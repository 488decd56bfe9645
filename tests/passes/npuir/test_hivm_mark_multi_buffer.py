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
    "buffers on the stack": (_kernel(ALLOC.replace("alloc()", "alloca()") + WORK), 2),
    "handed on": (
        _kernel(
            f"""%r = scf.for %j = %c0 to %c4 step %c1 iter_args(%x = %z) -> ({UB}) : i32 {{
        %a = memref.alloc() : {UB}
        hivm.hir.load ins(%g : {GM}) outs(%a : {UB})
        scf.yield %a : {UB}
      }}
      hivm.hir.store ins(%r : {UB}) outs(%g : {GM})""",
            before=f"%z = memref.alloc() : {UB}",
        ),
        1,
    ),
    "already marked": (
        _kernel(ALLOC + f"annotation.mark %a {MARK} : {UB}\n" + WORK),
        2,
    ),
}


def test_what_all_loops_hand_on_has_one_copy(run_passes) -> None:
    kind = f"({UB}) : i32"
    text = f"""func.func @k(%g: {GM}) attributes {{
    hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %z = memref.alloc() : {UB}
  %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %z) -> {kind} {{
    %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%x = %y) -> {kind} {{
      %a = memref.alloc() : {UB}
      hivm.hir.load ins(%g : {GM}) outs(%a : {UB})
      scf.yield %a : {UB}
    }}
    scf.yield %r : {UB}
  }}
  return
}}"""
    assert MARK not in run_passes(text, HivmMarkMultiBufferPass())


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


def _scopes(ahead: int, core: str) -> str:
    marks = f"hivm.loop_core_type = #hivm.tcore_type<{core}>, hivm.preload_num ="
    return f"""func.func @k(%g: {GM}) attributes {{
    hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
  %x = scope.scope : () -> {UB} {{
    %a = memref.alloc() : {UB}
    hivm.hir.load ins(%g : {GM}) outs(%a : {UB})
    scope.return %a : {UB}
  }} {{{marks} {ahead} : i32}}
  %y = scope.scope : () -> {UB} {{
    %b = memref.alloc() : {UB}
    hivm.hir.vexp ins(%x : {UB}) outs(%b : {UB})
    scope.return %b : {UB}
  }} {{{marks} 0 : i32}}
  return
}}"""


@pytest.mark.parametrize(
    ("ahead", "core", "marked"), [(2, "VECTOR", True), (0, "VECTOR", False), (2, "CUBE", False)]
)
def test_a_tile_made_ahead_has_four_copies(run_passes, ahead: int, core: str, marked: bool) -> None:
    found = run_passes(_scopes(ahead, core), HivmMarkMultiBufferPass())
    assert found.count("hivm.multi_buffer = 4 : i32") == marked
    assert found.count("hivm.preload_local_buffer = 1 : i32") == marked
