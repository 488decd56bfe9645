"""T.Tensor: what a kernel's parameters are. It is checked when the kernel is read."""

from __future__ import annotations

from dataclasses import dataclass

from tlcourse.language.host import entries


@dataclass(frozen=True)
class TensorAnnotation:
    """The annotation of a tensor parameter: its shape and dtype as written."""

    shape: object
    dtype: object


class _Tensor:
    """`T.Tensor((M, N), "float16")` or `T.Tensor[(M, N), "float16"]`: a tensor in global memory.

    Extents are numbers, symbolic sizes or expressions over them; a bare one makes it 1-D.
    """

    def __call__(self, shape: object = None, dtype: object = "float32") -> TensorAnnotation:
        return TensorAnnotation(shape, dtype)

    def __getitem__(self, key: object) -> TensorAnnotation:
        shape, *dtype = entries(key)
        return TensorAnnotation(shape, dtype[0]) if dtype else TensorAnnotation(shape, "float32")


Tensor = _Tensor()
Buffer = Tensor
