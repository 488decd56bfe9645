"""Buffers that loops carry: shared where a trip is done with the old one, else copied."""

from __future__ import annotations

import re

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.hivm_plan_memory import HivmPlanMemoryPass


def _kind(space: str = "ub") -> str:
    return f"memref<512xf32, #hivm.address_space<{space}>>"


def _fill(name: str) -> str:
    return f"hivm.hir.vbrc ins(%zero : f32) outs({name} : {_kind()})"


def _add(left: str, right: str, result: str) -> str:
    kinds = ", ".join([_kind()] * 2)
    return f"hivm.hir.vadd ins({left}, {right} : {kinds}) outs({result} : {_kind()})"


def _kernel(body: str, yielded: str, after: str = "", *, space: str = "ub") -> str:
    kind = _kind(space)
    start = f"%start = memref.alloc() : {kind}"
    fill = _fill("%start") if space == "ub" else ""
    return f"""module {{
  func.func @k() attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    {start}
    {fill}
    %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%it = %start) -> ({kind}) : i32 {{
      %next = memref.alloc() : {kind}
      {body}
      scf.yield {yielded} : {kind}
    }}
    {after}
    return
  }}
}}"""


def _addresses(text: str) -> dict[str, list[int]]:
    constants = dict(re.findall(r"(%\w+) = arith.constant (\d+) : i64", text))
    found = re.findall(r"%(\w+) = hivm.hir.pointer_cast\(([^)]*)\)", text)
    return {name: [int(constants[a]) for a in inner.split(", ")] for name, inner in found}


def test_an_elementwise_op_fills_the_next_one_in_place(run_passes) -> None:
    text = run_passes(_kernel(_add("%it", "%it", "%next"), "%next"), HivmPlanMemoryPass())
    assert _addresses(text) == {"start": [0], "next": [0]}
    assert "hivm.hir.copy" not in text


def test_a_trip_that_is_done_with_the_old_one_shares_its_place(run_passes) -> None:
    other = f"%other = memref.alloc() : {_kind()}\n"
    body = other + _add("%it", "%it", "%other") + "\n" + _add("%other", "%other", "%next")
    text = run_passes(_kernel(body, "%next"), HivmPlanMemoryPass())
    found = _addresses(text)
    assert found["start"] == found["next"] != found["other"]
    assert "hivm.hir.copy" not in text


def test_the_old_one_still_read_means_a_copy(run_passes) -> None:
    body = _add("%it", "%it", "%next") + "\n" + _add("%it", "%next", "%next")
    text = run_passes(_kernel(body, "%next"), HivmPlanMemoryPass())
    found = _addresses(text)
    assert found["start"] != found["next"]
    assert f"hivm.hir.copy ins(%next : {_kind()}) outs(%it : {_kind()})" in text
    assert "scf.yield %it" in text


def test_a_start_that_is_read_after_the_loop_stays_as_it_is(run_passes) -> None:
    text = run_passes(
        _kernel(_add("%it", "%it", "%next"), "%next", _add("%start", "%end", "%end")),
        HivmPlanMemoryPass(),
    )
    found = _addresses(text)
    assert len(found) == 3
    assert found["start"] != found["next"]
    assert text.index("hivm.hir.copy ins(%start") < text.index("scf.for")


def test_two_that_change_places_are_put_aside(run_passes) -> None:
    kind = _kind()
    text = _kernel(_add("%it", "%it", "%next"), "%next")
    text = text.replace(
        "%end = scf.for", f"%b = memref.alloc() : {kind}\n{_fill('%b')}\n%end:2 = scf.for"
    )
    text = text.replace("(%it = %start) -> (", f"(%it = %start, %it2 = %b) -> ({kind}, ")
    text = text.replace(f"scf.yield %next : {kind}", f"scf.yield %next, %it : {kind}, {kind}")
    done = run_passes(text, HivmPlanMemoryPass())
    copies = re.findall(r"hivm.hir.copy ins\((%\w+) .*outs\((%\w+) ", done)
    assert [source for source, _ in copies][:1] == ["%it"], "before it is overwritten"
    assert {target for _, target in copies} >= {"%it", "%it2"}
    assert "scf.yield %it, %it2" in done


def test_a_start_whose_strides_a_run_tells_is_copied_into_a_buffer_of_its_own(run_passes) -> None:
    kind, loose = _kind(), "memref<512xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>"
    cast = f"memref.cast {{}} : {kind} to {loose}"
    text = _kernel(_add("%next", "%next", "%next"), "%n")
    text = text.replace("%end = scf", f"%s = {cast.format('%start')}\n%end = scf")
    text = text.replace(f"= %start) -> ({kind})", f"= %s) -> ({loose})")
    text = text.replace(
        f"scf.yield %n : {kind}",
        f"hivm.hir.vadd ins(%it, %next : {loose}, {kind}) outs(%next : {kind})\n"
        f"%n = {cast.format('%next')}\nscf.yield %n : {loose}",
    )
    done = run_passes(text, HivmPlanMemoryPass())
    found = _addresses(done)
    assert len(found) == 3
    assert len({place for places in found.values() for place in places}) == 3
    assert done.index(f"hivm.hir.copy ins(%s : {loose})") < done.index("scf.for")


def test_what_the_loop_hands_on_is_left_alone(run_passes) -> None:
    text = _kernel(_add("%it", "%it", "%next"), "%it")
    assert "hivm.hir.copy" not in run_passes(text, HivmPlanMemoryPass())


def test_no_copy_within_l1() -> None:
    kind = _kind("cbuf")
    body = f'"test.use"(%next) : ({kind}) -> ()\n"test.use"(%it) : ({kind}) -> ()'
    with pytest.raises(TLError, match="next would have to be copied within L1") as caught:
        HivmPlanMemoryPass().apply(None, from_text(_kernel(body, "%next", space="cbuf")))
    assert caught.value.code == "TL307"


def test_what_is_loaded_while_the_old_one_waits_has_its_own_place(run_passes) -> None:
    other = f"%other = memref.alloc() : {_kind()}\n"
    body = other + _fill("%other") + "\n" + _add("%it", "%other", "%next")
    found = _addresses(run_passes(_kernel(body, "%next"), HivmPlanMemoryPass()))
    assert found["start"] == found["next"] != found["other"]


def test_a_loop_inside_that_reads_one_and_fills_the_other_means_a_copy(run_passes) -> None:
    inner = f"scf.for %j = %c0 to %c4 step %c1 : i32 {{\n{_add('%it', '%it', '%next')}\n}}"
    text = run_passes(_kernel(inner, "%next"), HivmPlanMemoryPass())
    found = _addresses(text)
    assert found["start"] != found["next"]
    assert "hivm.hir.copy ins(%next" in text
