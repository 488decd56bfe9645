"""Each case of the field log that this part of the course answers is named by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
# Groups of the log: capacity, synchronisation and grading have their tests by their own words.
GROUPS = {
    "A": range(1, 13),
    "B": range(13, 21),
    "C": range(21, 30),
    "G": range(56, 64),
    "H": range(64, 75),
    "I": range(75, 82),
    "L": range(107, 111),
}
# Cases whose test stands beside what it is about, under its own words.
ELSEWHERE = {
    13: "passes/tir/test_element_faults.py::test_tiles_of_different_width_keep_their_rows",
    14: "passes/tir/test_element_faults.py::test_a_branch_on_data_stays_scalar",
    15: "passes/tir/test_element_faults.py::test_an_outer_index_joins_a_loop_variable",
    16: "passes/tir/test_element_faults.py::test_an_extent_of_the_run_stays_scalar",
    17: "passes/tir/test_element_faults.py::test_a_scalar_variable_in_the_body",
    18: "passes/tir/test_element_faults.py::test_serial_loops_with_bounds_from_a_tile",
    19: "passes/tir/test_element_faults.py::test_a_norm_over_576_columns_says_what_it_became",
    20: "passes/tir/test_element_faults.py::test_an_operator_without_vector_form_stays_scalar",
    70: "jit/test_reported.py::test_misfit_is_an_error_and_never_zeros",
    71: "jit/test_reported.py::test_misfit_is_an_error_and_never_zeros",
    74: "jit/test_reported.py::test_finding_is_one_short_warning_at_the_learner_s_line",
    76: "jit/tuning/test_tuner.py::test_captured_sizes_are_part_of_what_is_remembered",
    78: "jit/test_reported.py::test_text_is_kept_from_when_the_kernel_was_made",
    79: "jit/test_reported.py::test_second_function_of_a_cell_and_one_inside_an_if",
    80: "jit/test_reported.py::test_processes_at_once_share_a_folder",
    81: "jit/test_reported.py::test_kernels_are_read_from_text_and_never_from_bytecode",
    107: "test_finder.py::test_tlcourse_first_keeps_torch_alive",
    108: "device/test_factories.py::test_tensor_lies_on_the_npu_with_its_values",
    109: "device/test_launch_arguments.py::test_integer_place_names_an_npu",
    110: "device/test_doubles.py::test_bringing_it_there_warns_and_keeps_it",
}
_NAME = re.compile(r"\b(?:test|case)_f(\d{2,3})(?=_)")


def named() -> set[int]:
    """The numbers that tests bear in their names, and those that stand elsewhere."""
    texts = (path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    return {int(number) for text in texts for number in _NAME.findall(text)} | set(ELSEWHERE)


@pytest.mark.parametrize("case", sorted(ELSEWHERE))
def test_a_case_elsewhere_has_its_test(case: int) -> None:
    path, name = ELSEWHERE[case].split("::")
    assert f"def {name}(" in (TESTS / path).read_text(), ELSEWHERE[case]


@pytest.mark.parametrize("group", list(GROUPS))
def test_each_case_is_named(group: str) -> None:
    missing = [f"F-{number:02}" for number in GROUPS[group] if number not in named()]
    assert not missing, f"no test names {', '.join(missing)}"
