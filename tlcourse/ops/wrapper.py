"""The host side of a kernel as C++, to be read: argument struct, launch function, Python entry.

On hardware a file like this is compiled and linked with the kernel's binary. Here Python
launches, so the text is only checked for syntax, against headers that stand in for Python's
and the driver's.

Source: the order of the fields is that of upstream's launcher (tilelang/jit/jit_npu.py).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tlcourse.records import Parameter, Signature

STAND_INS = Path(__file__).parent / "stand_ins"

_C_TYPES = {
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
    "bool": "int8_t",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
# How PyArg_ParseTuple reads them: K is an address, the others are numbers.
_FORMATS = {"float": "f", "double": "d", "int64_t": "L", "uint64_t": "K"}

_ENTRY = ("function", "stream", "workspace", "grid_x", "grid_y", "grid_z")

_TEMPLATE = """\
// The host side of the kernel {kernel}, made from its signature.
//   grid: {grid}
#include <Python.h>
#include <cstdint>
#include "runtime/rt.h"

// 1. What the device function finds in its argument memory, in this order: what the hardware and
//    the compiler add, the kernel's own parameters, symbolic sizes, the grid.
struct __attribute__((packed)) Arguments {{
{fields}
}};

// 2. Puts the arguments into the struct and the kernel on a stream.
static rtError_t launch({declared}) {{
  void *ffts_addr = nullptr;
  uint32_t ffts_bytes = 0;
  rtError_t state = rtGetC2cCtrlAddr(reinterpret_cast<uint64_t *>(&ffts_addr), &ffts_bytes);
  if (state != RT_ERROR_NONE)
    return state;
  uint32_t blocks = static_cast<uint32_t>(grid_x * grid_y * grid_z);
  Arguments arguments = {{{values}}};
  return rtKernelLaunch(function, blocks, &arguments, sizeof(arguments), nullptr, stream);
}}

// 3. What Python calls: numbers and addresses, in the order of the signature.
static PyObject *launch_from_python(PyObject *, PyObject *python_arguments) {{
  unsigned long long function, stream, workspace;
  int grid_x, grid_y, grid_z;
{variables}
  if (!PyArg_ParseTuple(python_arguments, "{format}", {targets}))
    return nullptr;
  rtError_t state = launch({passed});
  return PyLong_FromLong(state);
}}

static PyMethodDef methods[] = {{
    {{"launch", launch_from_python, METH_VARARGS, "Starts {kernel}."}},
    {{nullptr, nullptr, 0, nullptr}}}};
static PyModuleDef module = {{PyModuleDef_HEAD_INIT, "{kernel}", nullptr, -1, methods}};
PyMODINIT_FUNC PyInit_{kernel}(void) {{ return PyModule_Create(&module); }}
"""


def host_wrapper(signature: Signature) -> str:
    """The C++ text for a kernel's signature."""
    parameters = signature.parameters
    own = [(_c_type(p), p.name + "_arg") for p in parameters]
    grid = [("int32_t", f"grid_{axis}") for axis in "xyz"]
    added = [("void *", "ffts_addr"), ("void *", "sync_block_lock"), ("void *", "workspace")]
    host = [("const void *", "function"), ("rtStream_t", "stream"), ("void *", "workspace")]
    fields = [_field(kind, name, parameters) for kind, name in (*added, *own, *grid)]
    values = ["ffts_addr", "nullptr", "workspace", *(name for _, name in (*own, *grid))]
    python = [("unsigned long long" if kind == "void *" else kind, name) for kind, name in own]
    return _TEMPLATE.format(
        kernel=signature.kernel,
        grid=", ".join(signature.grid),
        fields="\n".join(fields),
        declared=", ".join(_declared(kind, name) for kind, name in (*host, *grid, *own)),
        values=", ".join(values),
        variables="\n".join(f"  {_declared(kind, name)};" for kind, name in python),
        format="KKKiii" + "".join(_format(kind) for kind, _ in own),
        targets=", ".join(f"&{name}" for name in (*_ENTRY, *(name for _, name in own))),
        passed=", ".join(
            [
                "reinterpret_cast<const void *>(function)",
                "reinterpret_cast<rtStream_t>(stream)",
                "reinterpret_cast<void *>(workspace)",
                *("grid_x", "grid_y", "grid_z"),
                *(f"reinterpret_cast<void *>({n})" if k == "void *" else n for k, n in own),
            ]
        ),
    )


def syntax_errors(text: str) -> str | None:
    """What a C++ compiler says of a wrapper; empty where it has nothing to say.

    Returns:
        None where there is no C++ compiler.
    """
    compiler = shutil.which("g++") or shutil.which("clang++") or shutil.which("c++")
    if compiler is None:
        return None
    options = ("-fsyntax-only", "-std=c++17", "-Wall", "-I", str(STAND_INS), "-x", "c++", "-")
    done = subprocess.run(
        [compiler, *options], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stderr


def _declared(kind: str, name: str) -> str:
    return kind + name if kind.endswith("*") else f"{kind} {name}"


def _c_type(parameter: Parameter) -> str:
    return "void *" if parameter.kind == "tensor" else _C_TYPES[parameter.dtype]


def _field(kind: str, name: str, parameters: tuple[Parameter, ...]) -> str:
    wide = kind == "void *" or kind.endswith("64_t") or kind == "double"
    shown = next((p for p in parameters if p.name + "_arg" == name), None)
    remark = ""
    if shown is not None:
        extents = f"[{', '.join(shown.extents)}]" if shown.kind == "tensor" else shown.kind
        remark = f"  // {shown.dtype} {extents}"
    return f"  {_declared(kind, name)} __attribute__((aligned({8 if wide else 4})));{remark}"


def _format(kind: str) -> str:
    if kind == "void *":
        return "K"
    small = {"int8_t": "b", "uint8_t": "b", "int16_t": "h", "uint16_t": "H", "uint32_t": "I"}
    return _FORMATS.get(kind) or small.get(kind, "i")
