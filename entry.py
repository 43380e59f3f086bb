"""Entries: kernels that Python calls with an address book in place of their arguments.

numba unpacks every array that Python hands it at each call: 0.2 µs each, and the solvers' tables are 150. So what an
entry works on is bound to it once: one array notes where each of the others is and how large, and the compiled code
finds them there. What is in the arrays may change from call to call; which arrays they are cannot.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .compiled import Kernel, numba_itself

P = ParamSpec("P")
R = TypeVar("R")


class Entry(Kernel[P, R]):
    """A kernel whose arguments, tuples of arrays and numbers, are bound to it before it runs. Made by `entry`."""

    def __init__(self, function: Callable[P, R]) -> None:
        super().__init__(function)
        self.ready: Callable[[NDArray[np.int64]], R] | None = None  # what is compiled, once it has run

    def bind(self, *arguments: P.args, **named: P.kwargs) -> "Bound[R]":
        """The kernel with these arguments, to be called with none, as often as is wanted."""
        assert not named, "by position, please"
        return Bound(self, arguments)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:  # noqa: D102 - the class says it
        return self.bind(*arguments, **named)()

    def compiled_for(self, bound: "Bound[R]") -> Callable[[NDArray[np.int64]], R]:
        """Numba's own object, which takes what is noted of such arguments."""
        if "compiled" not in vars(self):
            # numba finds a function's cached code by its name and by what it closes over: so each entry gets a `_call`
            # of its own name, with what it calls for globals.
            module = self.function.__module__
            called = {"__name__": module, "kernel": self, "arguments_at": _reader(bound)}
            function = FunctionType(_call.__code__, called)
            function.__qualname__ = f"{module.rpartition('.')[2]}.{self.function.__qualname__}"
            self.__dict__["compiled"] = self.cached(function)
        made: Callable[[NDArray[np.int64]], R] = self.__dict__["compiled"]
        return made


def entry(function: Callable[P, R]) -> Entry[P, R]:
    """Mark a kernel as one that Python calls by `bind`."""
    return Entry(function)


class Bound(Generic[R]):
    """An entry with its arguments. Keeps them, so that every address it has noted stays one of theirs."""

    def __init__(self, kernel: Entry[Any, R], arguments: tuple[Any, ...], known: tuple["Note", ...] = ()) -> None:
        """With what is `known` already of the first arguments."""
        self.kernel, self.arguments = kernel, arguments
        self.notes = known + tuple(_note(argument) for argument in arguments[len(known) :])
        # First a check sum of their kinds: code from a cache may have been compiled for others.
        kind = zlib.crc32(" ".join(kinds for kinds, _ in self.notes).encode())
        self.noted = np.array([kind, *chain.from_iterable(words for _, words in self.notes)], np.int64)

    def with_last(self, argument: object) -> "Bound[R]":
        """The same with another last argument. The others are not looked at again: 150 arrays would take 0.2 ms."""
        return Bound(self.kernel, (*self.arguments[:-1], argument), self.notes[:-1])

    def __reduce__(self) -> tuple[object, ...]:  # a copy has other arrays, at other addresses
        return Bound, (self.kernel, self.arguments)

    def __call__(self) -> R:  # noqa: D102 - the class says it
        kernel = self.kernel
        if kernel.ready is not None:
            return kernel.ready(self.noted)

        def compiled() -> R:
            ready = kernel.compiled_for(self)
            result = ready(self.noted)
            kernel.ready = ready
            return result

        return kernel.attempt(compiled, lambda: kernel.function(*self.arguments))


Note: TypeAlias = tuple[str, list[int]]  # the kinds of an argument's parts, and where they are or what they say


def _note(argument: object) -> Note:
    kinds, words = list[str](), list[int]()
    _add_note(argument, kinds, words)
    return " ".join(kinds), words


def _add_note(value: object, kinds: list[str], words: list[int]) -> None:
    """Note the kind of each array and number in a tuple of tuples, and what is to be known of it, eight bytes each.

    Of an array that is its address and its shape.
    """
    if isinstance(value, tuple):
        for part in value:
            _add_note(part, kinds, words)
    elif isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("an entry takes arrays whose numbers lie one after the other")
        kinds.append(f"{value.dtype.str}{value.ndim}")
        words += value.__array_interface__["data"][0], *value.shape
    elif isinstance(value, float):
        kinds.append("float")
        words += struct.unpack("q", struct.pack("d", value))
    elif isinstance(value, bool | int):
        kinds.append(type(value).__name__)
        words.append(int(value))
    else:
        raise TypeError(f"an entry takes tuples, arrays and numbers, not {type(value).__name__}")


def _call(noted: NDArray[np.int64]) -> object:
    """What is compiled of an entry, with globals of its own."""
    return kernel(*arguments_at(noted))  # type: ignore[name-defined] # noqa: F821


def _reader(bound: Bound[Any]) -> Any:  # noqa: ANN401 - numba has no types
    """What compiled code reads such arguments with, out of what is noted of them."""
    numba = numba_itself()
    types, arrays = numba.core.types, numba.np.arrayobj
    kind, tuples = int(bound.noted[0]), numba.typeof(bound.arguments)

    def made(context: Any, builder: Any, wanted: Any, words: Iterator[Any]) -> Any:  # noqa: ANN401
        """The value of this type that the next words tell of."""
        if isinstance(wanted, types.BaseTuple):
            parts = [made(context, builder, part, words) for part in wanted.types]
            return context.make_tuple(builder, wanted, parts)
        word = next(words)
        if isinstance(wanted, types.Array):
            array = arrays.make_array(wanted)(context, builder)
            shape = [next(words) for _ in range(wanted.ndim)]
            size = context.get_constant(types.intp, arrays.get_itemsize(context, wanted))
            strides = [size]
            for length in shape[:0:-1]:
                strides.insert(0, builder.mul(strides[0], length))
            data = builder.inttoptr(word, array.data.type)
            # Without a counter of references: the arrays are the caller's.
            arrays.populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
            return array._getvalue()
        if wanted == types.float64:
            return builder.bitcast(word, context.get_value_type(types.float64))
        return context.cast(builder, word, types.intp, wanted)

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def arguments_at(_typing: Any, noted: Any) -> Any:  # noqa: ANN401
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ANN401
            data = arrays.make_array(signature.args[0])(context, builder, given[0]).data

            def words() -> Iterator[Any]:
                for place in range(len(bound.noted)):
                    yield builder.load(numba.core.cgutils.gep(builder, data, place))

            each = words()
            other = builder.icmp_unsigned("!=", next(each), context.get_constant(types.intp, kind))
            with builder.if_then(other, likely=False):
                said = "this entry was compiled for arrays of other kinds"
                context.call_conv.return_user_exc(builder, TypeError, (said,))
            return made(context, builder, tuples, each)

        return tuples(noted), generate

    return arguments_at
