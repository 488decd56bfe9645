"""Bounds of integers, against every value that the ops really give."""

from itertools import product

import pytest
from xdsl.dialects import scf

from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.ranges import Range, range_of

_OPS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": lambda a, b: int(a / b),
    "remsi": lambda a, b: a - b * int(a / b),
    "minsi": min,
    "maxsi": max,
}


def _range(body: str) -> Range:
    module = from_text(f"""module {{
  func.func @k(%n: index, %c: i1) {{
    %m2 = arith.constant -2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    scf.for %i = %m2 to %c5 step %c1 {{
      scf.for %j = %c0 to %n step %c1 {{
        {body}
        "test.op"(%r) : (index) -> ()
        scf.yield
      }}
      scf.yield
    }}
    return
  }}
}}""")
    (used,) = [op for op in module.walk() if op.name == "builtin.unregistered"]
    return range_of(used.operands[0])


@pytest.mark.parametrize("name", _OPS)
@pytest.mark.parametrize("right", ["%c3", "%i"])
def test_a_range_holds_all_values(name: str, right: str) -> None:
    found = _range(f"%r = arith.{name} %i, {right} : index")
    if right == "%i" and name in ("divsi", "remsi"):
        assert found == Range()
        return
    rights = [3] if right == "%c3" else range(-2, 5)
    values = [_OPS[name](a, b) for a, b in product(range(-2, 5), rights)]
    assert found.low is not None
    assert found.high is not None
    assert found.low <= min(values)
    assert found.high >= max(values)
    if right == "%c3" and name != "remsi":
        assert found == Range(min(values), max(values))


def test_what_nothing_bounds_has_no_bound() -> None:
    assert _range("%r = arith.addi %j, %c3 : index") == Range(3, None)
    assert _range("%r = arith.minsi %n, %c5 : index") == Range(None, 5)
    assert _range("%r = arith.maxsi %n, %c0 : index") == Range(0, None)
    assert _range("%r = arith.select %c, %c1, %n : index") == Range()
    assert _range("%r = arith.select %c, %c1, %c5 : index") == Range(1, 5)


def test_a_loop_ends_before_its_bound() -> None:
    module = from_text("""module {
  func.func @k() {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c8 step %c1 {
      scf.yield
    }
    return
  }
}""")
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert range_of(loop.body.block.args[0]) == Range(0, 7)
