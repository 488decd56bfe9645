"""Compiled code in a package: used on the machine it was built for, refused when changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.functional import compiled
from tlcourse.ops.precompile import precompile

from .conftest import NAME
from .test_loading import opened, sealed_again, variant

pytestmark = pytest.mark.skipif(
    compiled.find_compiler() is None, reason="no C compiler on this machine"
)


@pytest.fixture
def native(package: Path) -> Path:
    list(precompile(package))
    return package


def x() -> torch.Tensor:
    return torch.randn(13, 1024, generator=torch.Generator().manual_seed(5)).half()


def test_the_library_computes(native: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Path] = []
    real = compiled.run_compiled

    def noted(library: Path, *rest: Any) -> int:
        ran.append(library)
        return real(library, *rest)

    monkeypatch.setattr("tlcourse.functional.run.run_compiled", noted)
    y = opened(native)(NAME)(x())
    assert ran == [variant(native) / "main.so"]
    torch.testing.assert_close(y, (torch.relu(x().float()) ** 2).half())
    monkeypatch.setenv("TLCOURSE_ENGINE", "torch")
    torch.testing.assert_close(opened(native)(NAME)(x()), y)
    assert len(ran) == 1


def test_another_machine_takes_the_program(native: Path) -> None:
    path = variant(native) / "metadata.json"
    metadata = json.loads(path.read_text("utf-8"))
    assert metadata["machine"] == compiled.machine_tag()
    path.write_text(json.dumps(metadata | {"machine": "another"}), "utf-8")
    kernels = sealed_again(native)
    chosen = next(one for one in kernels.variants if one.folder == variant(native))
    assert chosen.program.options["library"] is None
    torch.testing.assert_close(kernels(NAME)(x()), (torch.relu(x().float()) ** 2).half())


@pytest.mark.parametrize("file", ["main.so", "main.c"])
def test_a_changed_library_is_refused(native: Path, file: str) -> None:
    path = variant(native) / file
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(TLError, match="TL480"):
        opened(native)


def test_a_library_that_changes_after_opening_is_refused(native: Path) -> None:
    kernels = opened(native)
    path = variant(native) / "main.so"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(TLError, match="TL480"):
        kernels(NAME)(x())


def test_a_program_cannot_bring_c_text_of_its_own(package: Path, tmp_path: Path) -> None:
    """Only files that the metadata name are compiled code; a Program's options are not."""
    path = variant(package) / "program.json"
    data = json.loads(path.read_text("utf-8"))
    data["options"] |= {"library": str(tmp_path / "evil.so"), "native": "int run() { return 0; }"}
    path.write_text(json.dumps(data), "utf-8")
    kernels = sealed_again(package)
    chosen = next(one for one in kernels.variants if one.folder == variant(package))
    assert chosen.program.options["library"] is None
    assert chosen.program.options["native"] is None
