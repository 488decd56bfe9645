from __future__ import annotations

import pytest
from xdsl.utils.exceptions import ParseError

from tlcourse.bishengir import BishengOptions, compile_text, trace_text
from tlcourse.bishengir.read_back import read_back, unknown_names
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.pipeline import compile_module, lower_to_mlir
from tlcourse.records import Mode

# Texts that xDSL 0.75 does not read: a loop op without a readable form there, and affine maps
# that divide or multiply by a symbol.
_NOT_READ = ("there is no operation scf.forall", "(semi-affine) is not supported")

kernels = pytest.mark.parametrize("kernel", COURSE, ids=lambda kernel: kernel.name)


def test_unknown_ops_attributes_and_types_are_named():
    module = from_text(
        'module attributes {hivm.new = #hivm.new<a>, dlti.x = #dlti.y<"z">} {\n'
        '  %0 = "hivm.hir.vnew"() {list = [#hivm.inner<b>]} : () -> !hivm.kind\n}'
    )
    assert unknown_names(module) == ("hivm.hir.vnew", "hivm.inner", "hivm.kind", "hivm.new")


def _mlir(kernel: CourseKernel) -> tuple[str, Mode]:
    tile = kernel.func.module.clone()
    stamp(tile, mode=kernel.mode, target="npuir", out_idx=(), pass_configs={})
    return to_text(lower_to_mlir(tile, kernel.func.sources), locations=True), kernel.mode


@pytest.mark.bishengir
@kernels
def test_code_generation_is_read_back(kernel, bishengir_opt):
    text, _ = _mlir(kernel)
    assert read_back(text).passed


@pytest.mark.bishengir
@kernels
def test_the_real_pipelines_result_is_typed_and_read_back(kernel, bishengir_opt):
    text, mode = _mlir(kernel)
    found = read_back(compile_text(text, mode=mode))
    assert found.unknown == ()
    assert (found.pretty, found.generic) == (True, True)


@pytest.mark.bishengir
@kernels
def test_the_embedded_pipelines_result_is_read_back(kernel, bishengir_opt):
    done = compile_module(kernel.func.module, kernel.func.sources, mode=kernel.mode)
    assert read_back(to_text(done.executable)).passed


@pytest.mark.bishengir
@pytest.mark.parametrize(
    ("name", "unit_flags"), [("minicv_developer", True), ("softmax_developer", False)]
)
def test_every_stage_of_the_real_pipeline_is_typed(name, unit_flags, bishengir_opt):
    (kernel,) = [kernel for kernel in COURSE if kernel.name == name]
    text, mode = _mlir(kernel)
    options = BishengOptions(unit_flag_sync=unit_flags)
    stages = {after: name for name, after in trace_text(text, mode=mode, options=options)}
    assert len(stages) > 20
    assert {name: problem for after, name in stages.items() if (problem := _problem(after))} == {}


def _problem(text: str) -> str:
    """What is not typed in a stage, or why it cannot be read."""
    try:
        return " ".join(unknown_names(from_text(text)))
    except (ParseError, NotImplementedError) as problem:
        words = str(problem)
        return "" if any(known in words for known in _NOT_READ) else words


_SPELLED_OUT = """module {
  func.func @k(%a: memref<4xf16>, %b: memref<4xf16>) {
    "linalg.elemwise_unary"(%a, %b) <{fun = #linalg.unary_fn<abs>,
        operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%x: f16, %y: f16):
      %r = "math.absf"(%x) <{fastmath = #arith.fastmath<none>}> : (f16) -> f16
      "linalg.yield"(%r) : (f16) -> ()
    }) : (memref<4xf16>, memref<4xf16>) -> ()
    return
  }
}"""


@pytest.mark.bishengir
def test_a_function_that_is_spelled_out_is_read_back(bishengir_opt):
    assert read_back(_SPELLED_OUT).passed
