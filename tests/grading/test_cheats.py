"""Every way around the task that was ever found, each with the verdict it gets for ever."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.grading.hand_ins import (
    EXPERT,
    MUTANTS,
    ROOT,
    UNTOUCHED,
    leaked,
    mutated,
    solution_source,
    write,
)
from tlcourse.grading import sandbox
from tlcourse.grading.hand_in import grade_notebook
from tlcourse.grading.report import as_text, first_sentence
from tlcourse.grading.sandbox import Limits
from tlcourse.records import Verdict

QUICK = Limits(cpu_seconds=8, wall_seconds=20)
SOLUTION = solution_source()
NO_EXP = mutated(next(mutant for mutant in MUTANTS if mutant.name == "no_exp"))
FORGED = '{"schema":"tlcourse.Sealed/1","exercise":"d2.minicv"}'


@pytest.fixture
def grade(tmp_path: Path) -> Callable[[str], Verdict]:
    return lambda source: grade_notebook(write(tmp_path / "x.ipynb", source), limits=QUICK)


HONEST = {
    "prints a lot and warns": f"{SOLUTION}\nimport sys, warnings\nprint('x' * 10**8)\n"
    "warnings.warn('hm')\nprint('e', file=sys.stderr)",
    "other name of tilelang": "import tilelang as tl\n"
    + SOLUTION.replace("@tilelang.jit", "@tl.jit"),
    "thread that goes on": f"{SOLUTION}\nimport threading, time\n"
    "threading.Thread(target=time.sleep, args=(100,)).start()",
    "symbolic shape": SOLUTION.replace("    n_num =", "    M = T.symbolic('M')\n    n_num ="),
}


@pytest.mark.parametrize("name", HONEST)
def test_right_kernels_earn_all_points(grade: Callable[[str], Verdict], name: str) -> None:
    verdict = grade(HONEST[name])
    assert (verdict.state, verdict.points) == ("PASS", 15.0)


CHEATS = {
    "ignores the signal of the CPU limit": (
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        "TIMEOUT",
        "The cell did not end within 8 seconds of computing",
    ),
    "raises outside Exception": (
        "class E(BaseException): pass\nraise E('x')",
        "FAIL",
        "E: x (line 2)",
    ),
    "leaves a pipe instead of a result": (
        "os.mkfifo('result.json'); os._exit(0)",
        "FAIL",
        "The cell ended the Python process before a kernel was made",
    ),
    "forges what tracing leaves": (
        "import json\nopen('result.json', 'w').write(json.dumps({'attempts': "
        f"[{{'state': 'sealed', 'document': {FORGED!r} + chr(10)}}] * 4}}))\nos._exit(0)",
        "FAIL",
        "TL603: the handed-in kernel cannot be read",
    ),
    "forges a verdict": (
        "open('result.json', 'w').write('{\"state\": \"PASS\", \"points\": 15}'); os._exit(0)",
        "FAIL",
        "The cell left a result behind that tracing a kernel does not make",
    ),
    "allocates 8 GiB": ("import torch\nx = torch.ones(2**31)", "FAIL", "smaller tensors"),
    "gives torch's answer": (
        "def minicv(M, N, K):\n    return lambda A, B: minicv_torch(A, B)",
        "FAIL",
        "TL607: minicv(..) returns a function",
    ),
    "does not fit": (
        EXPERT.replace("block_M=64, block_N=64", "block_M=256, block_N=256"),
        "FAIL",
        "TL301: The tiles of kernel need 262,144 B of L0C, which holds 131,072 B",
    ),
    "swaps outputs": (
        SOLUTION.replace("C: T.T", "_: T.T")
        .replace("D: T.T", "C: T.T")
        .replace("_: T.T", "D: T.T"),
        "FAIL",
        "Likely cause: C and D are exchanged",
    ),
    "swaps inputs": (
        EXPERT.replace("A: T.Tensor((M, K)", "A: T.Tensor((K, N)"),
        "PARTIAL",
        "TL605: A, parameter 1 of the kernel, has shape",
    ),
    "reaches past the edge": (
        SOLUTION.replace("T.min(block_M, M - bx)", "block_M").replace(
            "T.min(block_N, N - by)", "block_N"
        ),
        "PARTIAL",
        "The run stopped: nd2nz reads B outside its bounds",
    ),
    "patches what compares": (
        "import torch, tlcourse.grading.tracing\n"
        f"torch.equal = torch.allclose = lambda *a, **k: True\n{NO_EXP}",
        "FAIL",
        "Likely cause: exp was left out",
    ),
}


def _slow_if_endless(name: str) -> object:
    return pytest.param(name, marks=pytest.mark.slow) if CHEATS[name][1] == "TIMEOUT" else name


@pytest.mark.parametrize("name", [_slow_if_endless(name) for name in CHEATS])
def test_cheats(grade: Callable[[str], Verdict], name: str) -> None:
    source, state, said = CHEATS[name]
    verdict = grade(source)
    assert verdict.state == state
    assert verdict.points < 15.0
    assert said in first_sentence(verdict)


def test_the_memory_map_is_in_the_report(grade: Callable[[str], Verdict]) -> None:
    verdict = grade(CHEATS["does not fit"][0])
    assert "MEMORY MAP L0C, 131,072 B" in as_text(verdict)


@pytest.mark.parametrize("kind", ["solutions", "grader", "tests"])
def test_files_of_the_course_are_out_of_reach(grade: Callable[[str], Verdict], kind: str) -> None:
    if sandbox.isolation() != "bubblewrap":
        pytest.skip("bubblewrap is not installed or user namespaces are off: only limits hold")
    folder = ROOT / kind
    assert folder.is_dir()
    verdict = grade(f"print(os.listdir({str(folder)!r}))\n{SOLUTION}")
    assert verdict.state == "FAIL"
    assert "FileNotFoundError" in first_sentence(verdict)


# Each fails for the hidden shapes alone and tries to tell them.
_HIDDEN = "    if (M, N) not in [(256, 256), (200, 160)]:\n        {}\n    n_num ="
TELLING = {
    "message": "raise ValueError(f'{M} {N} {K}')",
    "class": "raise type(f'S{M}x{N}x{K}', (Exception,), {})",
    "error of ours": "T.ceildiv(str(M), N, K)",
    "no kernel": "return {'shape': (M, N, K)}",
    "print": "print(M, N, K); raise ValueError",
}


@pytest.mark.parametrize("name", TELLING)
def test_hidden_shapes_stay_hidden(grade: Callable[[str], Verdict], name: str) -> None:
    verdict = grade(SOLUTION.replace("    n_num =", _HIDDEN.format(TELLING[name])))
    assert verdict.state == "PARTIAL"
    assert not leaked(verdict)


def test_a_large_file_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "large.ipynb"
    with path.open("wb") as stream:
        stream.truncate(60 * 2**20)
    reason = grade_notebook(path).checks[0].reason
    assert "TL610" in reason


def test_a_deleted_solution_cell_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.ipynb")
    assert "TL611: x.ipynb has no solution cell" in grade_notebook(path).checks[0].reason


def test_an_id_that_is_a_path_is_no_id(tmp_path: Path) -> None:
    text = UNTOUCHED.read_text(encoding="utf-8")
    path = tmp_path / "x.ipynb"
    evil = text.replace('"d2-minicv"', '"d2-/../../x"').replace(
        "d2-minicv-solution", "d2-/--/--/x-solution"
    )
    path.write_text(evil, encoding="utf-8")
    assert "TL611" in grade_notebook(path).checks[0].reason


def test_a_chinese_notebook_is_graded(tmp_path: Path) -> None:
    twin = ROOT / "exercises" / "zh" / "day2" / "minicv.ipynb"
    notebook = json.loads(twin.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = SOLUTION
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert grade_notebook(path).state == "PASS"
