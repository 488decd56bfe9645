from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from tlcourse.profile import Profile, roofline
from tlcourse.profile.figure import roofline_svg


def test_ceilings_by_hand(profile: Profile) -> None:
    found = {one.name: one for one in profile.roofline.ceilings}
    # 2 * 256 * 512 * 128 operations at 8192 a cycle on 24 cores of 1850 MHz.
    assert found["cube"].amount == 2 * 256 * 512 * 128
    assert found["cube"].microseconds == pytest.approx(33554432 / 8192 / 24 / 1850)
    assert "HBM" not in found  # an equal launch left all of it in L2
    cold = replace(profile, cold=True).roofline
    assert "HBM" in {one.name for one in cold.ceilings}


def test_a_small_launch_is_bound_by_latency(profile: Profile) -> None:
    verdict = profile.roofline.verdict
    assert verdict.startswith("Bound by latency, not by a ceiling: ")
    assert "bubbles.csv" in verdict


@pytest.mark.parametrize(("name", "word"), [("cube", "Compute"), ("L2", "Memory")])
def test_a_launch_near_a_ceiling_is_bound_by_it(profile: Profile, name: str, word: str) -> None:
    kept = {one.name: one for one in profile.roofline.ceilings}[name]
    recording = profile.recording
    if name == "cube":
        recording = replace(recording, tensors=())
    cycles = round(kept.microseconds * profile.timeline.clock_mhz / 0.9)
    quick = replace(profile.timeline, cycles=cycles)
    if name == "cube":
        shapes = tuple(
            replace(s, operations=0) if s.kind == "vector" else s for s in recording.shapes
        )
        recording = replace(recording, shapes=shapes)
    else:
        recording = replace(
            recording, shapes=tuple(replace(s, operations=0) for s in recording.shapes)
        )
    found = roofline(recording, quick, profile.chip, cold=False)
    assert found.verdict.startswith(f"{word} bound: {name} alone would need ")
    assert "(90%)" in found.verdict


def test_figure_is_an_image_with_the_verdict(profile: Profile) -> None:
    root = ElementTree.fromstring(roofline_svg(profile.roofline, profile.timeline))
    text = " ".join(root.itertext())
    assert f"launch: {profile.roofline.microseconds:.2f} us" in text
    assert "cube alone" in text
    assert "Bound by latency" in text
