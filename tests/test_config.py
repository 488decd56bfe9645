import pytest

from tlcourse.config import mode_from, read_config


@pytest.mark.parametrize("text", ["", "expert", " Expert ", "EXP", "e"])
def test_expert_words(text: str) -> None:
    assert mode_from(text) == "Expert"


@pytest.mark.parametrize("text", ["Developer", "dev", "anything"])
def test_everything_else_is_developer(text: str) -> None:
    assert mode_from(text) == "Developer"


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TILELANG_ASCEND_MODE", "TLCOURSE_COMPILER", "TLCOURSE_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    config = read_config()
    assert (config.mode, config.backend, config.execution) == ("Expert", "embedded", "simulator")
