"""Numbers of what the real compiler makes, against torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tlcourse.records import Parameter, Program
from tlcourse.simulator.params import Checks
from tlcourse.simulator.run import SimulatorRun, run
from tlcourse.tolerance import tolerance


def _assert_close(got: torch.Tensor, wanted: torch.Tensor, dtype: str) -> None:
    limit = tolerance(dtype)
    torch.testing.assert_close(got, wanted, atol=limit, rtol=limit)


def _vadd(helpers, name: str, *extents: int | str, blocks: int | str) -> Program:
    parameters = [helpers.tensor(n, "float16", *extents) for n in "ABC"]
    parameters += [helpers.symbol(e) for e in extents if isinstance(e, str)]
    return helpers.program_of(
        helpers.real_text(name), helpers.signature(parameters, blocks, out_idx=(2,))
    )


def _minicv_parameters(helpers, m: int | str, n: int | str, k: int | str) -> list[Parameter]:
    return [
        helpers.tensor("A", "float16", m, k),
        helpers.tensor("B", "float16", k, n),
        helpers.tensor("C", "float32", m, n),
        helpers.tensor("D", "float32", m, n),
        *(helpers.symbol(e) for e in (m, n, k) if isinstance(e, str)),
    ]


def _minicv(
    helpers, name: str, m: int, n: int, k: int, *, symbols: bool = False
) -> Callable[..., tuple[SimulatorRun, list[torch.Tensor]]]:
    """Makes a launcher of MiniCV with tiles of 128 x 256 and k steps of 64."""
    extents = ("M", "N", "K") if symbols else (m, n, k)
    blocks = "((M + 127) // 128) * ((N + 255) // 256)" if symbols else (m // 128) * (n // 256)
    launch = helpers.signature(_minicv_parameters(helpers, *extents), blocks, out_idx=(2, 3))
    program = helpers.program_of(helpers.real_text(name), launch)
    generator = torch.Generator().manual_seed(0)

    def start(**options: object) -> tuple[SimulatorRun, list[torch.Tensor]]:
        a = (torch.randn(m, k, generator=generator) / k**0.5).half()
        b = torch.randn(k, n, generator=generator).half()
        c, d = torch.full((m, n), torch.nan), torch.full((m, n), torch.nan)
        values = {"M": m, "N": n, "K": k} if symbols else {}
        result = run(program, [a, b, c, d], symbols=values, **options)
        product = a.float() @ b.float()
        return result, [c, product, d, product.exp()]

    return start


@pytest.mark.parametrize("checks", ["off", "class", "all"])
@pytest.mark.parametrize("name", ["vadd_expert", "vadd_developer"])
def test_vadd_of_the_real_compiler(helpers, name: str, checks: Checks) -> None:
    program = _vadd(helpers, name, 128, 256, blocks=2)
    a, b = torch.randn(128, 256).half(), torch.randn(128, 256).half()
    c = torch.full((128, 256), torch.nan).half()
    result = run(program, [a, b, c], symbols={}, checks=checks)
    assert torch.equal(c, a + b)
    assert result.findings == ()


@pytest.mark.parametrize("extents", [(100, 200), (64, 128), (65, 129), (1, 1)])
@pytest.mark.parametrize("name", ["vadd_tails_expert", "vadd_tails_developer"])
def test_vadd_with_tails(helpers, name: str, extents: tuple[int, int]) -> None:
    program = _vadd(helpers, name, "M", "N", blocks="(M + 63) // 64")
    m, n = extents
    a, b = torch.randn(m, n).half(), torch.randn(m, n).half()
    c = torch.full((m, n), torch.nan).half()
    result = run(program, [a, b, c], symbols={"M": m, "N": n})
    assert torch.equal(c, a + b)
    assert result.findings == ()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["minicv_expert", "minicv_developer"])
def test_minicv_of_the_real_compiler(helpers, name: str, seed: int) -> None:
    result, (c, product, d, exponential) = _minicv(helpers, name, 256, 512, 128)(seed=seed)
    _assert_close(c, product, "float32")
    _assert_close(d, exponential, "float32")
    assert result.findings == ()


@pytest.mark.parametrize("checks", ["class", "all"])
@pytest.mark.parametrize("extents", [(300, 500, 200), (129, 257, 65), (1, 1, 1)])
def test_minicv_with_tails(helpers, extents: tuple[int, int, int], checks: Checks) -> None:
    start = _minicv(helpers, "minicv_tails_expert", *extents, symbols=True)
    result, (c, product, d, exponential) = start(checks=checks)
    _assert_close(c, product, "float32")
    _assert_close(d, exponential, "float32")
    assert result.findings == ()


def test_softmax_of_the_real_compiler(helpers) -> None:
    parameters = [helpers.tensor(n, "float32", 64, 512) for n in "AB"]
    launch = helpers.signature(parameters, 2, out_idx=(1,))
    program = helpers.program_of(helpers.real_text("softmax_developer"), launch)
    a, b = torch.randn(64, 512), torch.full((64, 512), torch.nan)
    result = run(program, [a, b], symbols={}, checks="all")
    _assert_close(b, a.softmax(1), "float32")
    assert result.findings == ()


def test_thread_setting_comes_back(helpers) -> None:
    program = _vadd(helpers, "vadd_expert", 128, 256, blocks=2)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    a = torch.zeros(128, 256).half()
    run(program, [a, a, a.clone()], symbols={})
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


def test_tensors_with_gradients_are_accepted(vadd_lines: str, tiny, helpers) -> None:
    a = torch.ones(64, requires_grad=True)
    c = torch.empty(64)
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    tiny.run(tensors, [a, a, c], vector=vadd_lines)
    assert torch.equal(c, torch.full((64,), 2.0))


def test_a_grid_without_blocks_is_an_error(vadd_lines: str, tiny, helpers) -> None:
    a = torch.ones(64)
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    with pytest.raises(Exception, match="TL410"):
        tiny.run(tensors, [a, a, a.clone()], vector=vadd_lines, blocks=0)
