"""Results derived from the text of one dump, computed on demand and shared by all dumps of that text.

Syntax trees and IR are large: the store keeps those of recently used dumps, limited by bytes of text. Small
results (problems, outline, tokens) live as long as the state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TypeVar, cast
from weakref import WeakValueDictionary

from tree_sitter import Point, Tree

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump, parse_tree
from nirls.server.engine.documents.lru_cache import KEPT_TEXT, LruCache
from nirls.server.engine.documents.positions import Splice
from nirls.server.engine.pipelines.dump_facts import DumpFacts, dump_facts

ResultT = TypeVar("ResultT")

HEAVY_TEXT = 700_000
"""Bytes of dump text whose trees and IR are kept. The IR takes 30 to 60 bytes per byte of text."""

_LEAST_HEAVY = 2
"""Dumps whose trees and IR are kept even if they are larger than `HEAVY_TEXT` together."""


class DumpState:
    """The text of a dump and the results computed from it. Offsets count from the start of the dump.

    Threads may compute the same result twice; both are equal and one is kept.
    """

    def __init__(self, text: bytes, used: Callable[[DumpState], None]) -> None:
        self.text = text
        self._used = used
        self._tree: Tree | None = None
        # The tree of an earlier text with the edits since then applied, until this text is parsed.
        self._edited_tree: Tree | None = None
        self._shader: Shader | None = None
        self._of_text: dict[Hashable, object] = {}
        self._of_shader: dict[Hashable, object] = {}
        self.problems: tuple[Finding, ...] | None = None
        self._making_shader = threading.Lock()

    @property
    def tree(self) -> Tree:
        """The syntax tree."""
        tree = self._tree
        if tree is None:
            tree = self._tree = parse_tree(self.text, self._edited_tree)
            self._edited_tree = None
        self._used(self)
        return tree

    @property
    def shader(self) -> Shader:
        """The IR. Clone it before changing it."""
        shader = self._shader
        if shader is None:
            with self._making_shader:
                shader = self._shader
                if shader is None:
                    shader = self._shader = parse_dump(self.text, self.tree)
        self._used(self)
        return shader

    @property
    def has_shader(self) -> bool:
        """Whether the IR is in memory."""
        return self._shader is not None

    def of_text(self, make: Callable[[bytes], ResultT]) -> ResultT:
        """`make(text)`, computed once."""
        return self.cached(make, lambda: make(self.text))

    def of_shader(self, make: Callable[[Shader], ResultT]) -> ResultT:
        """`make(shader)`, kept as long as the IR that it refers to."""
        results, shader = self._of_shader, self.shader
        if make not in results:
            results[make] = make(shader)
        return cast(ResultT, results[make])

    def cached(self, key: Hashable, make: Callable[[], ResultT]) -> ResultT:
        """`make()`, computed once for the key. The result must be small and not refer to the IR."""
        if key not in self._of_text:
            self._of_text[key] = make()
        return cast(ResultT, self._of_text[key])

    def has(self, key: Hashable) -> bool:
        """Whether the result for a key of `cached`, or a function given to `of_text`, has been computed."""
        return key in self._of_text

    @cached_property
    def facts(self) -> DumpFacts:
        """Facts of the dump for linking."""
        return dump_facts(self.text)

    def drop_heavy(self) -> None:
        """Drop the tree, the IR and all results that refer to it."""
        self._tree = self._edited_tree = self._shader = None
        self._of_shader = {}

    def take_facts_of(self, other: DumpState) -> None:
        """Take over the facts of a state of the same text, if it has them."""
        if "facts" in vars(other):
            self.facts = other.facts

    def take_tree_of(self, before: DumpState, splice: Splice) -> None:
        """Reuse the syntax tree from before an edit for incremental parsing."""
        old = before._tree or before._edited_tree
        if old is None or self._tree is not None:
            return
        self._edited_tree = tree = old.copy()
        tree.edit(
            splice.start,
            splice.old_end,
            splice.new_end,
            _point(before.text, splice.start),
            _point(before.text, splice.old_end),
            _point(self.text, splice.new_end),
        )


class DumpStore:
    """The states of all dumps, by their text."""

    def __init__(self, heavy_text: int = HEAVY_TEXT) -> None:
        self._states: WeakValueDictionary[bytes, DumpState] = WeakValueDictionary()
        self._heavy: LruCache[int, DumpState] = LruCache(heavy_text, _LEAST_HEAVY)
        self._keepers = 0
        self._evicted: list[DumpState] = []
        self._recent: LruCache[int, DumpState] = LruCache(KEPT_TEXT)
        self._lock = threading.Lock()

    def state(self, text: bytes) -> DumpState:
        """Return the state of a dump's text, creating it if needed."""
        with self._lock:
            state = self._states.get(text)
            if state is None:
                state = self._states[text] = DumpState(text, self._used)
        self._recent.put(id(state), state, len(text))
        return state

    def state_as(self, other: DumpState) -> DumpState:
        """Return the state of a text of which another store has a state, with the same facts."""
        state = self.state(other.text)
        state.take_facts_of(other)
        return state

    def edited(self, before: bytes, after: bytes, splice: Splice) -> None:
        """Carry the syntax tree of a dump over an edit of its text, and drop the IR of the old text."""
        old, new = self.state(before), self.state(after)
        new.take_tree_of(old, splice)
        if self._heavy.pop(id(old)) is not None:
            old.drop_heavy()

    def removed(self, texts: Iterable[bytes]) -> None:
        """Drop the IR of texts that a document no longer has. For another one, they are parsed again."""
        with self._lock:
            states = [state for text in texts if (state := self._states.get(text)) is not None]
        states = [state for state in states if self._heavy.pop(id(state)) is not None]
        with self._lock:
            if self._keepers:
                self._evicted += states
                return
        self._drop(states)

    @contextmanager
    def heavy_kept(self) -> Iterator[None]:
        """Drop no tree and no IR within the context.

        Whoever reads the IR of a dump several times, and waits in between, gets the same objects.
        """
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                evicted = [] if self._keepers else self._evicted
                if evicted:
                    self._evicted = []
            self._drop([state for state in evicted if id(state) not in self._heavy])

    def drop_problems(self) -> None:
        """Drop all problems, because the settings of the checks changed."""
        with self._lock:
            for state in list(self._states.values()):
                state.problems = None

    def _used(self, state: DumpState) -> None:
        if id(state) in self._heavy:
            return
        evicted = self._heavy.put(id(state), state, len(state.text))
        with self._lock:
            if self._keepers:
                self._evicted += evicted
                return
        self._drop(evicted)

    def _drop(self, evicted: Iterable[DumpState]) -> None:
        for state in evicted:
            state.drop_heavy()


def _point(text: bytes, offset: int) -> Point:
    line_start = text.rfind(b"\n", 0, offset) + 1
    return Point(text.count(b"\n", 0, offset), offset - line_start)
