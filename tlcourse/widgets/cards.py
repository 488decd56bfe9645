"""A card: what findings and verdicts look like in a notebook, with no script and no style sheet."""

from __future__ import annotations

# Colours of the edge, clear on light and on dark pages; a sign and a word stand beside each.
GOOD, BAD, WARNING, NOTE = "#1f8a5b", "#c4401a", "#b07800", "#3a7fc4"
# Attributes of the parts, since notebooks centre, right-align and space them as they like.
FLAT = 'style="margin:0.15em 0"'
# Lines may be longer than the card: what scrolls must take the focus.
LINES = 'tabindex="0" style="margin:0.4em 0;overflow-x:auto"'


def card(kind: str, edge: str, *parts: str) -> str:
    """Parts in a frame with a thick left edge; all of it is markup.

    Args:
        kind: its class.
        edge: colour of the frame.
        parts: what stands in it.
    """
    look = f"border:1px solid {edge};border-left-width:5px;border-radius:5px"
    space = "margin:0.5em 0;padding:0.3em 0.9em;max-width:72em"
    return f'<div class="{kind}" style="{look};{space}">{"".join(parts)}</div>'
