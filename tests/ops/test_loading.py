"""Loading: quick, with torch alone, and only what was built; everything else is refused."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.ops.loading import Kernels, load

from .conftest import NAME

WHERE = Path("src") / "artefacts"


def pinned(folder: Path) -> str:
    found = re.search(r'SHA256 = "(\w+)"', (folder / WHERE / "__init__.py").read_text("utf-8"))
    assert found
    return found[1]


def opened(folder: Path) -> Kernels:
    return load(folder / WHERE, sha256=pinned(folder))


def variant(folder: Path) -> Path:
    return folder / WHERE / NAME / "M-N1024-float16"


def sealed_again(folder: Path) -> Kernels:
    """Opens a changed package whose hashes were all made to fit."""
    root = folder / WHERE
    index = json.loads((root / "index.json").read_text("utf-8"))
    for name in index["folders"]:
        path = root / name / "metadata.json"
        metadata = json.loads(path.read_text("utf-8"))
        if isinstance(metadata.get("files"), dict):
            for file in metadata["files"]:
                metadata["files"][file] = stamp((root / name / file).read_bytes())
        path.write_text(json.dumps(metadata), "utf-8")
        index["folders"][name] = stamp(path.read_bytes())
    (root / "index.json").write_text(json.dumps(index), "utf-8")
    return load(root, sha256=hashlib.sha256((root / "index.json").read_bytes()).hexdigest())


def stamp(data: bytes) -> dict[str, str | int]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}


def change_json(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), "utf-8")


def test_a_kernel_is_launched_in_the_variant_that_fits(built: Path) -> None:
    kernels = opened(built)
    assert kernels.operators() == (NAME,)
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.randn(5, 1024, generator=torch.Generator().manual_seed(1)).to(dtype)
        y = kernels(NAME)(x)
        assert isinstance(y, torch.Tensor)
        assert y.dtype == dtype
        torch.testing.assert_close(y, (torch.relu(x.float()) ** 2).to(dtype))


@pytest.mark.parametrize(
    "x",
    [torch.ones(5, 1000).half(), torch.ones(5, 1024), torch.ones(1024).half(), 3],
    ids=["columns", "dtype", "rank", "number"],
)
def test_what_fits_no_variant_is_refused(built: Path, x: object) -> None:
    with pytest.raises(TLError, match="TL484") as caught:
        opened(built)(NAME)(x)
    assert "M-N1024-bfloat16; M-N1024-float16" in str(caught.value)


def test_constants_choose_among_the_variants(built: Path) -> None:
    kernels = opened(built)
    x = torch.ones(1, 1024).half()
    assert kernels(NAME, dtype="float16")(x) is not None
    with pytest.raises(TLError, match="TL484"):
        kernels(NAME, dtype="bfloat16")(x)
    with pytest.raises(TLError, match="TL484"):
        kernels("another")


@pytest.mark.parametrize("file", ["metadata.json", "program.json", "wrapper.cpp"])
@pytest.mark.parametrize("how", ["byte", "cut", "gone", "longer"])
def test_a_changed_file_is_refused_when_the_package_is_opened(
    package: Path, file: str, how: str
) -> None:
    path = variant(package) / file
    data = bytearray(path.read_bytes())
    if how == "byte":
        data[len(data) // 2] ^= 1
    path.write_bytes(data[: len(data) // 2] if how == "cut" else data + b" " * (how == "longer"))
    if how == "gone":
        path.unlink()
    with pytest.raises(TLError, match="TL480"):
        opened(package)


def test_a_file_that_changes_after_opening_is_refused_at_the_launch(package: Path) -> None:
    kernels = opened(package)
    path = variant(package) / "program.json"
    path.write_bytes(path.read_bytes().replace(b"clamp_min", b"clamp_max"))
    with pytest.raises(TLError, match="TL480"):
        kernels(NAME)(torch.ones(1, 1024).half())


def test_an_index_with_new_hashes_is_not_the_one_that_the_code_names(package: Path) -> None:
    path = variant(package) / "program.json"
    path.write_bytes(path.read_bytes() + b" ")
    digest = pinned(package)
    sealed_again(package)
    with pytest.raises(TLError, match="TL480"):
        load(package / WHERE, sha256=digest)


def test_another_version_is_refused(package: Path) -> None:
    change_json(package / WHERE / "index.json", lambda index: index.update(tlcourse="0.0.9"))
    with pytest.raises(TLError, match="TL481") as caught:
        sealed_again(package)
    assert "0.0.9" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(schema="tlcourse.Artefact/9"),
        lambda data: data.pop("operator"),
        lambda data: data.update(files=[1, 2]),
        lambda data: data.update(files={"../../index.json": data["files"]["program.json"]}),
        lambda data: data["files"].pop("program.json"),
    ],
    ids=["schema", "key", "type", "elsewhere", "no program"],
)
def test_metadata_of_another_form_are_refused(
    package: Path, change: Callable[[dict[str, object]], object]
) -> None:
    change_json(variant(package) / "metadata.json", change)
    with pytest.raises(TLError, match=r"TL483|TL480"):
        sealed_again(package)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "nul", '{"schema": 1}'])
def test_an_index_that_is_no_index_is_refused(package: Path, text: str) -> None:
    path = package / WHERE / "index.json"
    path.write_text(text, "utf-8")
    with pytest.raises(TLError, match="TL483"):
        load(path.parent, sha256=hashlib.sha256(text.encode()).hexdigest())


def test_unknown_keys_and_other_types_are_refused_at_the_first_launch(package: Path) -> None:
    change_json(variant(package) / "metadata.json", lambda data: data.update(command="rm"))
    with pytest.raises(TLError, match="TL483"):
        sealed_again(package)(NAME)(torch.ones(1, 1024).half())


def test_a_program_that_is_none_is_refused(package: Path) -> None:
    (variant(package) / "program.json").write_text('{"schema": "tlcourse.Program/1"}', "utf-8")
    with pytest.raises(TLError, match="TL483"):
        sealed_again(package)(NAME)(torch.ones(1, 1024).half())


def test_hostile_code_is_refused_and_does_not_run(package: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof"

    def change(data: dict[str, object]) -> None:
        agents = data["agents"]
        assert isinstance(agents, list)
        agents[0]["source"] = (
            f"def run(core, X, Y, M):\n    open({str(proof)!r}, 'w').close()\n    yield None\n"
        )
        data["options"] = {**data["options"], "batched": None}  # type: ignore[dict-item]

    change_json(variant(package) / "program.json", change)
    with pytest.raises(TLError, match="TL482"):
        sealed_again(package)(NAME)(torch.ones(1, 1024).half())
    assert not proof.exists()


def test_ten_kernels_load_with_torch_alone(built: Path, tmp_path: Path) -> None:
    """What loading brings into a process; how long it takes is measured by the bench."""
    code = f"""
import sys
import torch
from tlcourse.ops.loading import load
for _ in range(5):
    kernels = load({str(built / WHERE)!r}, sha256={pinned(built)!r})
y = kernels({NAME!r})(torch.ones(3, 1024).half())
ours = ("dialects", "language", "passes", "codegen", "pipeline", "simulator", "stages", "bishengir")
print([n for n in sys.modules if n.startswith("xdsl") or n.split(".")[1:2] and
       n.split(".")[0] == "tlcourse" and n.split(".")[1] in ours], float(y.sum()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "[] 3072.0\n", done.stdout + done.stderr
