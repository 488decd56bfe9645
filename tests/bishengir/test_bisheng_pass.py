from __future__ import annotations

import pytest
from xdsl.context import Context

from tlcourse.bishengir import BishengPass, ToolError
from tlcourse.dialects.text import context, from_text, to_text

pytestmark = pytest.mark.bishengir


def test_a_pass_bears_upstreams_name():
    assert BishengPass("hivm-plan-memory").name == "hivm-plan-memory"


def test_a_real_pass_changes_the_module_in_place(bishengir_opt, vadd_text):
    module = from_text(vadd_text)
    BishengPass("convert-to-hivm-op").apply(context(), module)
    module.verify()
    names = [op.name for op in module.walk()]
    assert names.count("hivm.hir.load") == names.count("hivm.hir.store") == 1
    assert "memref.copy" not in names
    assert "hivm.hir.vadd" in to_text(module)
    assert 'loc("cell:abcd0123":5:9)' in to_text(module, locations=True)
    assert "stdin" not in to_text(module, locations=True)


def test_options_reach_the_pass(bishengir_opt, vadd_text):
    module = from_text(vadd_text)
    BishengPass("hacc-append-device-spec", {"target": "Ascend910B3"}).apply(context(), module)
    assert '"AI_CORE_COUNT", 20' in to_text(module)


def test_an_unknown_pass_is_refused(bishengir_opt):
    with pytest.raises(ToolError, match="no such pass or option: --hivm-no-such-pass") as caught:
        BishengPass("hivm-no-such-pass").apply(Context(), from_text("module {}"))
    assert caught.value.code == "TL351"
