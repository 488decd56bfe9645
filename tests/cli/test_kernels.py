"""`ir` and `demo` at the level of arguments and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tlcourse.cli import app
from tlcourse.diagnostics import TLError
from tlcourse.records import PassTrace, from_json

KERNEL = """
import tilelang.language as T

@T.prim_func
def exponential(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        A_ub = T.alloc_ub((64,), "float32")
        B_ub = T.alloc_ub((64,), "float32")
        T.copy(A, A_ub)
        T.vexp(A_ub, B_ub)
        T.copy(B_ub, B)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The command sets these for its children; once set here, they are put back after the test.
    for name in ("TLCOURSE_BACKEND", "TILELANG_ASCEND_MODE"):
        monkeypatch.setenv(name, "")
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return path


def ir(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["ir", *arguments])


def test_ir_prints_the_text_after_each_pass_that_changed_it(file: Path) -> None:
    lines = ir(f"{file}:exponential").output.splitlines()
    heads = [line for line in lines if line.startswith("// ----- ")]
    assert heads[0].startswith("// ----- 0 tir ")
    unchanged = next(n for n, line in enumerate(lines) if line.endswith(": unchanged -----"))
    assert lines[unchanged + 1].startswith("// ----- ")
    changed = next(n for n, line in enumerate(lines) if line.endswith(": changed -----"))
    assert not lines[changed + 1].startswith("// ----- ")


def test_ir_of_one_pass(file: Path) -> None:
    shown = ir(str(file), "--pass", "hivm-plan-memory").output
    assert shown.count("// ----- ") == 1
    assert "hivm.hir.pointer_cast" in shown


def test_a_missing_folder_is_misuse_before_anything_is_compiled(file: Path) -> None:
    result = ir(str(file), "--html", str(file.parent / "none" / "x.html"))
    assert result.exit_code == 2
    assert "there is no folder" in result.output


def test_an_unknown_pass_is_misuse_and_lists_the_passes(file: Path) -> None:
    result = ir(str(file), "--pass", "nothing")
    assert result.exit_code == 2
    assert "hivm-plan-memory" in result.output.replace("\n", "")


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("enable-auto-multibuffer=false", "did you mean enable-auto-multi-buffer?"),
        ("nothing", "there are: enable-auto-multi-buffer,"),
    ],
)
def test_an_unknown_switch_is_misuse(file: Path, word: str, told: str) -> None:
    result = ir(str(file), "--option", word)
    assert result.exit_code == 2
    assert told in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize("word", ["enable-auto-multi-buffer", "npuir.tile_mix_cube_loop=1"])
def test_a_known_switch_is_taken_by_both_names(file: Path, word: str) -> None:
    assert ir(str(file), "--option", word, "--pass", "cse").exit_code == 0


def test_a_switch_with_a_wrong_value_names_the_commands_option(file: Path) -> None:
    problem = ir(str(file), "--option", "enable-auto-multi-buffer=maybe").exception
    assert isinstance(problem, TLError)
    assert problem.diagnostic.fix == "write --option npuir.enable_auto_multi_buffer=true"


def test_the_head_above_a_text_says_what_it_is(file: Path) -> None:
    assert ir(str(file), "--pass", "input").output.startswith("// ----- 0 tir input: as written -")


@pytest.mark.bishengir
def test_the_head_says_which_pass_was_the_real_one(file: Path, bishengir_opt: Path) -> None:
    shown = ir(str(file), "--swap", "hivm-plan-memory", "--pass", "hivm-plan-memory").output
    assert "npuir the real hivm-plan-memory: changed -----" in shown
    assert "real" not in ir(str(file), "--swap", "hivm-plan-memory", "--pass", "cse").output


def test_ir_as_data(file: Path) -> None:
    trace = from_json(PassTrace, ir(str(file), "--json").output)
    assert trace.kernel == "exponential"
    assert all(step.text_id in trace.texts for step in trace.snapshots)


@pytest.mark.parametrize("mode", ["developer", "expert"])
def test_ir_takes_the_mode(file: Path, mode: str) -> None:
    trace = json.loads(ir(str(file), "--mode", mode, "--json").output)
    assert trace["mode"].lower() == mode


MODES = {
    "expert": ("T.alloc_ub", "T.alloc_fragment", "TL210", "compile in Developer mode: --mode dev"),
    "developer": (
        "        T.vexp",
        '        with T.rs("PIPE_MTE2"):\n            T.sync_block_wait(0)\n        T.vexp',
        "TL214",
        "compile in Expert mode: --mode expert",
    ),
}


@pytest.mark.parametrize("mode", MODES)
def test_the_other_mode_is_named_by_the_commands_option(file: Path, mode: str) -> None:
    old, new, code, fix = MODES[mode]
    file.write_text(KERNEL.replace(old, new))
    problem = ir(str(file), "--mode", mode).exception
    assert isinstance(problem, TLError)
    assert problem.code == code
    assert fix in problem.diagnostic.fix
    assert 'mode="' not in str(problem)
    assert "^" in str(problem)


def test_ir_as_a_page(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    result = ir(str(file), "--html", str(page))
    assert result.output == f"wrote {page}\n"
    assert "exponential" in page.read_text(encoding="utf-8")


def test_a_colon_in_a_path_is_part_of_the_path(file: Path) -> None:
    odd = file.with_name("a:b.py")
    odd.write_text(KERNEL)
    assert ir(str(odd), "--json").exit_code == 0
    assert ir(f"{odd}:exponential", "--json").exit_code == 0


@pytest.mark.bishengir
def test_ir_through_the_real_compiler(file: Path, bishengir_opt: Path) -> None:
    trace = from_json(PassTrace, ir(str(file), "--backend", "bishengir", "--json").output)
    assert any(step.origin == "real" for step in trace.snapshots)


def test_demo_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_BACKEND", "")
    result = CliRunner().invoke(app, ["demo", "--mode", "expert", "--json"])
    assert result.exit_code == 0
    report = json.loads(result.output)
    assert report["schema"] == "tlcourse.DemoReport/1"
    assert report["mode"] == "Expert"
    assert {line["name"]: line["agrees"] for line in report["outputs"]} == {"C": True, "D": True}


def test_data_is_not_broken_by_what_the_file_prints(file: Path) -> None:
    file.write_text(KERNEL + "\nprint('hello')\n")
    result = ir(str(file), "--json")
    assert from_json(PassTrace, result.stdout).kernel == "exponential"
    assert result.stderr == "hello\n"


@pytest.mark.parametrize("words", [("--execution", "functional"), ("a", "--execution=npu")])
def test_options_behind_the_file_are_misuse(file: Path, words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["run", str(file), *words])
    assert result.exit_code == 2
    assert "stand before FILE" in " ".join(result.output.split())


def test_arguments_behind_two_dashes_are_the_scripts(file: Path) -> None:
    file.write_text("import sys\nprint(sys.argv[1:])\n")
    result = CliRunner().invoke(app, ["run", str(file), "-k", "--", "--execution", "x"])
    assert result.output == "['-k', '--', '--execution', 'x']\n"


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["--", "--execution", "x"], ["--execution", "x"]),
        (["--", "--", "x"], ["--", "x"]),
        (["--"], []),
        (["x", "--", "y"], ["x", "--", "y"]),
    ],
)
def test_two_dashes_right_behind_the_file_are_not(
    file: Path, words: list[str], given: list[str]
) -> None:
    file.write_text("import sys\nprint(sys.argv[1:])\n")
    assert CliRunner().invoke(app, ["run", str(file), *words]).output == f"{given}\n"


def test_run_without_arguments(file: Path) -> None:
    file.write_text("import sys\nprint(sys.argv[1:])\n")
    assert CliRunner().invoke(app, ["run", str(file)]).output == "[]\n"


def test_help_of_run_shows_where_arguments_stand() -> None:
    # Some versions of typer put braces around what is required.
    shown = CliRunner().invoke(app, ["run", "--help"]).output.replace("{FILE}", "FILE")
    assert "run [OPTIONS] FILE [ARGS]..." in shown
