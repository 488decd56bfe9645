"""The numbered listing of a kernel's instructions."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_expert
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.instructions import listing


def test_all_instructions_of_minicv() -> None:
    """Two loads, a product, a fixpipe; then a load, exp and a store: each with its flags."""
    func = minicv_expert(64, 128, 128, block_M=64, block_N=128, block_K=64)
    done = compile_module(func.module, func.sources, mode="Expert")
    lines = listing(done.executable, func.sources)
    work = [(line.agent, line.op, line.pipes) for line in lines if not line.is_sync]
    assert work == [
        ("aic", "nd2nz", ("MTE2",)),
        ("aic", "nd2nz", ("MTE2",)),
        ("aic", "mmadL1", ("M",)),
        ("aic", "fixpipe", ("FIX",)),
        ("aiv", "load", ("MTE2",)),
        ("aiv", "vexp", ("V",)),
        ("aiv", "store", ("MTE3",)),
    ]
    assert [line.number for line in lines] == list(range(len(lines)))
    flags = [line.text for line in lines if line.is_sync and line.agent == "aiv"]
    assert flags == [
        "sync_block_wait S to MTE2, flag 0",
        "set_flag MTE2 to V, flag 0",
        "wait_flag MTE2 to V, flag 0",
        "set_flag V to MTE3, flag 0",
        "wait_flag V to MTE3, flag 0",
        "pipe_barrier on ALL",
    ]
    arguments = [line for line in lines if line.op == "mmadL1" and line.is_sync]
    assert [line.pipes for line in arguments] == [("MTE2", "MTE1"), ("MTE2", "MTE1")]
    source = next(iter(func.sources.values())).text.splitlines()
    store = next(line for line in lines if line.op == "store")
    assert store.span is not None
    assert "T.copy(D_ub, D[" in source[store.span.line - 1]


def test_a_flag_that_changes_from_turn_to_turn_says_so() -> None:
    func = minicv_expert(64, 128, 256, block_M=64, block_N=128, block_K=64)
    done = compile_module(func.module, func.sources, mode="Expert")
    texts = [line.text for line in listing(done.executable, func.sources)]
    assert "wait_flag MTE1 to MTE2, flag by turn" in texts
    assert not any("%" in text for text in texts)


def test_only_executable_hivm_has_a_listing() -> None:
    func = minicv_expert(64, 128, 128, block_M=64, block_N=128, block_K=64)
    with pytest.raises(TLError, match="TL531"):
        listing(func.module, func.sources)
