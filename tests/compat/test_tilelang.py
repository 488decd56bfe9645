"""`import tilelang` and `import torch_npu` where no NPU is, in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def python(code: str) -> str:
    """The output of a fresh Python after `import tlcourse`."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import tlcourse\n{code}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_modules_are_loaded_under_their_real_names() -> None:
    code = """
import sys, tilelang, tilelang.language, tilelang.engine, tilelang.cache
import tilelang.utils.npu_utils, tilelang.math, torch_npu
print([n for n in sys.modules if n.startswith("tlcourse.compat")])
print(tilelang.__name__, tilelang.language.__name__, torch_npu.__name__)
"""
    assert python(code) == "[]\ntilelang tilelang.language torch_npu"


@pytest.mark.parametrize(
    ("upstream", "ours"),
    [
        ("tilelang.jit", "tlcourse.jit.jit"),
        ("tilelang.compile", "tlcourse.jit.compile"),
        ("tilelang.lower", "tlcourse.jit.lower"),
        ("tilelang.engine.lower", "tlcourse.jit.lower"),
        ("tilelang.PassConfigKey", "tlcourse.jit.pass_config.PassConfigKey"),
        ("tilelang.cache.clear_cache", "tlcourse.jit.cache.clear_cache"),
        ("tilelang.language.copy", "tlcourse.language.copy"),
        ("tilelang.language.vexp", "tlcourse.language.vexp"),
        ("torch_npu.npu", "tlcourse.device.npu_module()"),
    ],
)
def test_names_are_ours(upstream: str, ours: str) -> None:
    imports = "import tilelang, torch_npu, tlcourse.jit.cache, tlcourse.jit.pass_config"
    code = f"{imports}\nimport tlcourse.device, tlcourse.language\nprint({upstream} is {ours})"
    assert python(code) == "True"


def test_star_import_gives_the_public_names() -> None:
    code = """
import sys
from tilelang.language import *
sys.stdout.write(f"{vexp.__name__} {'vexp' in globals()} {'_dtypes' in globals()}")
"""
    assert python(code) == "vexp True False"


def test_unknown_names_are_named() -> None:
    code = """
import tilelang, tilelang.language as T
for module, name in ((tilelang, "carver"), (T, "vexpp")):
    try:
        getattr(module, name)
    except AttributeError as problem:
        print(problem)
"""
    said = python(code)
    assert "'tilelang' has no attribute 'carver'" in said
    assert "vexpp" in said.splitlines()[1]


def test_a_wrong_t_name_is_shown_at_the_line_that_asks(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tlcourse\nimport tilelang.language as T\nT.vexpp\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert " 3 | T.vexpp" in done.stderr
    assert "did you mean T.vexp?" in done.stderr


def test_tilelang_alone_brings_the_device() -> None:
    assert python("import tilelang, torch\nprint(torch.zeros(2).npu().device)") == "npu:0"


def test_small_helpers() -> None:
    code = """
import tilelang
from tilelang.utils import NPUUtils
tilelang.set_log_level("WARNING")
key = tilelang.PassConfigKey.NPUIR_ENABLE_AUTO_MULTI_BUFFER
print(tilelang.cdiv(5, 4), tilelang.next_power_of_2(5), NPUUtils.get().get_aicore_num(), key)
"""
    assert python(code) == "2 8 24 npuir.enable_auto_multi_buffer"


def test_torch_npu_registers_the_device() -> None:
    code = "import torch, torch_npu\nprint(torch.zeros(2).npu().device, torch.npu.is_available())"
    assert python(code) == "npu:0 True"


def test_torch_may_autoload_ours() -> None:
    code = "import torch_npu\nprint(torch_npu._autoload())"
    assert python(code) == "None"
