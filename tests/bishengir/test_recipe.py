from __future__ import annotations

import itertools
import re

import pytest

from tlcourse.bishengir import BishengOptions, ToolError, compile_text, trace_text
from tlcourse.diagnostics import SourceFile
from tlcourse.dialects.text import from_text

_DUMPS = """cat > /dev/null
cat >&2 <<'EOF'
k.py:1:1: note: a remark
// -----// IR Dump After First (first-pass) ('builtin.module' operation) //----- //
module {
  func.func @k() loc("k.py":1:1)
} loc("k.py":1:1)
note: after the dump
// -----// IR Dump After Second (second-pass) ('func.func' operation: @k) //----- //
module {
  func.func @k() loc("k.py":2:1)
} loc("k.py":1:1)

// -----// IR Dump After Host (host-pass) ('func.func' operation: @k_infer_n_function) //----- //
module {
  func.func @k() loc("k.py":2:1)
} loc("k.py":1:1)
// -----// IR Dump After Third (third-pass) ('builtin.module' operation) //----- //
module {
  func.func @other() loc("-":2:1)
} loc("k.py":1:1)
EOF
"""


def test_a_trace_holds_each_pass_and_repeats_the_text_where_nothing_changed(fake_tool):
    fake_tool(_DUMPS)
    trace = list(trace_text("module {}", mode="Developer"))
    assert [name for name, _ in trace] == ["first-pass", "second-pass", "third-pass"]
    texts = [text for _, text in trace]
    assert texts[0] is texts[1]
    assert texts[0] == 'module {\n  func.func @k() loc("k.py":1:1)\n} loc("k.py":1:1)\n'
    assert texts[2] == 'module {\n  func.func @other() loc(unknown)\n} loc("k.py":1:1)\n'


def test_the_passes_before_a_failure_are_still_told(fake_tool):
    fake_tool(_DUMPS + "exit 1\n")
    trace = trace_text("module {}", mode="Developer")
    assert [next(trace)[0] for _ in range(3)] == ["first-pass", "second-pass", "third-pass"]
    with pytest.raises(ToolError):
        next(trace)


@pytest.mark.bishengir
def test_executable_hivm_has_addresses_and_lines(bishengir_opt, vadd_text):
    text = compile_text(vadd_text, mode="Expert")
    module = from_text(text)
    module.verify()
    names = [op.name for op in module.walk()]
    assert "memref.alloc" not in names
    assert names.count("hivm.hir.load") == names.count("hivm.hir.store") == 1
    assert '"hivm.hir.pointer_cast"' in text
    (place,) = re.findall(r'"hivm.hir.vadd".* loc\((.*)\)', text)
    assert place == '"cell:abcd0123":5:9'
    assert "<stdin>" not in text
    assert '"-"' not in text


@pytest.mark.bishengir
def test_the_same_text_compiles_to_the_same_text(bishengir_opt, vadd_text):
    assert len({compile_text(vadd_text, mode="Expert") for _ in range(3)}) == 1


@pytest.mark.bishengir
def test_a_trace_ends_with_library_calls(bishengir_opt, vadd_text):
    trace = list(trace_text(vadd_text, mode="Expert"))
    names = [name for name, _ in trace]
    assert names[0] == "canonicalize-module"
    assert names[-1] == "convert-hivm-to-std"
    assert names.index("hivm-plan-memory") < names.index("hivm-graph-sync-solver")
    changed = [a != b for (_, a), (_, b) in itertools.pairwise(trace)]
    assert 5 < sum(changed) < len(changed)
    assert "call @vadd" in trace[-1][1]
    assert 'loc("cell:abcd0123":5:9)' in trace[-1][1]


@pytest.mark.bishengir
def test_options_reach_the_passes(bishengir_opt, vadd_text):
    barriers = compile_text(vadd_text, mode="Expert", options=BishengOptions(barrier_all=True))
    assert barriers.count('"hivm.hir.set_flag"') == 0
    assert compile_text(vadd_text, mode="Expert").count('"hivm.hir.set_flag"') > 0


@pytest.mark.bishengir
def test_a_tile_that_does_not_fit_is_an_overflow_at_the_kernel(bishengir_opt, vadd_text):
    """The line is that of the tile which is too large."""
    source = SourceFile(id="cell:abcd0123", text="@T.prim_func\ndef vadd():\n", title="this cell")
    large = vadd_text.replace("64x128", "1024x128").replace("[64, 128]", "[1024, 128]")
    with pytest.raises(ToolError, match=r"need 262,144 B of UB, which holds 196,608 B") as caught:
        compile_text(large, mode="Expert", sources={source.id: source})
    assert caught.value.code == "TL301"
    assert caught.value.pass_name == "hivm-plan-memory"
    assert "this cell, line 3: 262,144 B of UB" in str(caught.value)
    names: list[str] = []
    with pytest.raises(ToolError, match="hold"):
        names.extend(name for name, _ in trace_text(large, mode="Expert"))
    assert names[0] == "canonicalize-module"
    assert "hivm-plan-memory" not in names


@pytest.mark.bishengir
def test_a_refusal_points_to_the_learners_line(bishengir_opt, vadd_text):
    wrong = vadd_text.replace("vadd ins(%u, %u : ", "vexp ins(%u, %u : ")
    with pytest.raises(ToolError, match="expected 1 input") as caught:
        compile_text(wrong, mode="Expert")
    assert caught.value.code == "TL351"
    assert caught.value.diagnostic.labels[0].span.line == 5
