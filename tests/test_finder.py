"""Who answers `import tilelang` and `import torch_npu`: each case in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = """
import tlcourse
from tlcourse.finder import decision
print(decision().served, decision().reason)
"""
ORIGINS = """
import importlib.util
import tlcourse
for name in ("tilelang", "torch_npu"):
    print(importlib.util.find_spec(name).origin)
"""


def python(code: str, path: Path | None = None, **variables: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a fresh Python; `path` comes first on its sys.path."""
    clean = ("TLCOURSE_", "ASCEND_", "TORCH_DEVICE_", "PYTHONPATH", "LD_LIBRARY_PATH")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(clean)}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def output(code: str, path: Path | None = None, **variables: str) -> str:
    """The output of a fresh Python that must succeed."""
    code_number, text, errors = python(code, path, **variables)
    assert code_number == 0, errors
    return text


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder for sys.path with stand-ins of an installed torch_npu and tilelang, and a CANN."""
    site = tmp_path / "site"
    for name in ("torch_npu", "tilelang"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text("REAL = True\n")
    information = site / "torch_npu-2.13.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_npu\nVersion: 2\n")
    (tmp_path / "cann").mkdir()
    return site


@pytest.fixture
def cann(machine: Path) -> str:
    return str(machine.parent / "cann")


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, tlcourse; print({'torch', 'xdsl', 'numpy', 'matplotlib'} & {*sys.modules})"
    assert output(code) == "set()\n"


def test_only_the_two_roots_are_answered() -> None:
    code = """
import sys, tlcourse
first = sys.meta_path[0]
print(type(first).__name__, [first.find_spec(n, None) for n in ("torch", "tilelang.language")])
"""
    assert output(code) == "Finder [None, None]\n"


def test_installing_twice_changes_nothing() -> None:
    code = """
import sys, tlcourse.finder as f
f.install()
print(sum(isinstance(x, f.Finder) for x in sys.meta_path))
"""
    assert output(code) == "1\n"


def test_without_torch_npu_both_are_simulated(tmp_path: Path) -> None:
    assert output(SHOW) == "simulated torch_npu is not installed\n"
    for line in output(ORIGINS, tmp_path).splitlines():
        assert Path(line).parent.parent.name == "compat"


def test_all_three_present_gives_the_real_pair(machine: Path, cann: str) -> None:
    assert output(SHOW, machine, ASCEND_HOME_PATH=cann).startswith("npu ")
    code = "import tlcourse, tilelang, torch_npu; print(tilelang.REAL, torch_npu.REAL)"
    assert output(code, machine, ASCEND_HOME_PATH=cann) == "True True\n"


def test_cann_is_found_by_its_library(machine: Path, cann: str) -> None:
    (Path(cann) / "libascendcl.so").touch()
    assert output(SHOW, machine, LD_LIBRARY_PATH=cann).startswith("npu ")


def test_a_real_module_keeps_no_trace_of_the_finder(machine: Path, cann: str) -> None:
    code = "import tlcourse, tilelang; print(type(tilelang.__loader__).__name__)"
    assert output(code, machine, ASCEND_HOME_PATH=cann) == "SourceFileLoader\n"


def test_without_cann_both_are_simulated(machine: Path) -> None:
    assert output(SHOW, machine) == "simulated torch_npu is installed, but CANN is not\n"
    assert str(machine) not in output(ORIGINS, machine)


def test_a_tilelang_folder_without_init_is_not_a_package(machine: Path, cann: str) -> None:
    (machine / "tilelang" / "__init__.py").unlink()
    shown = output(SHOW, machine, ASCEND_HOME_PATH=cann)
    assert shown == "simulated torch_npu and CANN are here, but tilelang is not installed\n"
    assert str(machine) not in output(ORIGINS, machine, ASCEND_HOME_PATH=cann)


def test_simulated_can_be_forced(machine: Path, cann: str) -> None:
    variables = {"ASCEND_HOME_PATH": cann, "TLCOURSE_BACKEND": "simulated"}
    assert output(SHOW, machine, **variables) == "simulated TLCOURSE_BACKEND=simulated\n"
    assert str(machine) not in output(ORIGINS, machine, **variables)


def test_the_decision_holds_for_the_process(machine: Path, cann: str) -> None:
    code = """
import os, tlcourse
from tlcourse.finder import decision
before = decision()
os.environ["TLCOURSE_BACKEND"] = "simulated"
print(before == decision(), decision().served)
"""
    assert output(code, machine, ASCEND_HOME_PATH=cann) == "True npu\n"


PREFER = "from tlcourse.finder import prefer_simulated; prefer_simulated()"


def test_a_command_may_prefer_the_simulator(machine: Path, cann: str) -> None:
    shown = output(PREFER + SHOW, machine, ASCEND_HOME_PATH=cann)
    assert shown == "simulated this command works on the simulator\n"
    assert output(PREFER + SHOW) == "simulated torch_npu is not installed\n"


def test_the_user_has_the_last_word(machine: Path, cann: str) -> None:
    variables = {"ASCEND_HOME_PATH": cann, "TLCOURSE_BACKEND": "npu"}
    assert output(PREFER + SHOW, machine, **variables) == "npu TLCOURSE_BACKEND=npu\n"


def test_unknown_word_is_refused() -> None:
    code, _, errors = python("import tlcourse, tilelang", TLCOURSE_BACKEND="cuda")
    assert code == 1
    assert "error[TL701]: TLCOURSE_BACKEND=cuda is not one of auto, simulated, npu" in errors


def test_npu_forced_without_the_package_says_so() -> None:
    code, _, errors = python("import tlcourse, torch_npu", TLCOURSE_BACKEND="npu")
    assert code == 1
    assert "error[TL703]: the real torch_npu is wanted (TLCOURSE_BACKEND=npu)" in errors


def test_a_failing_real_import_names_its_cause_and_the_way_out(machine: Path, cann: str) -> None:
    (machine / "torch_npu" / "__init__.py").write_text("raise OSError('libhccl.so: not found')\n")
    code, _, errors = python("import tlcourse, torch_npu", machine, ASCEND_HOME_PATH=cann)
    assert code == 1
    assert "error[TL704]: the real torch_npu cannot be imported" in errors
    assert "OSError: libhccl.so: not found" in errors
    assert "TLCOURSE_BACKEND=simulated" in errors


def test_the_inner_package_speaks_when_one_imports_the_other(machine: Path, cann: str) -> None:
    (machine / "torch_npu" / "__init__.py").write_text("raise OSError('libhccl.so: not found')\n")
    (machine / "tilelang" / "__init__.py").write_text("import torch_npu\n")
    _, _, errors = python("import tlcourse, tilelang", machine, ASCEND_HOME_PATH=cann)
    assert "the real torch_npu cannot be imported" in errors
    assert "the real tilelang" not in errors


def test_a_real_package_imported_first_is_not_mixed_with_ours(machine: Path) -> None:
    early = "import torch_npu\n"
    assert output(early + SHOW, machine) == "npu torch_npu was imported before tlcourse\n"
    code, _, errors = python(early + SHOW, machine, TLCOURSE_BACKEND="simulated")
    assert code == 1
    assert "error[TL702]" in errors


AUTOLOAD = "import os, tlcourse; print(os.environ.get('TORCH_DEVICE_BACKEND_AUTOLOAD'))"


def test_autoload_is_switched_off_without_cann() -> None:
    assert output(AUTOLOAD) == "0\n"


def test_autoload_is_left_alone_with_cann(tmp_path: Path) -> None:
    assert output(AUTOLOAD, ASCEND_HOME_PATH=str(tmp_path)) == "None\n"


def test_autoload_is_left_alone_when_the_user_set_it() -> None:
    assert output(AUTOLOAD, TORCH_DEVICE_BACKEND_AUTOLOAD="1") == "1\n"


def test_autoload_is_left_alone_when_torch_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "torch.py").touch()
    assert output("import torch\n" + AUTOLOAD, tmp_path) == "None\n"


@pytest.fixture
def broken(machine: Path) -> Path:
    """A torch_npu that torch loads by itself and that cannot load: there is no CANN."""
    (machine / "torch_npu" / "__init__.py").write_text("raise ImportError('libhccl.so: missing')\n")
    entry = machine / "torch_npu-2.13.0.dist-info" / "entry_points.txt"
    entry.write_text("[torch.backends]\ntorch_npu = torch_npu:_autoload\n")
    return machine


WORKS = "import torch, torch_npu; print(torch.ones(1).npu().device)"


@pytest.mark.parametrize("autoload", [{}, {"TORCH_DEVICE_BACKEND_AUTOLOAD": "1"}])
def test_tlcourse_first_keeps_torch_alive(broken: Path, autoload: dict[str, str]) -> None:
    assert output("import tlcourse\n" + WORKS, broken, **autoload) == "npu:0\n"


@pytest.mark.parametrize("first", ["torch", "tlcourse"])
def test_the_variable_keeps_torch_alive(broken: Path, first: str) -> None:
    code = f"import {first}, tlcourse\n" + WORKS
    assert output(code, broken, TORCH_DEVICE_BACKEND_AUTOLOAD="0") == "npu:0\n"


def test_torch_that_failed_before_is_explained(broken: Path) -> None:
    early = """
try:
    import torch
except RuntimeError as problem:
    print(problem)
import tlcourse
"""
    code, text, errors = python(early, broken)
    assert code == 1
    assert "Failed to load the backend extension: torch_npu" in text
    assert "error[TL741]: torch failed to load in this process" in errors
    assert "torch_npu is installed here without CANN" in errors
    assert "restart the kernel" in errors


def test_torch_that_failed_for_another_reason_is_explained() -> None:
    half = "import sys, types; sys.modules['torch._C'] = types.ModuleType('_C'); import tlcourse"
    code, _, errors = python(half)
    assert code == 1
    assert "error[TL741]" in errors
    assert "CANN" not in errors


def test_tvm_is_refused_with_a_way_out_beside_simulated_tilelang() -> None:
    code = (
        "import tlcourse, tilelang\n"
        "try:\n    from tvm import tir\n"
        "except ModuleNotFoundError as problem:\n    print(problem)"
    )
    said = output(code, TLCOURSE_BACKEND="simulated")
    assert said.startswith("error[TL460]: tvm is not here")
    assert "T.symbolic" in said


def test_tvm_is_left_alone_where_it_is_installed_or_nobody_asked_for_tilelang(
    tmp_path: Path,
) -> None:
    number, _, errors = python("import tlcourse, tvm")
    assert (number, errors.splitlines()[-1]) == (1, "ModuleNotFoundError: No module named 'tvm'")
    (tmp_path / "tvm.py").write_text("REAL = True\n")
    code = "import tlcourse, tilelang, tvm; print(tvm.REAL)"
    assert output(code, tmp_path, TLCOURSE_BACKEND="simulated") == "True\n"


def test_a_probe_for_tvm_does_not_meet_the_error() -> None:
    code = (
        "import tlcourse, tilelang, torch\n"
        "from torch._dynamo.backends.tvm import has_tvm\n"
        "import torch._dynamo.trace_rules\n"
        "print(has_tvm())"
    )
    assert python(code) == (0, "False\n", "")
