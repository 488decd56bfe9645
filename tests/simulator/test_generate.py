"""Programs: plain data that runs with torch alone, memory maps, refusals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import SourceFile, TLError
from tlcourse.dialects.text import from_text
from tlcourse.records import Program, to_json
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run

ALONE = """
import sys
from pathlib import Path
from tlcourse.records import Program, from_json
from tlcourse.simulator.run import run
import torch
program = from_json(Program, Path(sys.argv[1]).read_text())
a, c = torch.ones(64), torch.zeros(64)
result = run(program, [a, a, c], symbols={})
assert c.tolist() == [2.0] * 64 and result.findings == ()
loaded = [name for name in sys.modules if name.split(".")[0] == "xdsl" or "dialects" in name]
assert not loaded, loaded
"""


@pytest.mark.slow
def test_a_program_runs_without_xdsl(tiny, helpers, vadd_lines: str, tmp_path: Path) -> None:
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    path = tmp_path / "program.json"
    path.write_text(to_json(tiny.program(tensors, vector=vadd_lines)))
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_same_module_gives_the_same_program(helpers) -> None:
    launch = helpers.signature([helpers.tensor(n, "float16", 128, 256) for n in "ABC"], 2)
    text = helpers.real_text("vadd_developer")
    first, second = (helpers.program_of(text, launch) for _ in range(2))
    assert to_json(first) == to_json(second)
    assert [agent.agent for agent in first.agents] == ["vector"]


def test_generate_leaves_the_module_alone(helpers) -> None:
    launch = helpers.signature([helpers.tensor(n, "float16", 128, 256) for n in "ABC"], 2)
    module = from_text(helpers.real_text("vadd_expert"))
    before = str(module)
    generate(module, launch, {}, DEFAULT_CHIP)
    assert str(module) == before


def test_uses_workspace_and_control(helpers) -> None:
    parameters = [
        helpers.tensor("A", "float16", 256, 128),
        helpers.tensor("B", "float16", 128, 512),
        helpers.tensor("C", "float32", 256, 512),
        helpers.tensor("D", "float32", 256, 512),
    ]
    launch = helpers.signature(parameters, 4)
    program = helpers.program_of(helpers.real_text("minicv_developer"), launch)
    assert program.workspace_bytes_per_block == "131072"
    assert program.options["gm"] == {"2": "rw", "3": "r", "4": "r", "5": "w", "6": "w"}
    assert program.options["workspace_unit_bytes"] == 4
    assert not program.options["block_control"]
    assert not program.options["data_control"]
    assert not program.options["block_barrier"]


def test_memory_map_of_real_code(helpers) -> None:
    parameters = [helpers.tensor(n, "float16", 128, 256) for n in "ABC"]
    program = helpers.program_of(helpers.real_text("vadd_expert"), helpers.signature(parameters, 2))
    (ub,) = program.memory
    assert (ub.space, ub.capacity_bytes) == ("ub", 196608)
    assert sorted((b.offset_bytes, b.size_bytes) for b in ub.buffers) == [
        (0, 16384),
        (16384, 16384),
        (32768, 16384),
    ]
    assert all(buffer.first < buffer.last for buffer in ub.buffers)


SOURCE = """a_ub = T.alloc_ub((64,), "float32")
T.copy(A, b_ub[0:64])
for k in range(2):
    pass
"""


def _named(helpers, lines: list[int], addresses: list[int]) -> Program:
    rows = [
        f"%p{i} = arith.constant {address} : i64\n"
        f"%b{i} = hivm.hir.pointer_cast(%p{i}) : memref<64xf32, #hivm.address_space<ub>> "
        f'loc("k":{line}:1)'
        for i, (line, address) in enumerate(zip(lines, addresses, strict=True))
    ]
    head = (
        "module { func.func @k(%f: i64, %l: memref<?xi8>, %w: memref<?xi8>) attributes "
        "{hivm.func_core_type = #hivm.func_core_type<AIV>} {"
    )
    text = "\n".join([head, *rows, "return } }"])
    sources = {"k": SourceFile(id="k", text=SOURCE, title="this cell")}
    return generate(from_text(text), helpers.signature([]), sources, DEFAULT_CHIP)


@pytest.mark.parametrize(
    ("lines", "addresses", "names"),
    [
        pytest.param([1], [0], ["a_ub"], id="allocation"),
        pytest.param([2], [256], ["b_ub"], id="destination of a copy"),
        pytest.param([3], [512], ["buffer at 512"], id="neither"),
        pytest.param([1, 1], [0, 256], ["a_ub[0]", "a_ub[1]"], id="two copies"),
    ],
)
def test_buffers_bear_the_learners_names(
    helpers, lines: list[int], addresses: list[int], names: list[str]
) -> None:
    (ub,) = _named(helpers, lines, addresses).memory
    assert [buffer.name for buffer in ub.buffers] == names
    assert {buffer.copies for buffer in ub.buffers} == {1}  # each has a place of its own


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param('"vendor.magic"() : () -> ()', "vendor.magic", id="unknown op"),
        pytest.param("set MTE4 V 0", "no core has PIPE_MTE4", id="unknown pipe"),
        pytest.param(
            "%a = hivm.hir.pointer_cast(%c0) : UB(64xi1)\n"
            "%g = memref.view %ws[%i0][] : GM(?xi8) to GM(64xi1)\n"
            "hivm.hir.load ins(%g : GM(64xi1)) outs(%a : UB(64xi1))",
            "a byte in GM and a bit on chip",
            id="bools from GM",
        ),
        pytest.param(
            "%a = hivm.hir.pointer_cast(%c0, %c8) : UB(64xf32)",
            "several addresses",
            id="before multi-buffering",
        ),
    ],
)
def test_ops_without_a_meaning_are_refused(tiny, line: str, reason: str) -> None:
    with pytest.raises(TLError, match="TL531") as caught:
        tiny.program([], vector=line)
    assert reason in str(caught.value)
    assert "the simulator cannot run" in str(caught.value)


def test_module_that_is_not_split_is_refused(helpers) -> None:
    text = (
        "module { func.func @k(%f: i64) attributes "
        "{hivm.func_core_type = #hivm.func_core_type<MIX>} { return } }"
    )
    for module in (text, "module { }"):
        with pytest.raises(TLError, match="TL531"):
            helpers.program_of(module, helpers.signature([]))


def test_scalars_and_symbols_reach_the_kernel(tiny, helpers) -> None:
    vector = """%n = arith.index_cast %N : i32 to index
%x = arith.sitofp %N : i32 to f32
memref.store %x, %A1[%n] : GM(8xf32)"""
    a = torch.zeros(8)
    tensors = [helpers.tensor("A", "float32", 8), helpers.symbol("N")]
    assert tiny.run(tensors, [a], vector=vector, symbols={"N": 3}).findings == ()
    assert a.tolist() == [0, 0, 0, 3, 0, 0, 0, 0]


def test_print_says_who_prints(tiny, capsys) -> None:
    debug = '<{debugtype = "print", prefix = "n", hex = false}> : (i64) -> ()'
    vector = f'%b = hivm.hir.get_block_idx -> i64\n"hivm.hir.debug"(%b) {debug}'
    tiny.run([], [], vector=vector, blocks=2)
    assert capsys.readouterr().out == "[block 0, vector core 0] n 0\n[block 1, vector core 0] n 1\n"


def test_print_waits_until_the_core_has_drained(tiny, helpers, capsys) -> None:
    debug = '<{debugtype = "print", prefix = "t", hex = false}> : (UB(8xf32)) -> ()'
    vector = f"""%u = hivm.hir.pointer_cast(%c0) : UB(8xf32)
hivm.hir.init_debug
hivm.hir.load ins(%A1 : GM(8xf32)) outs(%u : UB(8xf32))
"hivm.hir.debug"(%u) {debug}
hivm.hir.finish_debug
hivm.hir.vexp ins(%u : UB(8xf32)) outs(%u : UB(8xf32))"""
    tensors = [helpers.tensor("A", "float32", 8)]
    result = tiny.run(tensors, [torch.full((8,), 7.0)], vector=vector)
    assert capsys.readouterr().out == "[block 0, vector core 0] t\n[7. 7. 7. 7. 7. 7. 7. 7.]\n"
    assert result.findings == (), "no flag joins load and print, or print and vexp"


def test_an_op_of_no_dialect_is_refused_by_its_own_name(tiny) -> None:
    with pytest.raises(TLError) as caught:
        tiny.run([], [], vector='"some.dialect_op"() : () -> ()')
    assert caught.value.code == "TL531"
    assert "cannot run some.dialect_op" in caught.value.diagnostic.what


def test_values_carried_by_loops_and_conditions(tiny, helpers) -> None:
    vector = """%z = arith.constant 0 : i32
%f = arith.constant 1 : i32
%r:2 = scf.for %k = %z to %w6 step %f iter_args(%p = %z, %q = %f) -> (i32, i32) : i32 {
%s = arith.addi %p, %q : i32
scf.yield %q, %s : i32, i32
}
%big = arith.cmpi sgt, %r#0, %w4 : i32
%v = scf.if %big -> (i32) {
scf.yield %r#0 : i32
} else {
scf.yield %z : i32
}
memref.store %v, %A1[%i0] : GM(1xi32)"""
    a = torch.zeros(1, dtype=torch.int32)
    tiny.run([helpers.tensor("A", "int32", 1)], [a], vector=vector)
    assert a.item() == 8, "the sixth Fibonacci number"


def test_selected_buffers_are_told_apart(tiny, helpers) -> None:
    vector = """%a = hivm.hir.pointer_cast(%c0) : UB(8xf32)
%b = hivm.hir.pointer_cast(%c32) : UB(8xf32)
scf.for %k = %w0 to %w2 step %w1 : i32 {
%odd = arith.trunci %k : i32 to i1
%u = arith.select %odd, %a, %b : UB(8xf32)
%x = arith.sitofp %k : i32 to f32
hivm.hir.vbrc ins(%x : f32) outs(%u : UB(8xf32))
}
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.store ins(%a : UB(8xf32)) outs(%A1 : GM(8xf32))"""
    out = torch.zeros(8)
    result = tiny.run([helpers.tensor("A", "float32", 8)], [out], vector=vector)
    assert result.findings == ()
    assert out.tolist() == [1.0] * 8


def test_run_needs_no_chip_argument(tiny, helpers, vadd_lines: str) -> None:
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    program = tiny.program(tensors, vector=vadd_lines)
    a, c = torch.ones(64), torch.zeros(64)
    assert run(program, [a, a, c], symbols={}).timeline.chip == DEFAULT_CHIP.name
