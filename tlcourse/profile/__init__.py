"""Profile files of a launch: upstream's tree, a Chrome trace, tables, a roofline."""

from __future__ import annotations

from tlcourse.profile.roofline import Roofline, roofline
from tlcourse.profile.writing import (
    Profile,
    ProfileSummary,
    refuse_full,
    summary,
    write_profile,
)

__all__ = [
    "Profile",
    "ProfileSummary",
    "Roofline",
    "refuse_full",
    "roofline",
    "summary",
    "write_profile",
]
