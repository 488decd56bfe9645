from __future__ import annotations

import pytest

from tlcourse.bishengir import ToolError, compile_text, trace_text
from tlcourse.bishengir.run import run_tool
from tlcourse.bishengir.steps import real_steps


def test_the_exit_code_decides_and_not_the_word_error(fake_tool):
    fake_tool("echo 'error: gave up softly' >&2; cat")
    output = run_tool(["--pass"], "module {}", timeout_s=10)
    assert output.stdout == "module {}"
    assert output.stderr == "error: gave up softly\n"


def test_arguments_reach_the_tool_with_locations_on(fake_tool):
    fake_tool('echo "$@"')
    words = run_tool(["--cse"], "", timeout_s=10).stdout.split()
    assert words[-2:] == ["--cse", "-"]
    assert {"--mlir-print-debuginfo", "--mlir-print-local-scope"} <= set(words)


@pytest.mark.parametrize("ending", ["exit 1", "exit 2"])
def test_another_code_is_a_refusal(fake_tool, ending):
    fake_tool(f"echo 'k.py:3:5: error: no such op' >&2; {ending}")
    with pytest.raises(ToolError, match="bishengir-opt says: no such op") as caught:
        run_tool([], "module {}", timeout_s=10)
    assert caught.value.code == "TL351"
    assert caught.value.ir == "module {}"
    assert "no such op" in caught.value.stderr


@pytest.mark.parametrize("ending", ["kill -SEGV $$", "exit 139"])
def test_a_signal_is_a_crash(fake_tool, ending):
    fake_tool(f"echo gone >&2; {ending}")
    with pytest.raises(ToolError, match="memory that it does not own") as caught:
        run_tool([], "module {}", timeout_s=10)
    assert caught.value.code == "TL352"


def test_an_endless_run_is_stopped(fake_tool):
    fake_tool("exec sleep 60")
    with pytest.raises(ToolError, match=r"did not finish within 0\.2 s") as caught:
        run_tool([], "module {}", timeout_s=0.2)
    assert caught.value.code == "TL353"


def test_another_program_is_told_apart(fake_tool):
    fake_tool("echo hello")
    real_steps.cache_clear()
    for use in (
        lambda: real_steps("Developer"),
        lambda: compile_text("module {}", mode="Developer"),
    ):
        with pytest.raises(ToolError, match="this program printed: ") as caught:
            use()
        assert caught.value.code == "TL354"


def test_a_tool_that_dies_before_its_first_pass_is_a_crash(fake_tool):
    fake_tool("kill -9 $$")
    with pytest.raises(ToolError) as caught:
        list(trace_text("module {}", mode="Developer"))
    assert caught.value.code == "TL352"
