"""Analysis results that are kept while shaders do not change.

Several passes need the same analysis of the same shader. Within `unchanged`, a cached analysis runs once for
each shader, as with LLVM's analysis manager; there is no invalidation, because nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader

ParamsT = ParamSpec("ParamsT")
ResultT = TypeVar("ResultT")


class _Results:
    """Results by analysis and arguments, for shaders that do not change and their functions."""

    __slots__ = ("results", "subjects")

    def __init__(self, shaders: Iterable[Shader]) -> None:
        self.subjects: set[object] = set()
        self.results: dict[Hashable, Any] = {}
        for shader in shaders:
            self.add(shader)

    def add(self, shader: Shader) -> None:
        self.subjects.add(shader)
        self.subjects.update(shader.impls())

    def covers(self, arguments: Iterable[object]) -> bool:
        return all(
            argument in self.subjects for argument in arguments if isinstance(argument, Shader | FunctionImpl)
        )


_results: Final[ContextVar[_Results | None]] = ContextVar("cached analyses", default=None)


@contextmanager
def unchanged(shaders: Iterable[Shader]) -> Iterator[None]:
    """Keep analysis results of shaders within the block, which must not change them."""
    token = _results.set(_Results(shaders))
    try:
        yield
    finally:
        _results.reset(token)


def cached_analysis(analysis: Callable[ParamsT, ResultT]) -> Callable[ParamsT, ResultT]:
    """Decorate an analysis so that it runs once for its arguments while all shaders among them are unchanged.

    Arguments are hashable. Callers must not change the result. A shader that is a result is unchanged too.
    """

    @wraps(analysis)
    def run(*args: ParamsT.args, **named: ParamsT.kwargs) -> ResultT:
        here = _results.get()
        if here is None or not here.covers(args):
            return analysis(*args, **named)
        key = (analysis, args, tuple(named.items()))
        if key not in here.results:
            found = here.results[key] = analysis(*args, **named)
            if isinstance(found, Shader):
                here.add(found)
        result: ResultT = here.results[key]
        return result

    return run
