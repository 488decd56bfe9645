from __future__ import annotations

import pytest

from tlcourse.examples.course import COURSE
from tlcourse.jit import compile as compile_kernel
from tlcourse.jit.comparing import compare_back_halves

pytestmark = pytest.mark.bishengir


def _compared(name: str, only: str | None = None, **configs: object):
    (kernel,) = [one for one in COURSE if one.name == name]
    return compare_back_halves(
        compile_kernel(kernel.func, mode=kernel.mode, pass_configs=configs or None), only=only
    )


def test_a_kernel_is_compared_pass_by_pass(bishengir_opt):
    found = _compared("vector_add_expert")
    by_name = {row.pass_name: row for row in found.rows if row.embedded and row.real}
    plan = by_name["hivm-plan-memory"]
    for side in (plan.embedded, plan.real):
        assert side.ops["hivm.hir.pointer_cast"] == 3
        assert side.after.peak_bytes == {"ub": 1024}
    solver = by_name["hivm-graph-sync-solver"]
    assert solver.embedded.after.flags == solver.real.after.flags == 4
    assert (found.kernel, found.mode) == ("vector_add", "Expert")


def test_functions_of_both_cores_are_one_stage(bishengir_opt):
    found = _compared("minicv_developer", only="hivm-plan-memory")
    local = found.rows[-1]
    assert local.real.ops["hivm.hir.pointer_cast"] == local.embedded.ops["hivm.hir.pointer_cast"]
    assert {"ub", "cbuf", "cc"} == set(local.real.after.peak_bytes)


def test_pass_configs_hold_for_both(bishengir_opt):
    off = {"npuir.disable_hivm_auto_inject_sync": True}
    found = _compared("vector_add_expert", **off)
    last = [row for row in found.rows if row.embedded and row.real][-1]
    assert last.embedded.after.flags == last.real.after.flags == 0
