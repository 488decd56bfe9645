"""pass_configs: what reaches the passes, what is warned of, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit import KernelWarning, compile
from tlcourse.jit.pass_config import EFFECTIVE, PassConfigKey, normal_pass_configs
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]


def test_members_and_texts_are_the_same_key() -> None:
    key = PassConfigKey.NPUIR_ENABLE_AUTO_MULTI_BUFFER
    wanted = {"npuir.enable_auto_multi_buffer": "False"}
    assert normal_pass_configs({key: False}) == normal_pass_configs({key.value: 0}) == wanted


def test_nothing_given() -> None:
    assert normal_pass_configs(None) == normal_pass_configs({}) == {}


def test_options_without_effect_are_kept_as_they_are() -> None:
    found = normal_pass_configs({PassConfigKey.TL_DYNAMIC_ALIGNMENT: 16})
    assert found == {"tl.dynamic_alignment": "16"}


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("npuir.enable_auto_multibuffer", 'did you mean "npuir.enable_auto_multi_buffer"?'),
        ("gpu.fast", "leave it out"),
    ],
)
def test_unknown_option_is_a_warning(name: str, fix: str, add: Factory) -> None:
    with pytest.warns(KernelWarning, match=r"warning\[TL430\]") as caught:
        compile(add(64), pass_configs={name: True})
    assert fix in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("configs", [{next(iter(EFFECTIVE)): "maybe"}, ["npuir"]])
def test_value_without_meaning(configs: object) -> None:
    with pytest.raises(TLError) as caught:
        normal_pass_configs(configs)  # type: ignore[arg-type]
    assert caught.value.code == "TL431"


def test_effective_option_reaches_the_passes(add: Factory) -> None:
    """Without inserted flags there is no set_flag in what the chip runs."""
    key = PassConfigKey.NPUIR_DISABLE_HIVM_AUTO_INJECT_SYNC
    texts = [compile(add(64), pass_configs={key: off}).get_kernel_source() for off in (False, True)]
    assert ["set_flag" in text for text in texts] == [True, False]
