from __future__ import annotations

import pytest

from tlcourse.dialects.bounds import lower_bound
from tlcourse.dialects.text import from_text

_KERNEL = """
builtin.module {
  func.func @kernel(%M: i32 {tl.name = "M", tl.kind = "symbol"},
                    %n: i32 {tl.name = "n", tl.kind = "scalar"}) {
    %c3 = arith.constant 3 : i32
    %m2 = arith.constant -2 : i32
    tl.kernel(%c3) {
    ^bb0(%cid: i32, %vid: i32):
      tl.for "serial" %c3 to %n {
      ^bb1(%i: i32):
        %x = EXPRESSION
        %kept = tl.let "kept" = %x : i32 -> i32
      }
    }
    func.return
  }
}
"""


@pytest.mark.parametrize(
    ("expression", "bound"),
    [
        ("arith.addi %i, %c3 : i32", 6),
        ("arith.addi %cid, %vid : i32", 0),
        ("arith.subi %i, %c3 : i32", 0),
        ("arith.subi %cid, %c3 : i32", -3),
        ("arith.subi %cid, %vid : i32", None),
        ("arith.muli %cid, %M : i32", 0),
        ("arith.muli %cid, %m2 : i32", None),
        ("arith.floordivsi %M, %c3 : i32", 0),
        ("arith.floordivsi %n, %c3 : i32", None),
        ("tl.floormod %n, %c3", 0),
        ("tl.floormod %n, %m2", None),
        ("arith.minsi %c3, %M : i32", 0),
        ("arith.minsi %c3, %n : i32", None),
        ("arith.maxsi %m2, %n : i32", -2),
        ("arith.addi %n, %c3 : i32", None),
    ],
)
def test_the_least_value_follows_from_the_parts(expression: str, bound: int | None) -> None:
    module = from_text(_KERNEL.replace("EXPRESSION", expression))
    module.verify()
    let = next(op for op in module.walk() if op.name == "tl.let")
    assert lower_bound(let.result) == bound
