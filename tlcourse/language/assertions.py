"""Assertions in a kernel: `assert cond, text` and T.assert_, decided while it is read."""

from __future__ import annotations

from tlcourse.language.builder import builder
from tlcourse.language.calls import expression
from tlcourse.language.scalar import Operand


@expression
def assert_(condition: object, message: object = "") -> None:
    """Checks something that is known while the kernel is read; as Python's `assert`.

    Args:
        condition: a Python value.
        message: what to say where it does not hold.

    Raises:
        TL103: the condition is known only when the kernel runs.
        TL128: it does not hold.
    """
    check_assertion(condition, str(message))


def check_assertion(value: object, message: str) -> None:
    """Refuses a condition that does not hold, or that nobody could check.

    Raises:
        TL103: the condition is known only when the kernel runs.
        TL128: it does not hold.
    """
    if isinstance(value, Operand):
        raise builder().fail(
            "TL103",
            "a kernel cannot check an assertion while it runs",
            why="the NPU has no way to raise",
            fix="assert in the factory, or look at the value with T.print",
        )
    if value:
        return
    raise builder().fail(
        "TL128",
        f"the assertion does not hold{': ' + message if message else ''}",
        why="it is checked while the kernel is read",
        fix="check the arguments of the factory",
    )
