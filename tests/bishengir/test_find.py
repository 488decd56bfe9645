from __future__ import annotations

import pytest

from tlcourse.bishengir.find import find_tool, require_tool
from tlcourse.diagnostics import TLError


def test_the_variable_names_the_tool(fake_tool):
    path = fake_tool("exit 0")
    assert find_tool() == require_tool() == path


def test_a_file_that_cannot_be_run_is_no_tool(fake_tool):
    fake_tool("exit 0").chmod(0o644)
    assert find_tool() is None


def test_a_missing_tool_is_an_error_with_a_way_out(fake_tool):
    fake_tool("exit 0").unlink()
    with pytest.raises(TLError, match=r'backend="embedded"') as caught:
        require_tool()
    assert caught.value.code == "TL350"


def test_an_empty_package_is_no_compiler(tmp_path, monkeypatch):
    package = tmp_path / "ascendnpuir"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.delenv("TLCOURSE_BISHENGIR_OPT", raising=False)
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.delitem("sys.modules", "ascendnpuir", raising=False)
    assert find_tool() is None


@pytest.mark.bishengir
def test_the_wheels_tool_is_found(bishengir_opt, monkeypatch):
    monkeypatch.delenv("TLCOURSE_BISHENGIR_OPT", raising=False)
    found = find_tool()
    assert found is not None
    assert found.name == "bishengir-opt"
