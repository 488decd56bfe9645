"""Each error of the front end: its code, its words and what its caret underlines."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

# (code, lines of a body, words of the message, stretches under the carets)
BODIES = [
    ("TL103", "while n > 0:\n    pass", "no `while`", ["while n > 0:"]),
    ("TL103", "for i in range(4):\n    break", "no `break`", ["break"]),
    ("TL103", "for i in [1, 2]:\n    pass", "`for` gets a list", ["[1, 2]"]),
    ("TL103", "for i in range(0, 8, 2):\n    pass", "no step", ["range(0, 8, 2)"]),
    ("TL103", "x = [i for i in n]", "ListComp", ["[i for i in n]"]),
    ("TL103", "import os", "Import", ["import os"]),
    ("TL103", "with open:\n    pass", "`with` gets", ["open"]),
    ("TL103", "return n", "returns nothing", ["return n"]),
    ("TL103", "assert n > 0", "cannot check an assertion", ["assert n > 0"]),
    ("TL103", "x = a @ b", "no operator `@`", ["a @ b"]),
    ("TL104", "T.copy(aa, b)", "`aa` is not known", ["aa"]),
    ("TL104", "x = a.shap", "no attribute `shap`", ["a.shap"]),
    ("TL104", "if n > 0:\n    x = 1\ny = x", "not known here any more", ["x"]),
    ("TL105", "T.vexpp(a, b)", "T has no function `vexpp`", ["T.vexpp"]),
    ("TL105", "T.vqqqq(a, b)", "T.v.. are: vabs, vadd, ", ["T.vqqqq"]),
    ("TL105", "T.qqqqqq(a, b)", "= fix: `help(T)` lists", ["T.qqqqqq"]),
    ("TL109", "T.vexp(a)", "missing a required argument: 'B'", ["T.vexp(a)"]),
    ("TL109", "T.copy(a, b, sise=[1])", "unexpected keyword", ["T.copy(a, b, sise=[1])"]),
    ("TL109", "n(3)", "called like a function", ["n(3)"]),
    ("TL109", "for i in T.Parallel():\n    pass", "no extent", ["T.Parallel()"]),
    ("TL109", "for i in range():\n    pass", "range takes 1 or 2", ["range()"]),
    ("TL110", "with T.Kernel(2, is_npu=True) as (i, j):\n    pass", "second T.Kernel", None),
    ("TL113", 'with T.Scope("Vektor"):\n    pass', "no core 'Vektor'", ['"Vektor"']),
    (
        "TL113",
        'with T.Scope("Cube"), T.Scope("Vector"):\n    pass',
        "inside another",
        ['T.Scope("Vector")'],
    ),
    ("TL114", 'with T.rs("PIPE_C"):\n    T.sync_block_set(0)', "no pipe 'PIPE_C'", None),
    ("TL114", 'with T.rs("PIPE_C"):\n    T.set_flag("PIPE_V", 0)', "no pipe 'PIPE_C'", None),
    ("TL114", "with T.rs(3):\n    pass", "no pipe 3", ["3"]),
    ("TL115", "T.sync_block_set(0)", "outside `with T.rs", ["T.sync_block_set(0)"]),
    ("TL116", 'x = T.alloc_ub((8,), "flaot32")', "no dtype flaot32", ['"flaot32"']),
    ("TL117", 'x = T.alloc_ub((n,), "float32")', "an int32 scalar", ["(n,)"]),
    ("TL117", 'x = T.alloc_ub((8, 0), "float32")', "shape (8, 0)", ["(8, 0)"]),
    ("TL117", 'x = T.alloc_shared((8,), "float32", "UB")', "no scope 'UB'", ['"UB"']),
    ("TL118", "x = a[0]", "has 2 dimensions, but 1 index is given", ["a[0]"]),
    ("TL118", "T.copy(A[0:64:2, :], a)", "has a step", ["A[0:64:2, :]"]),
    ("TL118", "x = a[0, 0][1]", "indexed again", ["a[0, 0][1]"]),
    ("TL119", "x = a[64, 0]", "64 elements in dimension 0; index 64", ["a[64, 0]"]),
    ("TL119", "x = a[-1, 0]", "indexed with -1", ["a[-1, 0]"]),
    ("TL119", "T.copy(A[0:64, 64:192], a)", "64:192", ["T.copy(A[0:64, 64:192], a)"]),
    ("TL119", "T.copy(A[8:4, :], a)", "has -4 elements", ["A[8:4, :]"]),
    ("TL120", "x = a[1.5, 0]", "is an integer, not 1.5 (float)", ["a[1.5, 0]"]),
    ("TL120", "for i in T.serial(2.5):\n    pass", "not 2.5", ["T.serial(2.5)"]),
    ("TL120", "x = T.exp(a)", "the buffer `a`, not a scalar", ["a"]),
    ("TL121", "T.vexp(3, b)", "`A` of T.vexp is 3 (int), not a tile", ["3"]),
    ("TL121", "T.vsub(1.0, a, b)", "scalar as the last source", ["1.0"]),
    ("TL121", "T.copy(n, b)", "an int32 scalar, not a tile", ["n"]),
    ("TL121", "x = a + b", "stands in a scalar expression", ["a + b"]),
    ("TL121", "T.fill(a, b)", "gets a tile as its value", ["b"]),
    (
        "TL122",
        "T.copy(A[0:8, :], a, size=[8, 128])",
        "`src` is a slice",
        ["A[0:8, :]", "[8, 128]"],
    ),
    ("TL123", "T.copy(A[0:32, :], b[0:64, :])", "(32, 128) to (64, 128)", None),
    ("TL123", "T.copy(A[0, 0], b[0, 0])", "cannot tell how much", ["A[0, 0]", "b[0, 0]"]),
    ("TL123", "T.vadd(a[0:32, :], b, c)", "(32, 128) to (64, 128)", ["a[0:32, :]", "c"]),
    (
        "TL124",
        'h = T.alloc_ub((64, 128), "float16")\nT.vadd(a, h, c)',
        "different dtypes",
        ["a", "h", "c"],
    ),
    (
        "TL124",
        'h = T.alloc_ub((64, 128), "int32")\nT.vexp(h, h)',
        "does not work on int32",
        ["h", "h"],
    ),
    ("TL124", "x = n / 2", "`/` does not work on int32", ["n / 2"]),
    ("TL125", "if a[0, 0]:\n    pass", "an element of `a` (float32)", ["a[0, 0]"]),
    (
        "TL126",
        "v = a[0, 0]\nif v > 3.0:\n    v = 3.0\nb[0, 0] = v",
        "got another value inside the `if`",
        ["v"],
    ),
    (
        "TL126",
        "s = 0\nfor i in range(4):\n    s = s + i",
        "cannot carry a value",
        ["s + i"],
    ),
    ("TL127", "x = y = 1", "several targets", ["x = y = 1"]),
    ("TL127", "x, y = (1, 2, 3)", "2 names stand for 3 values", ["(1, 2, 3)"]),
    ("TL127", "a[0:4, :] = 1.0", "assigned to a slice of `a`", ["1.0"]),
    ("TL127", "a[0, 0] = b", "set to the buffer `b`", ["b"]),
    ("TL127", "n.x = 1", "nothing can be assigned", ["n.x"]),
    ("TL127", "x: T.int32", "without a value", ["x: T.int32"]),
    ("TL127", "for i in T.Parallel(4, 4):\n    pass", "1 name stands for 2 values", ["i"]),
    ("TL128", "x = [1, 2][5]", "IndexError", ["[1, 2][5]"]),
    ("TL128", "x = 'a' + 1", "TypeError", ["'a' + 1"]),
    ("TL103", "x = n ** 2", "write x * x for a square", ["n ** 2"]),
    ("TL103", "a[0, 0] **= 2", "no operator `**`", None),
    ("TL128", "x = abs(a[0, 0])", "T.max(x, -x)", ["abs(a[0, 0])"]),
    ("TL128", "x = abs(a)", "T.vabs(A, B)", ["abs(a)"]),
    ("TL128", "x = math.exp(n)", "write T.exp(x)", ["math.exp(n)"]),
    ("TL128", "x = math.tan(n)", "`help(T)` lists", ["math.tan(n)"]),
    ("TL128", "x = int(a[0, 0])", "T.cast(x, 'int32')", ["int(a[0, 0])"]),
    ("TL128", "assert False, 'tile too large'", "tile too large", None),
    ("TL130", "x = n // 0", "the divisor is 0", ["n // 0"]),
    ("TL130", "z = 0\nx = n % z", "`%` divides by 0", ["n % z"]),
    ("TL130", "x = 4 // 0", "the divisor is 0", ["4 // 0"]),
    ("TL130", "x = T.ceildiv(n, 0)", "the divisor is 0", ["0"]),
    (
        "TL131",
        'with T.rs("PIPE_V"):\n    T.set_flag("PIPE_MTE3", 16)',
        "no flag 16",
        ["16"],
    ),
    ("TL133", 'T.vcast(a, b, round_mode="up")', "no round mode 'up'", ['"up"']),
    ("TL203", 'x = T.alloc_L1((64, 128), "float32")\nT.copy(a, x)', "UB to L1", ["a", "x"]),
    ("TL203", "T.copy(A[0:64, :], C[0:64, :])", "GM to GM", ["A[0:64, :]", "C[0:64, :]"]),
    (
        "TL203",
        'x = T.alloc_L0C((64, 128), "float32")\nT.load_nd2nz(A[0, 0], x)',
        "GM to L0C",
        ["A[0, 0]", "x"],
    ),
    (
        "TL205",
        'x = T.alloc_L0C((64, 128), "float32")\nT.store_fixpipe(x, C[0, 0])',
        "something else than rows",
        None,
    ),
]


@pytest.mark.parametrize(
    ("code", "lines", "words", "carets"),
    [pytest.param(*case, id=f"{case[0]}-{index}") for index, case in enumerate(BODIES)],
)
def test_body(
    refuse: Callable[[str], TLError],
    underlined: Callable[[TLError], list[str]],
    code: str,
    lines: str,
    words: str,
    carets: list[str] | None,
) -> None:
    error = refuse(lines, math=math)
    assert (error.code, words in str(error)) == (code, True), str(error)
    assert error.diagnostic.why
    assert error.diagnostic.fix
    if carets is not None:
        assert underlined(error) == carets


HEADS = [
    ("TL106", "def k(A, n: T.int32):\n    pass", "`A` has no annotation", ["A"]),
    ("TL107", "def k(A: 3.5):\n    pass", "annotated with 3.5", ["3.5"]),
    ("TL116", "def k(n: 'int23'):\n    pass", "did you mean int32?", ["'int23'"]),
    ("TL116", "def k(A: T.Tensor((4,), 'half')):\n    pass", "no dtype half", None),
    ("TL117", "def k(A: T.Tensor((4, 'M'), 'float32')):\n    pass", "is 'M' (str)", None),
    ("TL117", "def k(A: T.Tensor((), 'float32')):\n    pass", "has no dimension", None),
    ("TL103", "def k(A: T.Tensor((4,), 'float32') = 1):\n    pass", "no defaults", ["1"]),
    ("TL103", "def k(*A):\n    pass", "no defaults, *args", ["A"]),
    ("TL110", "def k(n: T.int32):\n    pass", "has no T.Kernel", None),
    ("TL110", "def k(A: T.Tensor((4,), 'float32')):\n    T.copy(A, A)", "outside `with", None),
    ("TL110", "def k(A: T.Tensor((4,), 'float32')):\n    A[0] = 1.0", "element of `A`", None),
    (
        "TL110",
        "def k(n: T.int32):\n    for i in T.serial(3):\n        pass",
        "T.serial stands outside",
        ["T.serial(3)"],
    ),
    (
        "TL112",
        "def k(n: T.int32):\n    with T.Kernel(64 // 128, is_npu=True) as (c, v):\n        pass",
        "the grid has 0 blocks",
        ["64 // 128"],
    ),
    (
        "TL112",
        "def k(n: T.int32):\n    with T.Kernel(2, -1, is_npu=True) as (x, y, v):\n        pass",
        "the grid has -1 blocks",
        ["-1"],
    ),
    (
        "TL111",
        "def k(n: T.int32):\n    with T.Kernel(1, 2, 3, is_npu=True) as x:\n        pass",
        "3 extents",
        ["T.Kernel(1, 2, 3, is_npu=True)"],
    ),
    (
        "TL127",
        "def k(n: T.int32):\n    with T.Kernel(4, is_npu=True) as (x, y, v):\n        pass",
        "3 names stand for 2 values",
        None,
    ),
    (
        "TL127",
        "def k(n: T.int32):\n    with T.Kernel(4, is_npu=True) as cid:\n        pass",
        "1 name stands for 2 values",
        None,
    ),
    (
        "TL129",
        "def k(n: T.int32):\n    with T.Kernel(T.symbolic('M')) as c:\n        pass",
        "`M` has no value in this kernel",
        None,
    ),
]


@pytest.mark.parametrize(
    ("code", "text", "words", "carets"),
    [pytest.param(*case, id=f"{case[0]}-{index}") for index, case in enumerate(HEADS)],
)
def test_function(
    read: Callable[[str], T.PrimFunc],
    underlined: Callable[[TLError], list[str]],
    code: str,
    text: str,
    words: str,
    carets: list[str] | None,
) -> None:
    with pytest.raises(TLError) as caught:
        read(f"@T.prim_func\n{text}\n")
    assert (caught.value.code, words in str(caught.value)) == (code, True), str(caught.value)
    if carets is not None:
        assert underlined(caught.value) == carets


def test_a_refused_copy_reads_as_the_guide_says(refuse: Callable[[str], TLError]) -> None:
    error = refuse('p_l1 = T.alloc_L1((64, 128), "float32")\nT.copy(a, p_l1)')
    assert str(error).splitlines() == [
        "error[TL203]: T.copy cannot move a tile from UB to L1",
        "  --> the cell that defines k, line 13",
        "    |",
        " 13 |         T.copy(a, p_l1)",
        "    |                ^ UB belongs to the vector core (AIV)",
        "  --> the cell that defines k, line 13",
        "    |",
        " 13 |         T.copy(a, p_l1)",
        "    |                   ^^^^ L1 belongs to the cube core (AIC)",
        "  = why: the two cores share only global memory; no data path joins UB and the cube "
        "core's memories",
        "  = fix: write the tile to a workspace in GM in one T.Scope, read it back in the other, "
        "with T.sync_block_set / T.sync_block_wait between",
        "  = see: docs/errors.md#TL203",
    ]


def test_columns_count_characters(
    refuse: Callable[[str], TLError], underlined: Callable[[TLError], list[str]]
) -> None:
    error = refuse("名 = 1; T.vexpp(a, b)  # 注")
    assert underlined(error) == ["T.vexpp"]


def test_an_exception_of_the_factory_passes_unchanged() -> None:
    def factory(n: int) -> T.PrimFunc:
        raise ValueError(n)

    with pytest.raises(ValueError, match="3"):
        factory(3)


def test_outside_a_kernel_each_t_function_refuses() -> None:
    with pytest.raises(TLError) as caught:
        T.vadd(1, 2, 3)
    assert caught.value.code == "TL108"
    assert "T.vadd(1, 2, 3)" in str(caught.value)


def test_an_unknown_name_outside_a_kernel_is_an_attribute_error_too() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = T.alloc_ubb
    assert isinstance(caught.value, TLError)
    assert caught.value.code == "TL105"
    assert "did you mean T.alloc_ub?" in str(caught.value)
    assert not hasattr(T, "alloc_ubb")


def test_python_print_is_a_warning(
    body: Callable[[str], T.PrimFunc], capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = body("print('tile', n)")
    assert [warning.code for warning in kernel.warnings] == ["TL135"]
    assert capsys.readouterr().out == "tile an int32 scalar\n"


def test_print_of_python_names_a_tile(
    body: Callable[[str], T.PrimFunc], capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = body("print(a, a[0:4, :])")
    assert "T.print(value" in kernel.warnings[0].fix
    assert capsys.readouterr().out == "the buffer `a` a slice of `a`\n"


def test_pipe_that_no_sync_call_uses_is_a_warning(body: Callable[[str], T.PrimFunc]) -> None:
    kernel = body('with T.rs("PIPE_VV"):\n    T.vexp(a, b)')
    (warning,) = kernel.warnings
    assert (warning.code, warning.severity) == ("TL114", "warning")
    assert "did you mean PIPE_V?" in warning.fix
    assert body('with T.rs("PIPE_V"):\n    T.vexp(a, b)').warnings == ()


PARALLEL = "for i, j in T.Parallel(64, 128):\n    "
# lines, the number of warnings
CASTS = [
    (f"{PARALLEL}m[i, j] = T.cast(a[i, j], 'int32')", ["T.cast(a[i, j], 'int32')"]),
    (
        f"{PARALLEL}m[i, j] = T.cast(a[i, j], 'int32') + T.cast(b[i, j], 'int32')",
        ["T.cast(a[i, j], 'int32')", "T.cast(b[i, j], 'int32')"],
    ),
    (f"{PARALLEL}m[i, j] = a[i, j]", ["a[i, j]"]),
    (
        f"for _ in range(2):\n  {PARALLEL}  both(m, a, i, j)\n  both(m, b, 0, 0)",
        ["T.cast(tile[i, j], 'int32')"],
    ),
    (f"{PARALLEL}m[i, j] = T.cast(T.cast(a[i, j], 'float16'), 'uint8')", []),
    (f"{PARALLEL}a[i, j] = T.cast(m[i, j], 'float32')", []),
    ("for i in T.serial(64):\n    m[i, 0] = T.cast(a[i, 0], 'int32')", []),
]


@pytest.mark.parametrize(("lines", "carets"), CASTS, ids=range(len(CASTS)))
def test_a_cast_that_may_round_is_a_warning_once(
    body: Callable[..., T.PrimFunc], lines: str, carets: list[str]
) -> None:
    @T.macro
    def both(target, tile, i, j):
        target[i, j] = T.cast(tile[i, j], "int32")

    kernel = body(f"m = T.alloc_ub((64, 128), 'int32')\n{lines}", both=both)
    assert [warning.code for warning in kernel.warnings] == ["TL136"] * len(carets)
    for warning, caret in zip(kernel.warnings, carets, strict=True):
        (label,) = warning.labels
        text = kernel.sources[label.span.source].text.splitlines()[label.span.line - 1]
        shown = text[label.span.column - 1 : label.span.end_column - 1].replace('"', "'")
        assert shown == caret
        assert "2.7 turns to 3" in warning.what
        assert "2.7 turns to 2" in warning.what
        assert 'round_mode="trunc"' in warning.fix


def test_flags_above_the_vendors_range_are_a_warning(body: Callable[[str], T.PrimFunc]) -> None:
    kernel = body('with T.rs("PIPE_V"):\n    T.set_flag("PIPE_MTE3", 9)')
    assert [warning.code for warning in kernel.warnings] == ["TL131"]
