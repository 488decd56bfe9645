"""What small viewers have in common: their script, their style, and a page that needs no server."""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tlcourse.widgets.labels import Language

_FOLDER = Path(__file__).parent
_EXPORT_LINE = "export default { render };"


def packed(state: object) -> str:
    """A state as JSON, gzip, base64; equal states give equal text."""
    text = json.dumps(state, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


@cache
def viewer_script(*names: str) -> str:
    """A viewer as one ES module: no import, no request at run time."""
    script = "\n".join(_read(name) for name in ("common.js", "viewer.js", *names)).rstrip()
    assert script.endswith(_EXPORT_LINE), "the page replaces the module's last line"
    return script


@cache
def viewer_style() -> str:
    """The style sheet of small viewers."""
    return _read("viewer.css")


def page(names: Sequence[str], data: str, title: str, language: Language, twin: str) -> str:
    """The text of a page that works from disk; `FILE#VIEW` opens it at a view.

    Args:
        names: files of the viewer's script.
        data: its packed state.
        title: of the page.
        language: of the page.
        twin: markup for readers without a script.
    """
    script = viewer_script(*names).removesuffix(_EXPORT_LINE) + _read("viewer_page.js")
    state = json.dumps({"data": data, "view": ""})
    body = f"<h1>{html.escape(title)}</h1><noscript>{twin}</noscript>"
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{viewer_style()}</style>\n"
        f'<body class="tl-page"><main id="view">{body}</main>\n'
        f'<script type="module">\nconst STATE = {state};\n{script}</script>\n</body>\n</html>\n'
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
