"""A fingerprint is the same for the same module, and another one where anything differs."""

from __future__ import annotations

import pytest

from tlcourse.dialects.fingerprint import fingerprint
from tlcourse.dialects.text import from_text
from tlcourse.examples.course import COURSE

TEXT = """func.func @f(%a: memref<4xf32>, %n: i32, %p: i32, %q: i8)
    attributes {kind = "one", list = [1 : i8, 2 : i8]} {
  %c = arith.constant 2.5 : f32 loc("k.py":3:5)
  %d = arith.addi %n, %n : i32 loc("k.py":4:5)
  %e = arith.subi %d, %n : i32
  "test.wide"(%a) ({
  ^bb0(%x: i32):
    "test.end"(%x) : (i32) -> ()
  }) {table = {b = 1 : i32, c = dense<[1, 2]> : tensor<2xi32>}} : (memref<4xf32>) -> ()
  return
}
"""


def test_the_same_text_gives_the_same_fingerprint() -> None:
    assert fingerprint(from_text(TEXT)) == fingerprint(from_text(TEXT))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@f", "@g"),
        ("%q: i8", "%q: i16"),
        ("4xf32", "5xf32"),
        ('"one"', '"two"'),
        ("2 : i8]", "3 : i8]"),
        ("2.5", "2.25"),
        ("3:5", "3:6"),
        ("k.py", "l.py"),
        ("%n, %n", "%n, %p"),
        ("subi %d, %n", "subi %n, %d"),
        ("%c =", "%c2 ="),
        ("%x", "%y"),
        ("b = 1", "b = 2"),
        ("dense<[1, 2]>", "dense<[2, 1]>"),
        ("test.end", "test.stop"),
    ],
)
def test_whatever_differs_shows(old: str, new: str) -> None:
    changed = TEXT.replace(old, new)
    assert changed != TEXT
    assert fingerprint(from_text(changed)) != fingerprint(from_text(TEXT))


@pytest.mark.parametrize("kernel", COURSE, ids=lambda kernel: kernel.name)
def test_kernels_have_their_own(kernel) -> None:
    ours = fingerprint(kernel.func.module)
    assert "object at 0x" not in ours
    assert ours == fingerprint(kernel.make().module)
    others = {one.name: fingerprint(one.func.module) for one in COURSE if one is not kernel}
    assert ours not in others.values()
