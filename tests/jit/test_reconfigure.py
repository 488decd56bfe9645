from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit import compile as compile_kernel
from tlcourse.jit.reconfigure import with_pass_configs
from tlcourse.pipeline.options import SWAP


def test_further_configs_override_and_the_kernel_stays(add):
    off = {"npuir.disable_hivm_auto_inject_sync": "True"}
    kernel = compile_kernel(add(64), pass_configs={"npuir.enable_auto_multi_buffer": False})
    other = with_pass_configs(kernel, off)
    assert "set_flag" in kernel.get_kernel_source()
    assert "set_flag" not in other.get_kernel_source()
    assert other.settings.pass_configs == {"npuir.enable_auto_multi_buffer": "False", **off}
    assert other.launch_signature == kernel.launch_signature


def test_numbers_and_passes_are_checked(add):
    kernel = compile_kernel(add(64))
    with pytest.raises(TLError, match="not a number from 1 on") as caught:
        with_pass_configs(kernel, {"npuir.set_workspace_multibuffer": "many"})
    assert caught.value.code == "TL431"
    with pytest.raises(TLError, match="TL325"):
        with_pass_configs(kernel, {SWAP: "hivm-plan-memory, cse"})
