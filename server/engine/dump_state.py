"""What is known of the text of one dump: everything is made when first asked for, and kept by content.

Dumps with the same text, in whatever document and version, share one state. The syntax tree and the IR
are large; a store keeps those of the dumps looked at last, up to a number of bytes of text. What comes
out of them and is small (problems, outline, tokens) stays as long as the state itself.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from nirls.server.engine.document import DumpEdit, Splice
from nirls.server.engine.dump_facts import DumpFacts, dump_facts
from nirls.server.engine.line_check import CheckedEdit
from nirls.server.engine.marks import Mark
from nirls.server.engine.recent import KEPT_TEXT, Recent
from nirls.server.ide.outline import Outline, outline

# What reads text and looks into it is imported with the first dump: a server has to answer `initialize` soon.
if TYPE_CHECKING:
    from tree_sitter import Point, Tree

    from nirls.ir.model.shader import Shader
    from nirls.server.ide.convergence import Convergence
    from nirls.server.ide.places import Places
    from nirls.server.ide.timeline.dump_digest import DumpDigest

HEAVY_TEXT = 700_000
"""Bytes of dump text whose trees and IR are kept; the IR of a byte of text takes some 30 to 60 bytes."""


class DumpState:
    """One text of a dump and what has been made of it. `offsets` count from the start of the dump.

    Threads may make the same thing twice at the same time; both results are equal and one is kept.
    """

    def __init__(self, text: bytes, used: Callable[[DumpState], None]) -> None:
        self.text = text
        self._used = used
        self._tree: Tree | None = None
        # The tree of an earlier text with the edits since then marked in it, until this text is parsed.
        self._edited_tree: Tree | None = None
        self._shader: Shader | None = None
        self._places: Places | None = None
        self._convergence: Convergence | None = None
        self.problems: tuple[Mark, ...] | None = None
        self.edit: CheckedEdit | None = None

    @property
    def tree(self) -> Tree:
        """The syntax tree."""
        tree = self._tree
        if tree is None:
            from nirls.ir.text.parse import parse_tree

            tree = self._tree = parse_tree(self.text, self._edited_tree)
            self._edited_tree = None
        self._used(self)
        return tree

    @property
    def shader(self) -> Shader:
        """The IR. Whoever changes it must clone it first."""
        shader = self._shader
        if shader is None:
            from nirls.ir.text.parse import parse_dump

            shader = self._shader = parse_dump(self.text, self.tree)
        self._used(self)
        return shader

    @property
    def places(self) -> Places:
        """Where in the text each part of the IR is."""
        places = self._places
        if places is None:
            from nirls.server.ide.places import Places

            places = self._places = Places(self.shader)
        return places

    @property
    def convergence(self) -> Convergence:
        """Which values differ between invocations, and why."""
        convergence = self._convergence
        if convergence is None:
            from nirls.server.ide.convergence import Convergence

            convergence = self._convergence = Convergence(self.shader)
        return convergence

    @cached_property
    def outline(self) -> Outline:
        """Functions, blocks and folds."""
        return outline(self.text)

    @cached_property
    def facts(self) -> DumpFacts:
        """What linking needs to know."""
        return dump_facts(self.text)

    @cached_property
    def digest(self) -> DumpDigest:
        """What the timeline of a log needs to know."""
        from nirls.server.ide.timeline.dump_digest import DumpDigest

        return DumpDigest(self.text)

    @property
    def is_digested(self) -> bool:
        """Whether the digest is known already."""
        return "digest" in self.__dict__

    def drop_heavy(self) -> None:
        """Forget the tree and the IR."""
        self._tree = self._edited_tree = self._shader = self._places = self._convergence = None

    def take_tree_of(self, before: DumpState, splice: Splice) -> None:
        """Let the syntax tree be made from that of the text before an edit, at the cost of what changed."""
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
        self._heavy: Recent[int, DumpState] = Recent(heavy_text)
        self._dropped = 0
        self._recent: Recent[int, DumpState] = Recent(KEPT_TEXT)
        self._lock = threading.Lock()

    def state(self, text: bytes) -> DumpState:
        """The state of a dump's text."""
        with self._lock:
            state = self._states.get(text)
            if state is None:
                state = self._states[text] = DumpState(text, self._used)
        self._recent.keep(id(state), state, len(text))
        return state

    def edited(self, edit: DumpEdit) -> None:
        """Carry the syntax tree over an edit of one dump."""
        before, after = self.state(edit.before.text), self.state(edit.after.text)
        after.take_tree_of(before, edit.splice)
        if before.problems is not None and after.problems is None:
            after.edit = CheckedEdit(before.text, before.problems, edit.splice)

    def forget_findings(self) -> None:
        """Forget what checks found, because their settings changed."""
        with self._lock:
            for state in list(self._states.values()):
                state.problems = state.edit = None

    def _used(self, state: DumpState) -> None:
        if id(state) in self._heavy:
            return
        for oldest in self._heavy.keep(id(state), state, len(state.text)):
            oldest.drop_heavy()
            self._dropped += len(oldest.text)
        if self._dropped > self._heavy.most:
            self._dropped = 0
            # Everything in the IR refers to everything: what was dropped takes memory until Python looks at
            # all that it has, which it does by itself after some hundred megabytes of it.
            if gc.isenabled():
                gc.collect()


def _point(text: bytes, offset: int) -> Point:
    from tree_sitter import Point

    line_start = text.rfind(b"\n", 0, offset) + 1
    return Point(text.count(b"\n", 0, offset), offset - line_start)
