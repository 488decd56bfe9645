"""Names that the simulated device has not."""

from __future__ import annotations

import pytest
import torch

from tlcourse.device.errors import NoSuchNameError
from tlcourse.device.missing import missing, missing_part


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("synchronise", "use torch.npu.synchronize"),
        ("max_memory_allocated", "use torch.npu.memory_allocated(), the bytes in use now"),
        ("amp", 'use torch.amp.autocast("npu") and torch.amp.GradScaler("npu")'),
        ("quux", "dir(torch.npu) lists what there is"),
    ],
    ids=["near name", "memory", "amp", "nothing near"],
)
def test_a_name_of_torch_npu_says_what_to_use(name: str, fix: str) -> None:
    with pytest.raises(NoSuchNameError, match=rf"no torch\.npu\.{name}") as caught:
        getattr(torch.npu, name)
    assert caught.value.code == "TL443"
    assert caught.value.diagnostic.fix == fix


def test_python_s_own_questions_get_python_s_own_answer() -> None:
    assert type(missing("torch_npu", "__wrapped__", [])) is AttributeError


def test_a_part_fails_as_an_import() -> None:
    problem = missing_part("contrib")
    assert isinstance(problem, ImportError)
    assert problem.code == "TL443"
    assert 'device="npu"' in problem.diagnostic.fix
