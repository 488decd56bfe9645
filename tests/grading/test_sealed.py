import json

import pytest

from tlcourse.diagnostics import SourceFile, TLError
from tlcourse.grading.sealed import MAX_BYTES, Sealed, from_text

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
    again = from_text(sealed.to_text())
    assert again == sealed
    assert again.sha256 == sealed.sha256
    assert _sealed(text="builtin.module { }\n").sha256 != sealed.sha256
    assert _sealed(binding={"M": 1, "N": 2}).sha256 == sealed.sha256


@pytest.mark.parametrize(
    "document",
    [
        "",
        "no header",
        "[]\n",
        '{"schema":"tlcourse.Sealed/9"}\n',
        '{"schema":"tlcourse.Sealed/1"}\nmodule {}',
        "\ufffe\n",
        "[" * 100_000 + "\n",
        json.dumps(
            {
                "schema": "tlcourse.Sealed/1",
                "exercise": "d2.minicv",
                "spec_version": "x",
                "tlcourse_version": "1",
                "binding": {},
                "sources": {},
            }
        )
        + "\n",
        "x" * (MAX_BYTES + 1),
    ],
    ids=["empty", "no-header", "list", "schema", "keys", "bytes", "deep", "types", "large"],
)
def test_what_is_no_document_is_refused(document: str) -> None:
    with pytest.raises(TLError) as caught:
        from_text(document)
    assert caught.value.code == "TL603"
