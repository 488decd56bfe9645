from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tlcourse.cli import app
from tlcourse.cli.compare_text import comparison_lines
from tlcourse.pipeline.comparison import Comparison, Effect, Row
from tlcourse.pipeline.figures import figures

EFFECT = Effect(changed=True, ops={"memref.alloc": -2}, after=figures("module {\n}\n"))
FILE = "tlcourse/examples/elementwise.py:vector_add_expert"


def _lines(*rows: Row, whole: bool = False) -> list[str]:
    return comparison_lines(Comparison(kernel="k", mode="Expert", rows=rows), whole=whole)


def test_each_side_tells_its_counts():
    lines = _lines(Row(pass_name="p", embedded=EFFECT, real=None))
    assert lines[0] == "----- p: embedded only -----"
    assert lines[1].startswith("  embedded  memref.alloc -2; then 0 flags")
    assert lines[2] == "  real      does not have it here"
    assert "0 passes in both" in lines[-1]
    assert "1 embedded only" in lines[-1]


def test_a_long_difference_is_cut_where_all_passes_are_shown():
    row = Row(pass_name="p", embedded=EFFECT, real=EFFECT, diff=tuple("+x" for _ in range(30)))
    assert "  .. 18 more lines: --pass p" in _lines(row)
    assert _lines(row, whole=True).count("  +x") == 30


@pytest.mark.bishengir
def test_compare_prints_text_or_data(bishengir_opt):
    base = ["ir", FILE, "--mode", "expert", "--compare"]
    text = CliRunner().invoke(app, [*base, "--pass", "hivm-plan-memory"])
    assert text.exit_code == 0
    assert "hivm.hir.pointer_cast +3" in text.stdout
    assert "UB 1,024 B" in text.stdout
    data = CliRunner().invoke(app, [*base, "--pass", "hivm-plan-memory", "--json"])
    record = json.loads(data.stdout)
    assert record["schema"] == "tlcourse.Comparison/1"
    assert record["rows"][0]["real"]["after"]["peak_bytes"] == {"ub": 1024}
    wrong = CliRunner().invoke(app, [*base, "--pass", "no-such-pass"])
    assert wrong.exit_code == 2


@pytest.mark.parametrize(
    "other",
    [["--lint"], ["--locations"], ["--backend", "bishengir"], ["--swap", "hivm-plan-memory"]],
)
def test_compare_goes_with_few_options(other):
    found = CliRunner().invoke(app, ["ir", FILE, "--compare", *other])
    assert found.exit_code == 2


@pytest.mark.bishengir
def test_one_half_that_fails_is_an_error(fake_wide, bishengir_opt):
    from tlcourse.diagnostics import TLError

    found = CliRunner().invoke(app, ["ir", str(fake_wide), "--mode", "expert", "--compare"])
    assert found.exit_code == 1
    assert isinstance(found.exception, TLError)
    assert found.exception.code == "TL301"


@pytest.fixture
def fake_wide(tmp_path):
    """A kernel whose tile is larger than UB."""
    path = tmp_path / "wide.py"
    path.write_text(
        "import tilelang.language as T\n\n"
        "@T.prim_func\n"
        'def wide(A: T.Tensor((512, 512), "float32"), B: T.Tensor((512, 512), "float32")):\n'
        "    with T.Kernel(1, is_npu=True):\n"
        '        a = T.alloc_ub((512, 512), "float32")\n'
        "        T.copy(A, a)\n"
        "        T.copy(a, B)\n"
    )
    return path


@pytest.mark.bishengir
def test_switches_and_other_passes_reach_the_trace(bishengir_opt):
    base = ["ir", FILE, "--mode", "expert"]
    off = ["--option", "disable-hivm-auto-inject-sync=true"]
    plain, bare = (CliRunner().invoke(app, [*base, *more]) for more in ([], off))
    assert "hivm.hir.set_flag" in plain.stdout
    assert "hivm.hir.set_flag" not in bare.stdout
    swapped = CliRunner().invoke(app, [*base, "--swap", "hivm-plan-memory", "--json"])
    steps = json.loads(swapped.stdout)["snapshots"]
    assert [s["pass_name"] for s in steps if s["origin"] == "real"] == ["hivm-plan-memory"]
