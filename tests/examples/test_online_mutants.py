"""The broken copies of the online softmax: each has symptoms of its own, the right one none."""

from __future__ import annotations

import pytest
import torch

from tlcourse.examples.online_mutants import (
    FAULTS,
    PROBES,
    TEXT,
    numbered,
    planted,
    softmax,
    symptoms,
)


@pytest.mark.parametrize("block", [1, 7, 64, 200])
def test_right_copy_is_a_softmax(block: int) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(5, 200, generator=generator)
    v = torch.randn(200, 3, generator=generator)
    assert torch.allclose(softmax()(x, v, block), torch.softmax(x, 1) @ v, atol=1e-5)


@pytest.mark.parametrize("probe", PROBES)
def test_right_copy_has_no_symptom(probe: str) -> None:
    row, block = PROBES[probe]
    assert softmax()(row, torch.ones(row.shape[1], 1), block).item() == 1


@pytest.mark.parametrize("letter", FAULTS)
def test_a_fault_is_one_line(letter: str) -> None:
    pairs = list(zip(TEXT.splitlines(), FAULTS[letter].text().splitlines(), strict=True))
    assert [n for n, (one, other) in enumerate(pairs, 1) if one != other] == [FAULTS[letter].line()]
    assert TEXT.count(FAULTS[letter].before) == 1
    assert planted(letter).startswith(f"{FAULTS[letter].line()}, ")


def test_each_copy_has_symptoms_of_its_own() -> None:
    table = symptoms()
    columns = {letter: tuple(f"{table[p][letter]:.3f}" for p in PROBES) for letter in FAULTS}
    assert len(set(columns.values())) == len(FAULTS)
    assert all(any(seen != "1.000" for seen in column) for column in columns.values())


def test_hints_hold() -> None:
    late = symptoms()["maximum in the last block"]
    assert late["A"] < 1 < late["D"]


def test_lines_are_numbered() -> None:
    assert numbered().splitlines()[9].startswith("10          total = total * factor")
