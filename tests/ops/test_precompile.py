"""Precompiling: every variant, the same bytes each time, wherever the package lies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse.cli import app
from tlcourse.diagnostics import TLError
from tlcourse.ops.precompile import check_fresh, precompile
from tlcourse.ops.recipe import variant_name
from tlcourse.ops.wrapper import syntax_errors

from .conftest import NAME

WHERE = Path("src") / "artefacts"


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in (folder / WHERE).rglob("*") if path.suffix in (".json", ".cpp")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_artefacts_are_the_same_wherever_the_package_lies(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Path(shutil.copytree(built, tmp_path / "some" / "place"))
    monkeypatch.chdir(elsewhere)
    names = [one.variant for one in precompile(elsewhere, native=False)]
    assert names == ["M-N1024-float16", "M-N1024-bfloat16"]
    assert contents(elsewhere) == contents(built)
    assert not [text for text in contents(built).values() if str(tmp_path).encode() in text]


def test_metadata_say_how_the_kernel_is_launched(built: Path) -> None:
    text = (built / WHERE / NAME / "M-N1024-float16" / "metadata.json").read_text("utf-8")
    metadata = json.loads(text)
    assert metadata["constants"] == {"M": "M", "N": "1024", "dtype": "float16"}
    signature = metadata["signature"]
    shown = [(p["name"], p["kind"], p["dtype"], p["extents"]) for p in signature["parameters"]]
    assert shown == [
        ("X", "tensor", "float16", ["M", "1024"]),
        ("Y", "tensor", "float16", ["M", "1024"]),
        ("M", "symbol", "int32", []),
    ]
    assert signature["out_idx"] == [1]
    assert metadata["written"] == ["Y"]


def test_host_wrappers_are_cplusplus(built: Path) -> None:
    texts = [text.decode() for name, text in contents(built).items() if name.endswith(".cpp")]
    assert len(texts) == 2
    for text in texts:
        said = syntax_errors(text)
        if said is None:
            pytest.skip("no C++ compiler on this machine")
        assert said == ""
        assert syntax_errors(text.replace("int32_t M_arg;", "int32_t M_arg")) != ""


def test_a_changed_kernel_makes_artefacts_old(package: Path) -> None:
    check_fresh(package)
    kernel = package / "compile" / "kernels" / f"{NAME}.py"
    kernel.write_text(
        kernel.read_text("utf-8").replace("vmul(wide, wide", "vadd(wide, wide"), "utf-8"
    )
    with pytest.raises(TLError, match="TL487"):
        check_fresh(package)
    before = contents(package)
    assert len(list(precompile(package, native=False))) == 2
    check_fresh(package)
    assert contents(package) != before


def test_artefacts_that_are_not_there_are_old(package: Path) -> None:
    shutil.rmtree(package / WHERE)
    with pytest.raises(TLError, match="TL487"):
        check_fresh(package)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: shutil.rmtree(folder / "compile"),
        lambda folder: (folder / "pyproject.toml").write_text("[project]\n", "utf-8"),
        lambda folder: (folder / "compile/kernels/__init__.py").write_text("", "utf-8"),
        lambda folder: (folder / "compile/kernels/__init__.py").write_text("KERNELS = (1,)"),
    ],
    ids=["no kernels", "no name", "no KERNELS", "no recipe"],
)
def test_what_is_no_package_is_refused(package: Path, change: object) -> None:
    assert callable(change)
    change(package)
    with pytest.raises(TLError, match="TL485"):
        list(precompile(package))


def test_names_of_variants_tell_their_constants() -> None:
    assert variant_name({}) == "only"
    assert variant_name({"M": "M", "N": 64, "dtype": "float16"}) == "M-N64-float16"
    assert variant_name({"causal": True, "eps": 1e-6}) == "causalTrue-eps1e_06"


def test_the_commands(tmp_path: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(app, ["new-op-package", "opscli", "--where", str(tmp_path)])
    assert made.exit_code == 0, made.output
    assert "opscli/M-N1024-bfloat16" in made.output
    folder = str(tmp_path / "opscli")
    assert runner.invoke(app, ["precompile", folder, "--check"]).exit_code == 0
    done = runner.invoke(app, ["precompile", folder, "--json"])
    assert [one["variant"] for one in json.loads(done.output)] == [
        "M-N1024-float16",
        "M-N1024-bfloat16",
    ]
    assert runner.invoke(app, ["precompile", str(tmp_path / "nowhere")]).exit_code == 2
