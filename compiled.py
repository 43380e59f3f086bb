"""The one module that owns numba: the `kernel` decorator, its flags, its cache, and what happens without it.

A kernel is a plain Python function over arrays. Where numba works it runs compiled; where numba is missing or
broken the same function runs interpreted, about a thousand times slower, and `problem` says why.

numba is imported when the first kernel runs, never earlier: importing it takes 0.2 to 0.7 s, and Blender's start
must not pay for that. Imports nothing of Posewright; `entry` and `solvers` build on it.
"""

import functools
import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")

# Where compiled code is kept outside Blender; inside, `use_cache` names the extension's own folder.
DEFAULT_CACHE_ROOT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "posewright"

FLAGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",  # x / 0 is inf or nan, as in numpy; Python's check costs a branch per division
}

# Of fastmath, not nnan and ninf: with those, tests for NaN and infinity are compiled away. Not reassoc: it strings sums
# that were written in pairs into one long chain, and the O(N) step, which waits for one sum after the other, takes a
# sixth longer.
RELAXED = {"contract", "arcp", "nsz"}


@dataclass
class _State:
    """What this process knows of numba."""

    numba: ModuleType | None = None
    problem: str = ""  # why kernels run interpreted; empty while nothing is known to be wrong
    held: bool = False  # kernels run interpreted for now, because a child process is filling the cache
    cache_root: Path = DEFAULT_CACHE_ROOT


_state = _State()


class Kernel(Generic[P, R]):
    """A function over arrays that runs compiled where numba works. Made by the decorator `kernel`.

    Kernels may call each other by name: compiled callers get the compiled callee, interpreted ones the plain
    function. A call costs 0.13 µs more than calling numba's own object.
    """

    def __init__(self, function: Callable[P, R], relaxed: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.flags = FLAGS | {"fastmath": RELAXED if relaxed else False}
        self.run: Callable[P, R] = self._first_run

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:  # noqa: D102 - the class says it
        return self.run(*args, **kwargs)

    def __reduce__(self) -> str:  # copied or pickled, a kernel is what its module has of that name
        return self.function.__qualname__

    def _first_run(self, *args: P.args, **kwargs: P.kwargs) -> R:
        def compiled() -> R:
            result = self.compiled(*args, **kwargs)
            self.run = self.compiled
            return result

        return self.attempt(compiled, lambda: self.function(*args, **kwargs))

    def attempt(self, compiled: Callable[[], R], interpreted: Callable[[], R]) -> R:
        """Run it by the first of two ways or, where numba is not there or cannot, by the second."""
        if _state.held or not load():
            return interpreted()
        assert _state.numba is not None
        if _state.numba.config.DISABLE_JIT:
            return interpreted()
        try:
            return compiled()
        except _state.numba.core.errors.NumbaError as error:  # a numba too old or too new for our code
            name = self.function.__name__
            give_up(f"numba {version()} cannot compile '{name}': {_in_a_line(error)}")
            return interpreted()
        except Exception:  # noqa: BLE001 - a damaged cache raises anything: drop it and compile anew
            shutil.rmtree(cache_folder(), ignore_errors=True)
            self.__dict__.pop("compiled", None)
            return compiled()

    @functools.cached_property
    def compiled(self) -> Callable[P, R]:
        """Numba's own object for calls from Python, with its cache in our folder."""
        return self.cached(self.function)

    def cached(self, function: Callable[Q, R]) -> Callable[Q, R]:
        """Numba's own object for a function that Python calls, with this kernel's flags and its cache in our folder."""
        numba = _state.numba
        assert numba is not None, "call load() first"
        folder = cache_folder()
        # numba asks this setting only while it makes the object. It is put back at once, because another
        # extension may use the same numba.
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            decorate = numba.njit(cache=_is_writable(folder), pipeline_class=_compilers()[0], **self.flags)
            compiled: Callable[Q, R] = decorate(function)
        finally:
            numba.config.CACHE_DIR = before
        return compiled

    @functools.cached_property
    def inner(self) -> Callable[P, R]:
        """Numba's own object for calls from other kernels, into which it is compiled.

        Without the code that lets Python call it: compiling all kernels takes 7.8 s instead of 12.5. And without
        counting references, which kernels, that allocate nothing, can do without: passing a tuple of arrays would cost
        an atomic increment each, and cost and gradient of a 67-DOF body 30 µs instead of 6.
        """
        assert _state.numba is not None, "call load() first"
        options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
        decorate = _state.numba.njit(pipeline_class=_compilers()[1], **options, **self.flags)
        inner: Callable[P, R] = decorate(self.function)
        return inner


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function over arrays and scalars as a kernel. It must not allocate.

    Its arithmetic is as written, so it gives the same bits wherever it is compiled into.
    """
    return Kernel(function)


def relaxed_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """The same for long sums of products: a product and a sum may be rounded as one, a quotient by its inverse.

    What is so combined may differ from one place that it is compiled into to the next, and with it the last bits: call
    such a kernel from one place only.
    """
    return Kernel(function, relaxed=True)


def load() -> bool:
    """Import numba if that has not been tried yet. True if kernels run compiled; if not, `problem` says why."""
    if _state.numba is None and not _state.problem:
        try:
            import numba
            import numba.np.arrayobj  # for `entry`; the first compile would load it anyway
            from numba.core import types
            from numba.extending import typeof_impl
        except ModuleNotFoundError as error:
            give_up(f"{error.name} is not installed")
        except Exception as error:  # noqa: BLE001 - a broken install raises anything: OSError, SystemError, ...
            give_up(f"numba could not be loaded: {_in_a_line(error)}")
        else:
            # A kernel named in another kernel's code is, to numba, its compiled twin.
            typeof_impl.register(Kernel)(lambda called, _context: types.Dispatcher(called.inner))
            _state.numba = numba
    return _state.numba is not None and not _state.problem


def numba_itself() -> ModuleType:
    """numba, for those who need more of it than kernels. `load` first."""
    assert _state.numba is not None, "call load() first"
    return _state.numba


def version() -> str:
    """Numba's version, or an empty string while it has not been loaded."""
    return str(_state.numba.__version__) if _state.numba else ""


def problem() -> str:
    """Why kernels run interpreted, in words for the animator; empty while nothing is known to be wrong."""
    return _state.problem


def give_up(reason: str) -> None:
    """Run every kernel that has not been compiled yet as plain Python from now on."""
    _state.problem = reason


def retry() -> None:
    """Forget an earlier problem, so that kernels that have not run yet try numba again."""
    _state.problem = ""


def hold() -> None:
    """Let kernels that have not been compiled yet run interpreted until `release`: the cache is being filled."""
    _state.held = True


def release() -> None:
    """End what `hold` began."""
    _state.held = False


def use_cache(root: Path) -> None:
    """Keep compiled code below `root`, from the next kernel on."""
    _state.cache_root = root


def cache_folder() -> Path:
    """Where the compiled code of these very sources is kept: below the cache's root, by their digest."""
    return _state.cache_root / _digest()


@functools.cache
def _digest() -> str:
    """Changes with any file that holds kernels: numba sees an edit in a kernel's own file, not in those it imports.

    The files' times count too, because numba before 0.63 drops what it compiled from a file of another time. Eight
    letters, because Windows allows a path only 260.
    """
    here = Path(__file__)
    digest = hashlib.sha256()
    for source in [here, here.with_name("entry.py"), *sorted(here.parent.glob("solvers/**/*.py"))]:
        digest.update(source.relative_to(here.parent).as_posix().encode())
        digest.update(source.read_bytes())
        digest.update(str(source.stat().st_mtime_ns).encode())
    return digest.hexdigest()[:8]


@functools.cache
def _compilers() -> tuple[type, type]:
    """Two compilers: for kernels that Python calls, and for those that become part of them.

    Parts are optimised and made machine code only in the whole: numba would do both for each by itself, with all that
    it calls, and again in each caller. In the whole they are internal, so that LLVM may inline what is called once and
    drop arguments that are not used: a tuple of forty arrays is 300 numbers that each call would put on the stack.
    """
    assert _state.numba is not None, "call load() first"
    core = _state.numba.core

    class Part(core.codegen.JITCodeLibrary):  # type: ignore[misc, name-defined]
        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        def get_pointer_to_function(self, _name: str) -> int:
            return 0

        @property
        def codegen(self) -> object:
            return self  # that is, one whose set_env does nothing: only machine code has an environment

        def set_env(self, _name: str, _env: object) -> None:
            pass

    class Whole(core.codegen.JITCodeLibrary):  # type: ignore[misc, name-defined]
        def _optimize_final_module(self) -> None:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
            # numba has a cheap round before this one, for counted references, of which kernels have none.
            # And it leaves out what puts neighbouring sums into one register (SLP), since LLVM 14 made mistakes there.
            # Here it is LLVM 20, and other compilers do it by default: of the O(N) step with 600 variables, elimination
            # takes 16 µs instead of 24.
            passes, builder = self._codegen._module_pass_manager(slp_vectorize=True)
            passes.run(self._final_module, builder)

    class PartCompiler(core.compiler.Compiler):  # type: ignore[misc, name-defined]
        library = Part

        def define_pipelines(self) -> list[object]:
            state = self.state
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            pipelines: list[object] = super().define_pipelines()
            return pipelines

    class WholeCompiler(PartCompiler):
        library = Whole

    return WholeCompiler, PartCompiler


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False  # a read-only home, as on a render farm: compile anew in each process
    return os.access(folder, os.W_OK)


def _in_a_line(error: BaseException) -> str:
    """The first lines of what an error says, without the colours that numba puts in."""
    said = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return " ".join(lines[:3]) or type(error).__name__
