"""hivm-enable-multi-buffer: each iteration takes the copy whose turn it is."""

import pytest

from tlcourse.passes.npuir.canonicalize_ext import CanonicalizeExtPass
from tlcourse.passes.npuir.hivm_enable_multi_buffer import HivmEnableMultiBufferPass

UB = "memref<64xf32, #hivm.address_space<ub>>"


def _kernel(addresses: str, lower: int = 0, step: int = 1) -> str:
    return f"""module {{
  func.func @k() attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    %p = arith.constant 0 : i64
    %q = arith.constant 256 : i64
    %r = arith.constant 512 : i64
    %l = arith.constant {lower} : i32
    %s = arith.constant {step} : i32
    %u = arith.constant 9 : i32
    scf.for %i = %l to %u step %s : i32 {{
      %a = hivm.hir.pointer_cast({addresses}) : {UB}
      annotation.mark %a {{hivm.multi_buffer = 2 : i32}} : {UB}
      hivm.hir.vexp ins(%a : {UB}) outs(%a : {UB})
    }}
    return
  }}
}}"""


def test_two_addresses_become_two_buffers_and_a_choice(run_passes) -> None:
    text = run_passes(_kernel("%p, %q"), HivmEnableMultiBufferPass())
    before, loop = text.split("scf.for")
    assert f"%a_copy0 = hivm.hir.pointer_cast(%p) : {UB}" in before
    assert f"%a_copy1 = hivm.hir.pointer_cast(%q) : {UB}" in before
    assert "arith.remsi" in loop
    assert ", %a_copy1, %a_copy0 : " in loop
    assert "annotation.mark" not in text


def test_three_copies_need_two_choices(run_passes) -> None:
    text = run_passes(_kernel("%p, %q, %r"), HivmEnableMultiBufferPass())
    assert text.count("arith.select") == 2
    assert "arith.constant 3 : i64" in text


@pytest.mark.parametrize(("lower", "step", "ops"), [(0, 1, 0), (1, 1, 1), (1, 2, 2)])
def test_iterations_are_counted_from_zero(run_passes, lower: int, step: int, ops: int) -> None:
    text = run_passes(
        _kernel("%p, %q", lower, step), HivmEnableMultiBufferPass(), CanonicalizeExtPass()
    )
    assert text.count("arith.subi") + text.count("arith.divsi") == ops


def test_one_address_stays(run_passes) -> None:
    text = _kernel("%p").replace("annotation.mark %a {hivm.multi_buffer = 2 : i32} : " + UB, "")
    assert run_passes(text, HivmEnableMultiBufferPass()) == run_passes(text)


@pytest.mark.bishengir
def test_the_real_pass_makes_the_same_buffers(run_passes, real_passes) -> None:
    text = _kernel("%p, %q")
    ours = run_passes(text, HivmEnableMultiBufferPass())
    real = real_passes(text, "func.func(hivm-enable-multi-buffer)")
    for word in ("hivm.hir.pointer_cast", "arith.select"):
        assert ours.count(word) == real.count(word)
