from __future__ import annotations

import pytest

from tlcourse.bishengir.options import BishengOptions, pipeline_text

_HEAD = (
    "builtin.module(canonicalize-module,hacc-append-device-spec{target=Ascend910B1},"
    "func.func(triton-global-kernel-args-to-hivm-op),convert-tensor-to-hivm,convert-to-hivm-op,"
    "optimize-hivm-pipeline{enable-triton-kernel-compile=true enable-auto-multi-buffer=true "
    "disable-hivm-auto-inject-sync=false "
)


def test_plain_options_name_only_what_tilelang_names():
    text = pipeline_text("Developer", BishengOptions(), "Ascend910B1")
    assert text == _HEAD + "hivmc-version=1.2.0})"


def test_expert_mode_leaves_the_tensor_half_out():
    text = pipeline_text("Expert", BishengOptions(), "Ascend910B1")
    assert text == _HEAD + "disable-hivm-tensor-compile=true hivmc-version=1.2.0})"


def test_the_chip_is_the_target():
    assert "target=Ascend910B3}" in pipeline_text("Expert", BishengOptions(), "Ascend910B3")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"auto_multi_buffer": False}, "enable-auto-multi-buffer=false"),
        ({"auto_inject_sync": False}, "disable-hivm-auto-inject-sync=true"),
        ({"auto_inject_block_sync": False}, "disable-auto-inject-block-sync=true"),
        ({"bind_sub_block": False}, "enable-auto-bind-sub-block=false"),
        ({"graph_sync_solver": False}, "enable-hivm-graph-sync-solver=false"),
        ({"unit_flag_sync": True}, "enable-hivm-unit-flag-sync=true"),
        ({"barrier_all": True}, "enable-hivm-inject-barrier-all-sync=true"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_option_is_one_switch(change, word):
    text = pipeline_text("Developer", BishengOptions(**change), "Ascend910B1")
    assert word in text.split("{")[2].rstrip("})").split(" ")
