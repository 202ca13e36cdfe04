"""Reduction of texts with dumps while a test of the texts holds: logs, pipelines, single dumps.

First whole dumps and the text between them go, then single lines of what is no readable dump, then what
loggers wrote before each line, then parts of the shaders. Successive snapshots of a shader are cut alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nirls.ir.model.shader import Shader
from nirls.ir.text.log_parts import LogPart, log_parts
from nirls.ir.text.parse import parse_dump
from nirls.passes.reduction.pairs import snapshot_cuts
from nirls.passes.reduction.reduce import reduce_shaders
from nirls.passes.reduction.search import ReductionEnd, Search, smallest

Texts = Sequence[bytes]
"""One text for each file."""


@dataclass(frozen=True, slots=True)
class TextReduction:
    """The smallest texts found, one for each file, the number of tries, and why the search ended."""

    texts: tuple[bytes, ...]
    tries: int
    end: ReductionEnd


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a file: a dump or the text between two; `shader` is that of a dump that can be read."""

    file: int
    source: LogPart
    text: bytes
    shader: Shader | None = None

    @property
    def raw(self) -> bytes:
        return self.source.with_text(self.text)


def reduce_texts(
    texts: Texts,
    holds: Callable[[Texts], bool],
    search: Search,
    on_smaller: Callable[[Texts], None] = lambda texts: None,
) -> TextReduction:
    """Reduce the texts of files while a test of them holds, which it does for the given ones.

    The test may run in threads. A KeyboardInterrupt ends the search; the result is the smallest so far.
    """
    reducer = _TextReducer(texts, holds, search, on_smaller)
    try:
        reducer.run()
    except KeyboardInterrupt:
        search.is_interrupted = True
    return TextReduction(tuple(reducer.texts_of(reducer.parts)), search.tries, search.end)


class _TextReducer:
    def __init__(
        self,
        texts: Texts,
        holds: Callable[[Texts], bool],
        search: Search,
        on_smaller: Callable[[Texts], None],
    ) -> None:
        self.files = len(texts)
        self.parts: list[_Part] = [
            _Part(number, part, part.text) for number, text in enumerate(texts) for part in log_parts(text)
        ]
        self._holds = holds
        self.search = search
        self._on_smaller = on_smaller

    def run(self) -> None:
        progress = True
        while progress and not self.search.is_over:
            progress = smallest(self.parts, self._holds_for, self.search, self._accept)
            self.parts = [_with_shader(part) for part in self.parts]
            progress |= self._drop_lines()
            progress |= self._drop_prefixes()
            progress |= self._cut_shaders()

    def texts_of(self, parts: Sequence[_Part]) -> list[bytes]:
        pieces: list[list[bytes]] = [[] for _ in range(self.files)]
        for part in parts:
            pieces[part.file].append(part.raw)
        return list(map(b"".join, pieces))

    def _holds_for(self, parts: Sequence[_Part]) -> bool:
        # A test that even holds without a dump would leave nothing to look at.
        return any(part.source.is_dump for part in parts) and self._holds(self.texts_of(parts))

    def _accept(self, parts: Sequence[_Part]) -> None:
        self.parts = list(parts)
        self._on_smaller(self.texts_of(parts))

    def _drop_lines(self) -> bool:
        lines = [
            (number, line)
            for number, part in enumerate(self.parts)
            for line in ([part.text] if part.shader is not None else part.text.splitlines(keepends=True))
        ]

        def with_lines(kept: Sequence[tuple[int, bytes]]) -> list[_Part]:
            of_part: dict[int, list[bytes]] = {}
            for number, line in kept:
                of_part.setdefault(number, []).append(line)
            return [replace(self.parts[number], text=b"".join(own)) for number, own in of_part.items()]

        found: list[_Part] | None = None

        def accept(kept: Sequence[tuple[int, bytes]]) -> None:
            nonlocal found
            found = with_lines(kept)
            self._on_smaller(self.texts_of(found))

        try:
            smallest(lines, lambda kept: self._holds_for(with_lines(kept)), self.search, accept)
        finally:
            self.parts = self.parts if found is None else found
        return found is not None

    def _drop_prefixes(self) -> bool:
        bare = [replace(part, source=LogPart(part.text, part.source.is_dump)) for part in self.parts]
        if self.texts_of(bare) == self.texts_of(self.parts):
            return False
        found = self.search.first([bare], self._holds_for)
        if found is not None:
            self._accept(bare)
        return found is not None

    def _cut_shaders(self) -> bool:
        places = [number for number, part in enumerate(self.parts) if part.shader is not None]
        shaders = [part.shader for part in self.parts if part.shader is not None]
        if not shaders or self.search.is_over:
            return False

        def with_shaders(smaller: Sequence[Shader]) -> list[_Part]:
            parts = list(self.parts)
            for number, shader in zip(places, smaller, strict=True):
                if shader is not parts[number].shader:
                    parts[number] = replace(parts[number], text=shader.source, shader=shader)
            return parts

        progress = False

        def accept(smaller: Sequence[Shader]) -> None:
            nonlocal progress
            progress = True
            self._accept(with_shaders(smaller))

        before = self.texts_of(self.parts)
        reduce_shaders(
            shaders,
            lambda smaller: smaller is shaders or self._holds_for(with_shaders(smaller)),
            self.search,
            steps_of=snapshot_cuts,
            on_smaller=accept,
        )
        return progress and self.texts_of(self.parts) != before


def _with_shader(part: _Part) -> _Part:
    if part.shader is not None or not part.source.is_dump:
        return part
    shader = parse_dump(part.text)
    return part if shader.unreadable else replace(part, shader=shader)
