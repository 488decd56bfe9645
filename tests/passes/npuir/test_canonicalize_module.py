"""canonicalize-module: what is known is computed, what is unused goes."""

import pytest

from tlcourse.passes.npuir.canonicalize_ext import CanonicalizeExtPass
from tlcourse.passes.npuir.canonicalize_module import CanonicalizeModulePass


def _function(body: str, arguments: str = "%x: i32, %c: i1") -> str:
    return f"""module {{
  func.func @k({arguments}) attributes {{hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    {body}
    return
  }}
}}"""


def _use(value: str) -> str:
    return f"annotation.mark {value} {{seen}} : i32"


@pytest.mark.parametrize(
    ("op", "a", "b", "value"),
    [
        ("addi", 5, 3, 8),
        ("subi", 3, 5, -2),
        ("muli", -4, 3, -12),
        ("divsi", -7, 2, -3),
        ("remsi", -7, 2, -1),
        ("floordivsi", -7, 2, -4),
        ("ceildivsi", 7, 2, 4),
        ("minsi", 3, 5, 3),
        ("maxsi", 3, 5, 5),
        ("xori", 6, 3, 5),
        ("muli", 2**30, 4, 0),
    ],
)
def test_constants_are_computed(run_passes, op: str, a: int, b: int, value: int) -> None:
    text = run_passes(
        _function(
            f"%a = arith.constant {a} : i32\n%b = arith.constant {b} : i32\n"
            f"%r = arith.{op} %a, %b : i32\n{_use('%r')}"
        ),
        CanonicalizeModulePass(),
    )
    assert f"arith.constant {value} : i32" in text
    assert f"arith.{op}" not in text


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("arith.addi %x, %zero : i32", "%x"),
        ("arith.addi %zero, %x : i32", "%x"),
        ("arith.subi %x, %zero : i32", "%x"),
        ("arith.muli %one, %x : i32", "%x"),
        ("arith.divsi %x, %one : i32", "%x"),
        ("arith.muli %x, %zero : i32", "%c0_i32"),
        ("arith.remsi %x, %one : i32", "%c0_i32"),
        ("arith.select %c, %x, %x : i32", "%x"),
    ],
)
def test_neutral_operands_go(run_passes, line: str, left: str) -> None:
    text = run_passes(
        _function(
            "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
            f"%r = {line}\n{_use('%r')}"
        ),
        CanonicalizeModulePass(),
    )
    assert f"annotation.mark {left} " in text


def test_division_by_zero_is_left_alone(run_passes) -> None:
    text = run_passes(
        _function(
            "%a = arith.constant 4 : i32\n%z = arith.constant 0 : i32\n"
            f"%r = arith.divsi %a, %z : i32\n{_use('%r')}"
        ),
        CanonicalizeModulePass(),
    )
    assert "arith.divsi" in text


def test_a_loop_that_runs_once_opens(run_passes) -> None:
    body = f"""%z = arith.constant 0 : i32
    %n = arith.constant 4 : i32
    %s = arith.constant 4 : i32
    %r = scf.for %i = %z to %n step %s iter_args(%v = %x) -> (i32) : i32 {{
      %w = arith.addi %v, %i : i32
      scf.yield %w : i32
    }}
    {_use("%r")}"""
    text = run_passes(_function(body), CanonicalizeModulePass())
    assert "scf.for" not in text
    assert "annotation.mark %x " in text


def test_a_loop_that_never_runs_goes(run_passes) -> None:
    body = f"""%n = arith.constant 4 : i32
    %s = arith.constant 1 : i32
    scf.for %i = %n to %n step %s : i32 {{ {_use("%i")} }}"""
    assert "annotation.mark" not in run_passes(_function(body), CanonicalizeModulePass())


@pytest.mark.parametrize(("flag", "kept"), [("true", "%x"), ("false", "%y")])
def test_an_if_that_is_decided_opens(run_passes, flag: str, kept: str) -> None:
    body = f"""%t = arith.constant {flag}
    scf.if %t {{ {_use("%x")} }} else {{ {_use("%y")} }}"""
    text = run_passes(_function(body, "%x: i32, %y: i32"), CanonicalizeModulePass())
    assert "scf.if" not in text
    assert f"annotation.mark {kept} " in text
    assert text.count("annotation.mark") == 1


def test_each_constant_stands_once_at_the_top(run_passes) -> None:
    body = f"""{_use("%x")}
    %a = arith.constant 7 : i32
    {_use("%a")}
    %b = arith.constant 7 : i32
    {_use("%b")}"""
    lines = run_passes(_function(body), CanonicalizeModulePass()).splitlines()
    assert lines[2].strip() == "%c7_i32 = arith.constant 7 : i32"
    assert sum("arith.constant" in line for line in lines) == 1


def test_what_nobody_reads_goes(run_passes) -> None:
    body = """%a = arith.addi %x, %x : i32
    %b = memref.alloc() : memref<4xf32, #hivm.address_space<ub>>"""
    text = run_passes(_function(body), CanonicalizeModulePass())
    assert "arith.addi" not in text
    assert "memref.alloc" not in text


def test_clean_text_stays_as_it_is(run_passes) -> None:
    body = f"""%c7_i32 = arith.constant 7 : i32
    %r = arith.addi %x, %c7_i32 : i32
    scf.if %c {{ {_use("%r")} }}"""
    once = run_passes(_function(body), CanonicalizeModulePass())
    assert run_passes(once, CanonicalizeModulePass(), CanonicalizeExtPass()) == once
    assert all(word in once for word in ("arith.addi", "scf.if", "arith.constant 7"))


@pytest.mark.bishengir
def test_the_real_pass_leaves_the_same_ops(run_passes, real_passes) -> None:
    body = f"""%z = arith.constant 0 : i32
    %o = arith.constant 1 : i32
    %e = arith.constant 8 : i32
    %m = arith.muli %e, %e : i32
    %k = arith.muli %x, %o : i32
    %d = arith.addi %k, %m : i32
    scf.for %i = %z to %e step %o : i32 {{ %q = arith.addi %d, %i : i32  {_use("%q")} }}"""
    text = _function(body)
    ours, real = (
        run_passes(text, CanonicalizeModulePass()),
        real_passes(text, "canonicalize-module"),
    )
    for word in ("arith.constant 64", "arith.addi", "arith.muli", "scf.for", "annotation.mark"):
        assert ours.count(word) == real.count(word), word
