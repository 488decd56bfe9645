import os
from pathlib import Path

import pytest

from tlcourse.grading.whole import write_whole


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_whole(path, "old\n")
    write_whole(path, b"new\n", mode=0o600)
    assert path.read_bytes() == b"new\n"
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    write_whole(path, "old\n")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space") as caught:
        write_whole(path, "new\n")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x"]
