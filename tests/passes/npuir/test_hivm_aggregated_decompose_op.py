"""hivm-aggregated-decompose-op: vconcat and vpad as copies and fills."""

import pytest

from tlcourse.passes.npuir.hivm_aggregated_decompose_op import HivmAggregatedDecomposeOpPass


def _tile(shape: str) -> str:
    return f"memref<{shape}xf16, #hivm.address_space<ub>>"


def _kernel(body: str) -> str:
    return f"""module {{
  func.func @k(%v: f16, %n: index)
      attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
    %a = memref.alloc() : {_tile("32x32")}
    %b = memref.alloc() : {_tile("32x16")}
    %c = memref.alloc() : {_tile("32x48")}
    %d = memref.alloc() : {_tile("64x36")}
    {body}
    return
  }}
}}"""


_CONCAT = _kernel(
    f"hivm.hir.vconcat dim(1) ins(%a, %b : {_tile('32x32')}, {_tile('32x16')}) "
    f"outs(%c : {_tile('32x48')})"
)


def test_sources_stand_one_behind_the_other(run_passes) -> None:
    text = run_passes(_CONCAT, HivmAggregatedDecomposeOpPass())
    first, second = (line for line in text.splitlines() if "memref.subview" in line)
    assert "%c[0, 0] [32, 32] [1, 1]" in first
    assert "%c[0, 32] [32, 16] [1, 1]" in second
    assert text.count("hivm.hir.copy") == 2
    assert "vconcat" not in text


def _pad(low: str, high: str) -> str:
    return _kernel(
        f"hivm.hir.vpad ins(%a : {_tile('32x32')}) outs(%d : {_tile('64x36')}) "
        f"low[{low}] high[{high}] pad_value %v : f16"
    )


def test_slabs_around_the_source_do_not_overlap(run_passes) -> None:
    text = run_passes(_pad("16, 1", "16, 3"), HivmAggregatedDecomposeOpPass())
    boxes = [line.split("%d")[1].split("[1, 1]")[0] for line in text.splitlines() if "%d[" in line]
    assert boxes == [
        "[0, 0] [16, 36] ",
        "[48, 0] [16, 36] ",
        "[16, 0] [32, 1] ",
        "[16, 33] [32, 3] ",
        "[16, 1] [32, 32] ",
    ]
    assert text.count("hivm.hir.vbrc") == 4
    assert text.count("hivm.hir.copy") == 1


def _cut(low: str, high: str, target: str) -> str:
    return _pad(low, high).replace(_tile("64x36"), _tile(target))


# Boxes of the target: fills in front and behind, and where the rest of the source goes.
CUTS = {
    "both ends": (("0, -4", "0, -1", "32x27"), ["[0, 0] [32, 0]", "[0, 27] [32, 0]"], "[0, 4]"),
    "all in front": (
        ("-40, 0", "24, 0", "16x32"),
        ["[0, 0] [0, 32]", "[0, 0] [16, 32]"],
        "[32, 0]",
    ),
    "all behind": (("18, 0", "-34, 0", "16x32"), ["[0, 0] [16, 32]", "[16, 0] [0, 32]"], "[0, 0]"),
}


@pytest.mark.parametrize("case", CUTS)
def test_negative_lengths_cut_off(run_passes, case: str) -> None:
    lengths, fills, kept = CUTS[case]
    text = run_passes(_cut(*lengths), HivmAggregatedDecomposeOpPass())
    boxes = [line.split("%d")[1].split(" [1, 1]")[0] for line in text.splitlines() if "%d[" in line]
    assert boxes[:2] == fills
    assert f"memref.subview %a{kept} {boxes[2].partition('] ')[2]}" in text


def test_no_padding_is_a_copy(run_passes) -> None:
    text = run_passes(_cut("0, 0", "0, 0", "32x32"), HivmAggregatedDecomposeOpPass())
    assert "subview" not in text
    assert text.count("hivm.hir.copy") == 1


def test_a_length_known_at_run_time_moves_the_source(run_passes) -> None:
    text = run_passes(_pad("%n, 1", "16, 3"), HivmAggregatedDecomposeOpPass())
    assert "%d[0, 0] [%n, 36] [1, 1]" in text
    assert "arith.addi %n, %c32 : index" in text
    assert "%d[%n, 1] [32, 32] [1, 1]" in text


@pytest.mark.bishengir
def test_the_real_pass_joins_with_the_same_copies(real_passes) -> None:
    real = real_passes(
        _CONCAT, "func.func(hivm-aggregated-decompose-op{decompose-phase=after-hivm-align})"
    )
    assert real.count("hivm.hir.copy") == 2
    assert "[0, 32] [32, 16] [1, 1]" in real
