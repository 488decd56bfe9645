"""Generated text: what it looks like, and that the same IR always gives the same text."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.dialects.text import from_text, to_text
from tlcourse.functional.generate import generate
from tlcourse.records import Program, from_json, to_json

MakeProgram = Callable[..., Program]


def twice() -> T.PrimFunc:
    @T.prim_func
    def twice(A: T.Tensor((1000,), "float16"), B: T.Tensor((1000,), "float16")):
        with T.Kernel(8, is_npu=True) as (cid, _):
            tile = T.alloc_ub((128,), "float16")
            start = cid * 128
            n = T.min(128, 1000 - start)
            T.copy(A[start : start + n], tile[0:n])
            T.vmul(tile, 2.0, tile)
            T.copy(tile[0:n], B[start : start + n])

    return twice


TEXT = """\
def run(core, A, B):
    A_at = A.storage_offset()
    B_at = B.storage_offset()
    vid = core.vid
    tile = torch.empty((128,), dtype=torch.float16)  # 0
    scalar = torch.tensor(2.0, dtype=torch.float16)
    for cid in range(core.grid[0]):
        tile.fill_(nan)
        start = cid * 128  # 1
        s = 1000 - start  # 2
        n = min(128, s)  # 3
        if start < 0 or n < 0 or start + n > 1000:
            core.outside(4, 'A', 'reads', (start,), (n,), (1000,), ())
        if n < 0 or n > 128:
            core.outside(4, 'tile', 'writes', (0,), (n,), (128,), ())
        A_part = A.as_strided((n,), (1,), A_at + start)  # 4
        tile_part = tile.as_strided((n,), (1,), 0)  # 4
        tile_part.copy_(A_part)  # 4
        torch.mul(tile, scalar, out=tile)  # 5
        if start < 0 or n < 0 or start + n > 1000:
            core.outside(6, 'B', 'writes', (start,), (n,), (1000,), ())
        B_part = B.as_strided((n,), (1,), B_at + start)  # 6
        B_part.copy_(tile_part)  # 6
        yield None
"""


def test_text(program: MakeProgram) -> None:
    (agent,) = program(twice()).agents
    assert agent.agent == "vector"
    assert agent.source == TEXT


def test_tags_lead_to_the_learners_lines(program: MakeProgram) -> None:
    made = program(twice())
    lines = made.sources[made.spans[5].source].text.splitlines()
    assert lines[made.spans[5].line - 1].strip() == "T.vmul(tile, 2.0, tile)"


def pair() -> T.PrimFunc:
    @T.prim_func
    def pair(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            with T.Scope("Cube"):
                tile = T.alloc_L1((32, 64), "float32")
                T.copy(A[cid * 32 : cid * 32 + 32, :], tile)
                with T.rs("PIPE_MTE2"):
                    T.sync_block_set(cid)
            with T.Scope("Vector"):
                part = T.alloc_ub((16, 64), "float32")
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(3)
                T.copy(A[cid * 32 + vid * 16 : cid * 32 + vid * 16 + 16, :], part)

    return pair


def test_one_agent_per_kind_of_core(program: MakeProgram) -> None:
    made = program(pair())
    assert [agent.agent for agent in made.agents] == ["cube", "vector"]
    cube, vector = (agent.source for agent in made.agents)
    assert "part" not in cube.replace("A_part", "")
    assert "tile" not in vector
    assert "yield 3, " in vector


def test_sites_of_flags_are_listed(program: MakeProgram) -> None:
    sites = program(pair()).options["sync"]
    assert [(site["core"], site["action"], site["flag"]) for site in sites] == [
        ("cube", "set", None),
        ("vector", "wait", 3),
    ]


@pytest.mark.parametrize("make", [twice, pair])
def test_same_text_each_time(program: MakeProgram, make: Callable[[], T.PrimFunc]) -> None:
    texts = {to_json(program(make())) for _ in range(20)}
    assert len(texts) == 1


def test_same_text_from_printed_ir(program: MakeProgram) -> None:
    func = pair()
    before = to_json(program(func))
    again = from_text(to_text(func.module, locations=True))
    assert to_json(generate(again, func.sources)) == before


def test_same_text_under_another_hash_seed() -> None:
    script = (
        "import hashlib, runpy;"
        f"names = runpy.run_path({__file__!r});"
        "func = names['pair']();"
        "from tlcourse.dialects.signature import stamp;"
        "stamp(func.module, mode='Expert', target='npuir', out_idx=(), pass_configs={});"
        "made = names['generate'](func.module, func.sources);"
        "text = ''.join(agent.source for agent in made.agents);"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_program_survives_json(program: MakeProgram) -> None:
    made = program(pair())
    assert from_json(Program, to_json(made)) == made


def test_names_of_learners_do_not_hide_ours(program: MakeProgram) -> None:
    @T.prim_func
    def names(torch: T.Tensor((16,), "float32"), core: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            nan = T.alloc_ub((16,), "float32")
            T.copy(torch[0:8], nan[8:16])
            T.copy(nan, core)

    (agent,) = program(names).agents
    assert agent.source.startswith("def run(core, torch_1, core_1):")
    assert "nan_1.fill_(nan)" in agent.source
