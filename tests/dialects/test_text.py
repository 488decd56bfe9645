import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.utils.exceptions import ParseError

from tlcourse.dialects.text import from_text


def test_a_string_that_is_never_closed_ends_at_once() -> None:
    text = 'builtin.module attributes {a = "' + "x" * 100_000 + "\n}"
    with pytest.raises(ParseError):
        from_text(text)


def test_a_string_with_escapes_is_read() -> None:
    module = from_text(r'builtin.module attributes {a = "x\"\\\n\41"} {}')
    assert module.attributes["a"] == StringAttr('x"\\\nA')
