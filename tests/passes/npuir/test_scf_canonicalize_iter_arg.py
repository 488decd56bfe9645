"""scf-canonicalize-iter-arg: loops carry what somebody needs."""

from tlcourse.passes.npuir.scf_canonicalize_iter_arg import ScfCanonicalizeIterArgPass

_T = "tensor<16xf32>"


def _kernel(after: str) -> str:
    return f"""module {{
  func.func @k(%g: memref<16xf32>, %c0: i32, %n: i32, %c1: i32, %c: i1)
      attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
    %e = tensor.empty() : {_T}
    %s, %t = scf.for %i = %c0 to %n step %c1 iter_args(%p = %e, %q = %e) -> ({_T}, {_T}) : i32 {{
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%u = %q) -> ({_T}) : i32 {{
        %x = hivm.hir.vexp ins(%u : {_T}) outs(%e : {_T}) -> {_T}
        scf.yield %x : {_T}
      }}
      %y = scf.if %c -> ({_T}) {{
        %z = hivm.hir.vexp ins(%p : {_T}) outs(%e : {_T}) -> {_T}
        scf.yield %z : {_T}
      }} else {{
        scf.yield %p : {_T}
      }}
      scf.yield %y, %r : {_T}, {_T}
    }}
    {after}
    return
  }}
}}"""


def _store(value: str) -> str:
    return f"hivm.hir.store ins({value} : {_T}) outs(%g : memref<16xf32>)"


def test_what_nobody_reads_is_not_carried(run_passes) -> None:
    text = run_passes(_kernel(_store("%s")), ScfCanonicalizeIterArgPass())
    assert text.count("scf.for") == 1
    assert text.count("vexp") == 1
    assert "iter_args(%p = %e) -> (tensor<16xf32>)" in text


def test_inner_loops_go_with_the_outer_value(run_passes) -> None:
    text = run_passes(_kernel(_store("%t")), ScfCanonicalizeIterArgPass())
    assert text.count("scf.for") == 2
    assert "scf.if" not in text


def test_what_is_read_stays(run_passes) -> None:
    whole = _kernel(_store("%s") + "\n" + _store("%t"))
    assert run_passes(whole, ScfCanonicalizeIterArgPass()) == run_passes(whole)


def test_without_readers_nothing_is_left(run_passes) -> None:
    assert "scf.for" not in run_passes(_kernel(""), ScfCanonicalizeIterArgPass())
