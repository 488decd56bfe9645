import json

import pytest

from tlcourse.diagnostics import SourceFile, TLError
from tlcourse.grading.sealed import MAX_BYTES, Sealed, from_bytes

SOURCE = SourceFile(id="cell:0badcafe", text="x = 1\n", title="this cell")


def _sealed(**changes: object) -> Sealed:
    values: dict = {
        "exercise": "d2.minicv",
        "spec_version": 1,
        "tlcourse_version": "0.1.0",
        "binding": {"N": 2, "M": 1},
        "sources": {SOURCE.id: SOURCE},
        "text": "builtin.module {}\n",
    }
    return Sealed(**{**values, **changes})


def test_round_trip_and_hash_over_every_byte() -> None:
    sealed = _sealed()
    again = from_bytes(sealed.to_bytes())
    assert again == sealed
    assert again.sha256 == sealed.sha256
    assert _sealed(text="builtin.module { }\n").sha256 != sealed.sha256
    assert _sealed(binding={"M": 1, "N": 2}).sha256 == sealed.sha256


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"no header",
        b"[]\n",
        b'{"schema":"tlcourse.Sealed/9"}\n',
        b'{"schema":"tlcourse.Sealed/1"}\nmodule {}',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        json.dumps(
            {
                "schema": "tlcourse.Sealed/1",
                "exercise": "d2.minicv",
                "spec_version": "x",
                "tlcourse_version": "1",
                "binding": {},
                "sources": {},
            }
        ).encode()
        + b"\n",
        b"x" * (MAX_BYTES + 1),
    ],
    ids=["empty", "no-header", "list", "schema", "keys", "bytes", "deep", "types", "large"],
)
def test_what_is_no_document_is_refused(document: bytes) -> None:
    with pytest.raises(TLError) as caught:
        from_bytes(document)
    assert caught.value.code == "TL603"
