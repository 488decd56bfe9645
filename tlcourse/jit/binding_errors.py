"""What a learner reads when the arguments of a call do not fit the kernel, code by code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from tlcourse.diagnostics import Label, SourceMap, TLError, error
from tlcourse.jit.dtypes import TORCH_DTYPES, int_range, torch_name
from tlcourse.jit.symbols import Origin
from tlcourse.records import Parameter, Signature

_LAUNCH_OPTIONS = ("execution", "backend", "checks", "seed")


@dataclass(frozen=True, kw_only=True)
class BindingErrors:
    """Makes the errors of one kernel's calls, with carets at its parameters.

    Args:
        signature: the kernel.
        sources: the texts that its spans point into.
    """

    signature: Signature
    sources: SourceMap

    def count(
        self, wanted: Sequence[Parameter], outputs: Sequence[Parameter], given: int
    ) -> TLError:
        """TL401: too many or too few arguments."""
        names = ", ".join(parameter.name for parameter in wanted)
        why = "each parameter takes one argument, in order"
        if outputs:
            left_out = ", ".join(parameter.name for parameter in outputs)
            why += f"; outputs ({left_out}) are allocated by the launch and returned"
        labels = self._at(wanted[given], "no argument for this one") if given < len(wanted) else ()
        return self._error(
            "TL401",
            f"{self.signature.kernel} takes {_plural(len(wanted), 'argument')} ({names}), "
            f"{given} given",
            why=why,
            fix=f"call kernel({names})",
            labels=labels,
        )

    def named(self, wanted: Sequence[Parameter], name: str) -> TLError:
        """TL413: an argument is given by name."""
        names = ", ".join(parameter.name for parameter in wanted)
        fix = f"call kernel({names})"
        if name in _LAUNCH_OPTIONS:
            fix += f", or kernel.launch({names}, {name}=..) to say how it runs"
        found = [parameter for parameter in wanted if parameter.name == name]
        return self._error(
            "TL413",
            f"{self.signature.kernel} is called with {name}=.., but takes arguments by position",
            why="the launch passes addresses and numbers in order; they have no names there",
            fix=fix,
            labels=self._at(found[0], "this parameter") if found else (),
        )

    def missing(self, parameter: Parameter) -> TLError:
        """TL402: an argument is None, and the kernel uses it."""
        return self._error(
            "TL402",
            f"the argument for {parameter.name} is None",
            why="the kernel uses it; outputs named in out_idx are left out of the call, and only "
            "a tensor that no statement reads or writes may be None",
            fix=f"pass {_wanted(parameter)}",
            labels=self._at(parameter, "no value for this one"),
        )

    def kind(self, parameter: Parameter, argument: object) -> TLError:
        """TL403: a number where a tensor belongs, or the other way round."""
        got = type(argument).__name__
        is_number_of_tensor = isinstance(argument, torch.Tensor) and argument.dim() == 0
        fix = (
            f"pass {parameter.name}.item()" if is_number_of_tensor else f"pass {_wanted(parameter)}"
        )
        return self._error(
            "TL403",
            f"{parameter.name} is a {parameter.kind} of the kernel, but a {got} was passed",
            why="tensors are passed by address and scalars by value",
            fix=fix,
            labels=self._at(parameter, f"a {parameter.kind}"),
        )

    def device(self, parameter: Parameter, tensor: torch.Tensor) -> TLError:
        """TL404: a tensor that is not on the npu."""
        return self._error(
            "TL404",
            f"{parameter.name} is on {tensor.device}, the kernel runs on npu:0",
            why="the NPU reads and writes its own memory only",
            fix=f"pass {parameter.name}.npu(), and look at results with .cpu()",
            labels=self._at(parameter, "wants a tensor on the npu"),
        )

    def dtype(self, parameter: Parameter, tensor: torch.Tensor) -> TLError:
        """TL405: another dtype than declared."""
        got = torch_name(tensor.dtype)
        fix = f"pass {parameter.name}.to(torch.{parameter.dtype})"
        if got in TORCH_DTYPES:
            fix += f", or declare {got!r}"
        else:
            fix += f"; a kernel has no {got}, only {', '.join(TORCH_DTYPES)}"
        return self._error(
            "TL405",
            f"{parameter.name} is {got}, the kernel declares {parameter.dtype}",
            why="the kernel reads the bytes of the tensor as the declared dtype",
            fix=fix,
            labels=self._at(parameter, f"declared {parameter.dtype}"),
        )

    def layout(self, parameter: Parameter, tensor: torch.Tensor) -> TLError:
        """TL406: elements do not lie row by row without gaps."""
        where = "sparse" if tensor.layout != torch.strided else f"strides {tensor.stride()}"
        return self._error(
            "TL406",
            f"{parameter.name} of shape {tuple(tensor.shape)} is not contiguous ({where})",
            why="the kernel expects the elements row after row, without gaps",
            fix=f"pass {parameter.name}.contiguous(); what the kernel writes is then in the copy",
            labels=self._at(parameter, "wants a contiguous tensor"),
        )

    def rank(self, parameter: Parameter, tensor: torch.Tensor) -> TLError:
        """TL407: another number of dimensions than declared."""
        return self._error(
            "TL407",
            f"{parameter.name} has {_plural(tensor.dim(), 'dimension')} {tuple(tensor.shape)}, "
            f"the kernel declares {len(parameter.extents)} {_shape(parameter)}",
            why="the kernel computes addresses from the declared shape",
            fix=f"reshape {parameter.name} to {_shape(parameter)}",
            labels=self._at(parameter, f"declared {_shape(parameter)}"),
        )

    def extent(self, parameter: Parameter, dimension: int, got: int, wanted: int | None) -> TLError:
        """TL407: a dimension with another size than declared."""
        return self._error(
            "TL407",
            f"dimension {dimension} of {parameter.name} is {got}, the kernel declares {wanted}",
            why="the kernel was made for this shape and computes addresses from it",
            fix=f"pass a tensor of shape {_shape(parameter)}, or make the kernel for this shape",
            labels=self._at(parameter, f"declared {_shape(parameter)}"),
        )

    def symbol(
        self, parameter: Parameter, dimension: int, got: int, wanted: int | None, origin: Origin
    ) -> TLError:
        """TL408: two tensors give one symbol different values."""
        extent = parameter.extents[dimension]
        other = origin.parameter
        value = "undefined" if wanted is None else wanted
        there = f"{extent} is {value} by dimension {origin.dimension} of {other.name}"
        both = f"{parameter.name} and {other.name}" if other != parameter else parameter.name
        labels = self._at(parameter, f"{got} here")
        if other != parameter:
            labels += self._at(other, f"{origin.value} here")
        return self._error(
            "TL408",
            f"dimension {dimension} of {parameter.name} is {got}, but {there}",
            why="a symbol has one value in a launch, wherever it was declared",
            fix=f"pass {both} with shapes that agree",
            labels=labels,
        )

    def unsolved(self, parameter: Parameter, dimension: int, got: int, symbol: str) -> TLError:
        """TL408: no integer value of a symbol gives the size of a dimension."""
        return self._error(
            "TL408",
            f"dimension {dimension} of {parameter.name} is {got}, "
            f"and no {symbol} makes {parameter.extents[dimension]} that size",
            why=f"{symbol} is read from this dimension",
            fix="pass a tensor whose size fits, or declare one dimension as the bare symbol",
            labels=self._at(parameter, f"declared {_shape(parameter)}"),
        )

    def overlap(self, written: Parameter, other: Parameter) -> TLError:
        """TL409: a tensor that is written shares memory with another argument."""
        return self._error(
            "TL409",
            f"{written.name} and {other.name} share memory, and the kernel writes {written.name}",
            why="blocks run in no fixed order, so what is read there would be old or new by chance",
            fix=f"pass {other.name}.clone(), or a tensor of its own for {written.name}",
            labels=self._at(written, "written") + self._at(other, "shares its memory"),
        )

    def scalar(self, parameter: Parameter, value: object) -> TLError:
        """TL411: a number that its dtype cannot hold."""
        why = f"{parameter.name} is {parameter.dtype}"
        if "int" in parameter.dtype:
            least, most = int_range(parameter.dtype)
            why += f", an integer from {least} to {most}"
        return self._error(
            "TL411",
            f"{value!r} is not a value for {parameter.name}",
            why=why,
            fix=f"pass {_wanted(parameter)}",
            labels=self._at(parameter, f"declared {parameter.dtype}"),
        )

    def unknown(self, parameter: Parameter, extent: str) -> TLError:
        """TL412: a symbol, or the shape of an output, does not follow from the arguments."""
        return self._error(
            "TL412",
            f"{extent} of {parameter.name} does not follow from the arguments"
            if parameter.kind == "tensor"
            else f"the symbol {parameter.name} does not follow from the arguments",
            why="symbols are read from the shapes of the arguments, and extents are not negative",
            fix="declare an argument with that symbol as a dimension, or pass the output yourself",
            labels=self._at(
                parameter, f"declared {_shape(parameter)}" if parameter.extents else ""
            ),
        )

    def _error(
        self, code: str, what: str, *, why: str, fix: str, labels: tuple[Label, ...] = ()
    ) -> TLError:
        return error(code, what, why=why, fix=fix, labels=labels, sources=self.sources)

    def _at(self, parameter: Parameter, text: str) -> tuple[Label, ...]:
        return (Label(span=parameter.span, text=text),) if parameter.span else ()


def _wanted(parameter: Parameter) -> str:
    """What a parameter wants, in words."""
    if parameter.kind == "tensor":
        return f"a {parameter.dtype} tensor of shape {_shape(parameter)} on the npu"
    return f"a number for {parameter.name} ({parameter.dtype})"


def _shape(parameter: Parameter) -> str:
    comma = "," if len(parameter.extents) == 1 else ""
    return f"({', '.join(parameter.extents)}{comma})"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
