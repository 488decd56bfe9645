"""What all blocks did, added up from a recording that is written by hand."""

from __future__ import annotations

from tlcourse.simulator.cycles.stream import (
    CoreStream,
    Recording,
    Shape,
    SiteName,
    Stream,
    TensorUse,
    Total,
    Work,
)
from tlcourse.simulator.cycles.timing import totals


def stream(*works: tuple[str, int], slots: int = 1) -> Stream:
    """A stream of one core; a work is its pipe and the place of its site and shape."""
    queue = tuple(Work(pipe=pipe, site=place, shape=place) for pipe, place in works)
    return Stream(cores=(CoreStream(name="aiv0", block=0, works=queue),), raises=(), slots=slots)


def recording(class_of: tuple[int, ...], *streams: Stream) -> Recording:
    return Recording(
        kernel="k",
        kind="vector",
        blocks=len(class_of),
        class_of=class_of,
        streams=streams,
        shapes=(
            Shape(kind="dma", bytes=64, tensor=0),
            Shape(kind="vector", operations=8),
            Shape(kind="l0", bytes=32),  # out of L1: nothing goes through GM
        ),
        sites=(SiteName(op="load"), SiteName(op="vadd"), SiteName(op="load")),
        tensors=(TensorUse(name="A", size_bytes=64),),
    )


def test_each_block_counts_as_its_class() -> None:
    long = stream(("MTE2", 0), ("V", 1), ("V", 1), ("MTE1", 2))
    assert totals(recording((0, 1, 0), long, stream(("MTE2", 0)))) == {
        ("MTE2", "load"): Total(count=3, bytes=3 * 64),
        ("V", "vadd"): Total(count=4, operations=4 * 8),
        ("MTE1", "load"): Total(count=2),
    }


def test_a_stream_of_all_blocks_counts_once() -> None:
    both = stream(("MTE2", 0), ("MTE2", 0), slots=2)
    assert totals(recording((0, 0), both)) == {("MTE2", "load"): Total(count=2, bytes=128)}
