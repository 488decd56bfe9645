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
sys.stdout.write(f" {'annotations' in globals()}")
"""
    assert python(code) == "vexp True False False"


def test_help_shows_the_functions() -> None:
    code = "import pydoc, tilelang.language as T\nprint(pydoc.plaintext.document(T))"
    assert "\n    vexp(" in python(code)


def test_unknown_names_are_named() -> None:
    code = """
import tilelang, tilelang.language as T
for module, name in ((tilelang, "autotne"), (tilelang.cache, "clear"), (T, "vexpp")):
    try:
        getattr(module, name)
    except AttributeError as problem:
        print(str(problem).splitlines()[0])
print(hasattr(tilelang, "autotne"))
"""
    said = python(code).splitlines()
    assert said[0] == "error[TL460]: tilelang.autotne is not here"
    assert said[1] == "error[TL460]: tilelang.cache.clear is not here"
    assert "vexpp" in said[2]
    assert said[3] == "False"


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("from tilelang import autotne", "did you mean tilelang.autotune?"),
        ("from tilelang import DataType", "write dtypes as texts"),
        ("from tilelang.jit.jit_npu import _detect_affine", "tilelang.compile gives"),
        ("from tilelang.utils.npu_utils import get_runtime_file_cache", "nothing is built here"),
        ("from tilelang.transform import simplify_prim_func", "kernel.trace()"),
        ("from tilelang.intrinsics import get_swizzle_layout", "write T.gemm"),
        ("from tilelang import tvm as tvm; tvm.tir", "kernel.prim_func.script()"),
    ],
)
def test_what_is_not_served_is_told_at_its_line(tmp_path: Path, line: str, fix: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import tlcourse\n{line}\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert f" 2 | {line}" in done.stderr
    assert "[TL460]" in done.stderr
    assert fix in done.stderr


IMPORTS = """
import tilelang, tilelang as tl
import tilelang.autotuner, tilelang.env, tilelang.profiler, tilelang.testing, tilelang.version
import tilelang.layout, tilelang.intrinsics, tilelang.primitives, tilelang.transform.simplify
import tilelang.utils.target, tilelang.engine.callback, tilelang.carver.arch
import tilelang.utils.npu_utils as npu_utils_module
from tilelang import carver, language as T, tvm as tvm
from tilelang.autotuner import AutoTuner, autotune
from tilelang.autotuner.param import AutotuneResult, CompileArgs, ProfileArgs
from tilelang.autotuner.tuner import AutoTuner as same
from tilelang.cache import cached_npu, clear_cache, get_cache_dir, set_cache_dir
from tilelang.carver.anneal import Config
from tilelang.carver.anneal.policy import Annealparam, AnnealTemplate
from tilelang.carver.template import MatmulTemplate
from tilelang.carver.template.base import auto_infer_current_arch
from tilelang.engine.param import KernelParam
from tilelang.jit.jit_npu import JitKernel_NPU
from tilelang.profiler import Profiler, do_bench
from tilelang.profiler.bench import do_bench as same
from tilelang.transform.pass_config import PassConfigKey
from tilelang.utils import NPUUtils, TensorSupplyType, map_torch_type, torch_assert_close
from tilelang.utils.npu_arch import AscendArch
from tilelang.utils.tensor import map_torch_type
"""


def test_everything_that_scripts_import() -> None:
    code = f"""{IMPORTS}
print(callable(tilelang.jit), tilelang.env is tl.env, JitKernel_NPU is tilelang.JitKernel_NPU)
print(type(tilelang.env).__name__, tilelang.TensorSupplyType is TensorSupplyType)
print(NPUUtils.get() is NPUUtils.get(), map_torch_type("float16"), tilelang.__version__[:5])
"""
    said = python(code).splitlines()
    assert said == ["True True True", "Environment True", "True torch.float16 0.1.2"]


def test_cache_is_cleared_at_import_where_wanted(tmp_path: Path) -> None:
    (tmp_path / "tlcourse").mkdir()
    (tmp_path / "tlcourse" / "entry").write_text("old")
    code = f"""
import os
os.environ |= dict(TILELANG_CACHE_DIR={str(tmp_path)!r}, TILELANG_CLEAR_CACHE="1")
import tilelang
"""
    python(code)
    assert not (tmp_path / "tlcourse").exists()


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
