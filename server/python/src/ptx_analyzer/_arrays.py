"""Arrays of others: their elements, and how to change them in place."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

from ._ask import PtxAnalyzerError

#: Types that numpy does not have, by the names that torch and ml_dtypes give them, as PTX names them.
_NARROW = {
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "ue8m0",
}
#: Kinds of numpy by the names of torch.
_TORCH_KINDS = {"float": "f", "int": "i", "uint": "u", "bool": "u"}
#: Kinds of numpy by the characters of `struct`.
_BUFFER_KINDS = {**dict.fromkeys("efd", "f"), **dict.fromkeys("bhilqn", "i"), **dict.fromkeys("?cBHILQN", "u")}


@dataclass
class Array:
    """An array of the caller in the memory of this process."""

    #: ``f4``, ``i8``, ``u2``: the kind and the bytes of an element, as numpy names them.
    dtype: str
    shape: tuple[int, ...]
    #: The name that PTX has for the type of an element where numpy has none.
    type: Optional[str]
    #: The elements in the order of C.
    read: Callable[[], bytes]
    #: Changes the elements; ``None`` if the array is read-only.
    write: Optional[Callable[[bytes], None]]
    #: The first byte and the end in memory, where that is known.
    place: Optional[tuple[int, int]] = None

    def npy(self) -> bytes:
        """A file of numpy with the elements."""
        order = "|" if self.dtype.endswith("1") else "<"
        header = repr({"descr": order + self.dtype, "fortran_order": False, "shape": self.shape})
        # The magic word, the version and the length of the header take 10 bytes, the line feed one.
        header += " " * (-(len(header) + 11) % 64) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + self.read()


def array(value: Any) -> Optional[Array]:
    """The array that a value is, as long as the value is there; ``None`` if it is none.

    Raises :class:`PtxAnalyzerError` for arrays of other machines and of types that kernels do not have.
    """
    numpy = sys.modules.get("numpy")
    if isinstance(value, (str, bytes)) or (numpy is not None and isinstance(value, numpy.generic)):
        return None
    if hasattr(value, "data_ptr") and hasattr(value, "element_size"):
        return _of_torch(value)
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _of_numpy(value, numpy)
    if hasattr(value, "__array_interface__"):
        return _of_interface(value)
    try:
        view = memoryview(value)
    except TypeError:
        return None
    return _of_buffer(view)


def npy_data(file: bytes) -> bytes:
    """The elements in a file that the program wrote."""
    (length,) = struct.unpack_from("<H", file, 8)
    return file[10 + length :]


def _of_torch(tensor: Any) -> Array:
    device = getattr(tensor.device, "type", "cpu")
    if device != "cpu":
        raise PtxAnalyzerError(f"the tensor is on the device {device}; runs take tensors of the CPU")
    size = tensor.element_size()
    name = str(tensor.dtype).rpartition(".")[2]
    narrow = _NARROW.get(name)
    kind = "u" if narrow else _TORCH_KINDS.get(name.rstrip("0123456789"))
    if kind is None:
        raise PtxAnalyzerError(f"arrays of type {tensor.dtype} cannot be passed to a kernel")
    whole = tensor.detach()
    dense = whole.contiguous()
    count = dense.numel() * size

    def write(data: bytes) -> None:
        ctypes.memmove(dense.data_ptr(), data, count)
        if dense.data_ptr() != whole.data_ptr():
            whole.copy_(dense)

    return Array(
        dtype=f"{kind}{size}",
        shape=tuple(map(int, tensor.shape)),
        type=narrow,
        read=lambda: ctypes.string_at(dense.data_ptr(), count),
        write=write,
        place=(whole.data_ptr(), whole.data_ptr() + count) if dense.data_ptr() == whole.data_ptr() else None,
    )


def _of_numpy(value: Any, numpy: Any) -> Array:
    dtype = value.dtype
    narrow = _NARROW.get(dtype.name)
    kind = "u" if narrow or dtype.kind == "b" else dtype.kind
    if not narrow and kind not in "fiu":
        raise PtxAnalyzerError(f"arrays of type {dtype} cannot be passed to a kernel")
    if dtype.newbyteorder("<") != dtype:
        raise PtxAnalyzerError("the elements of the array are big-endian")

    def write(data: bytes) -> None:
        value[...] = numpy.frombuffer(data, dtype).reshape(value.shape)

    is_dense = value.flags.c_contiguous or value.flags.f_contiguous
    first = value.__array_interface__["data"][0]
    return Array(
        dtype=f"{kind}{dtype.itemsize}",
        shape=value.shape,
        type=narrow,
        read=value.tobytes,
        write=write if value.flags.writeable else None,
        place=(first, first + value.nbytes) if is_dense else None,
    )


def _of_interface(value: Any) -> Array:
    interface = value.__array_interface__
    order, kind, size = interface["typestr"][0], interface["typestr"][1], int(interface["typestr"][2:])
    kind = "u" if kind == "b" else kind
    if kind not in "fiu" or order == ">":
        raise PtxAnalyzerError(f"arrays of type {interface['typestr']} cannot be passed to a kernel")
    if interface.get("strides") is not None or interface.get("data") is None:
        raise PtxAnalyzerError("the elements of the array are not next to each other")
    address, read_only = interface["data"]
    shape = tuple(interface["shape"])
    count = size
    for length in shape:
        count *= length

    def write(data: bytes) -> None:
        ctypes.memmove(address, data, count)

    return Array(
        dtype=f"{kind}{size}",
        shape=shape,
        type=None,
        read=lambda: ctypes.string_at(address, count),
        write=None if read_only else write,
        place=(address, address + count),
    )


def _of_buffer(view: memoryview) -> Array:
    character = view.format[-1:] if view.format else "B"
    kind = _BUFFER_KINDS.get(character)
    if kind is None or view.format[:-1] not in ("", "@", "=", "<"):
        raise PtxAnalyzerError(f"buffers of format {view.format!r} cannot be passed to a kernel")
    if not view.c_contiguous:
        raise PtxAnalyzerError("the elements of the buffer are not next to each other")

    def write(data: bytes) -> None:
        view.cast("B")[:] = data

    return Array(
        dtype=f"{kind}{view.itemsize}",
        shape=tuple(view.shape or ()),
        type=None,
        read=view.tobytes,
        write=None if view.readonly else write,
    )
