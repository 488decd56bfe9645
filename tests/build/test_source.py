"""Course sources: what is read, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests_build_parts import code, prose
from tlcourse.build.source import read_source, twin_hash
from tlcourse.diagnostics import TLError
