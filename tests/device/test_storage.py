"""Storages on the npu: what torch makes them for, checkpoint files and shared memory."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable

import pytest
import torch

from tlcourse.device.storage import NpuStorage

Place = str | torch.device | dict[str, str] | Callable[[object, str], object] | None


def reloaded(thing: object, place: Place) -> object:
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, map_location=place, weights_only=True)


def test_storage_says_where_it_lies() -> None:
    x = torch.ones(2).npu()
    assert isinstance(x.untyped_storage(), NpuStorage)
    assert str(x.untyped_storage().device) == "npu:0"
    assert x.untyped_storage().cpu().device.type == "cpu"


def test_storage_can_be_made_and_moved() -> None:
    made = torch.UntypedStorage(8, device="npu")
    moved = torch.ones(2).untyped_storage().to(device="npu")
    assert (type(made), len(made)) == (NpuStorage, 8)
    assert torch.tensor([]).npu().set_(moved, 0, (2,)).tolist() == [1.0, 1.0]
    assert torch.UntypedStorage(8).device.type == "cpu"
    assert torch.UntypedStorage(8, device="meta").device.type == "meta"
    assert torch.UntypedStorage([1, 2]).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        (None, "npu"),
        ("npu", "npu"),
        (torch.device("cpu"), "cpu"),
        ({"npu:0": "cpu"}, "cpu"),
        (lambda storage, _: storage, "cpu"),
    ],
    ids=["where it was", "npu", "cpu", "by a table", "by a function"],
)
def test_npu_file_goes_where_it_is_asked_to(place: Place, kind: str) -> None:
    back = reloaded(torch.arange(6).reshape(2, 3).npu().t(), place)
    assert isinstance(back, torch.Tensor)
    assert (back.device.type, back.stride()) == (kind, (1, 3))
    assert back.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("place", ["npu", "npu:0"])
def test_cpu_file_goes_to_the_npu(place: str) -> None:
    back = reloaded(torch.arange(3.0), place)
    assert isinstance(back, torch.Tensor)
    assert str(back.device) == "npu:0"
    assert (back + 1).tolist() == [1.0, 2.0, 3.0]


def test_file_for_an_npu_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="npu"):
        reloaded(torch.ones(1), "npu:1")


def test_views_of_one_memory_stay_views_in_a_file() -> None:
    x = torch.arange(4.0).npu()
    back = reloaded([x, x[2:]], None)
    assert isinstance(back, list)
    back[0].zero_()
    assert back[1].tolist() == [0.0, 0.0]


def test_pickle() -> None:
    back = pickle.loads(pickle.dumps(torch.arange(4.0).npu()[2:]))
    assert (str(back.device), back.tolist()) == ("npu:0", [2.0, 3.0])


def test_state_of_a_module() -> None:
    module = torch.nn.BatchNorm1d(2).npu()
    back = reloaded(module.state_dict(), "cpu")
    assert isinstance(back, dict)
    here = torch.nn.BatchNorm1d(2)
    here.load_state_dict(back)
    torch.testing.assert_close(here.weight, module.weight.cpu())
    assert here.running_var is not None
    assert here.running_var.device.type == "cpu"
