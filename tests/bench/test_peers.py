"""All executors beside all peers: who runs along, and that nobody is timed on wrong numbers."""

from __future__ import annotations

import pytest
import torch

from tlcourse.bench import peers
from tlcourse.bench.workloads import Workload, workloads
from tlcourse.diagnostics import TLError

NONE = dict.fromkeys((peers.TRITON, peers.JAX), "not here")


def softmax() -> Workload:
    return next(one for one in workloads() if one.name.startswith("softmax"))


def test_each_executor_agrees_with_torch() -> None:
    workload = softmax()
    tensors = workload.prepare()
    found = peers._differences(workload, peers._contenders(workload, tensors, NONE))
    assert set(found) == {peers.EAGER, peers.OURS, peers.NATIVE, peers.SIMULATOR}
    assert all(one <= workload.tolerance for one in found.values())


def test_wrong_numbers_are_not_timed() -> None:
    runs = {peers.EAGER: lambda: torch.zeros(2), "wrong": lambda: torch.ones(2)}
    with pytest.raises(TLError, match="wrong is 1 away from torch eager's result") as caught:
        peers._differences(softmax(), runs)
    assert caught.value.code == "TL771"


def test_a_peer_that_is_missing_is_named_with_its_installation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(peers.NEEDS, "nobody", ("no_such_module", "pip install nobody"))
    monkeypatch.setitem(peers.NEEDS, "torch itself", ("torch", "it is here"))
    assert peers.absent()["nobody"] == "pip install nobody"
    assert "torch itself" not in peers.absent()
    assert peers.installed()["torch"].startswith("2.13")
