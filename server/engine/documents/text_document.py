"""A document: its snapshot, the states of its dumps, and its findings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import NamedTuple

from nirls.ir.finding import Finding
from nirls.ir.io.urb_maps import UrbMaps, has_urb_accesses, urb_maps
from nirls.ir.io.view import IoView
from nirls.ir.model.shader import Shader
from nirls.server.engine.documents.allowances import DumpAllowances, allowances, codes_of_file
from nirls.server.engine.documents.document import DumpEdit, Piece, PlacedDump, Snapshot, what_differs
from nirls.server.engine.documents.dump_state import DumpState, DumpStore
from nirls.server.engine.documents.positions import Encoding, Range, Splice
from nirls.server.engine.documents.shown_findings import Fact, Findings, without
from nirls.server.engine.pipelines.pipelines import LinkableDocument


class TextChange(NamedTuple):
    """A content change from a client; a range of None replaces the whole document."""

    range: Range | None
    text: str


class TextEdits(NamedTuple):
    """Changes of a document, worked out: the snapshots before and after each, and the dump that it edits."""

    steps: tuple[tuple[Snapshot, Snapshot, DumpEdit | None], ...]
    version: int


class Document:
    """An open document or a file linked with one: snapshot, dump states and pass findings.

    `pass_findings` holds the findings of passes by dump slot; an edit moves them and drops those it touches,
    until the passes run again. `placed` identifies by dump slot the texts that these are of.
    `repeated` holds the facts by dump slot that a newer snapshot also has;
    `unfolded` are the slots of dumps that show them all the same. `transition_marks` holds the differences
    between snapshots by dump slot; an edit drops them all. `generation` increases with every change of the
    text or the findings, `visible` is the line range last requested by the client, `edited_slot` is the slot
    of the last edited dump, and `unsaved` are the slots of the dumps edited since passes were last requested:
    by opening, saving, a command or changed settings.
    `version` is None for a file that is not open.
    """

    def __init__(
        self, uri: str, text: bytes, version: int | None, store: DumpStore, path: Path | None = None
    ) -> None:
        self.uri = uri
        self.path = path
        self.is_open = version is not None
        self.snapshot = Snapshot.of(text, version or 0)
        self.generation = 0
        self.visible: tuple[int, int] = (0, 0)
        self.pass_findings: dict[int, tuple[Finding, ...]] = {}
        self.placed: dict[int, object] = {}
        self.repeated: dict[int, frozenset[Fact]] = {}
        self.unfolded: set[int] = set()
        self.transition_marks: dict[int, tuple[Finding, ...]] = {}
        self.edited_slot = 0
        self.unsaved: set[int] = set()
        self._store = store
        self._placed: tuple[Snapshot, dict[int, int]] | None = None
        self._linkable: LinkableDocument | None = None
        self._problems_before: dict[int, Findings] = {}
        self._shown: dict[int, tuple[tuple[object, ...], Findings]] = {}

    @property
    def name(self) -> str:
        """File name for display."""
        return self.uri.rpartition("/")[2] if self.path is None else self.path.name

    def linkable(self) -> LinkableDocument:
        """Describe the document as input of linking."""
        return self._linkable_at(self.snapshot)

    def _linkable_at(self, snapshot: Snapshot) -> LinkableDocument:
        facts = tuple(self.state(piece).facts for piece in snapshot.dump_pieces())
        found = LinkableDocument(self.uri, self.path, facts)
        if self._linkable is None or found != self._linkable:
            self._linkable = found
        return self._linkable

    def shader(self, number: int) -> Shader:
        """The IR of a dump by its number. Clone it before changing it."""
        return self.state(self.snapshot.dump(number).piece).shader

    def io_view(self, dump: PlacedDump) -> IoView:
        """Return the inputs and outputs of a dump with the URB maps printed below it."""
        return IoView(self.state(dump.piece).shader, self.urb_maps(dump))

    def urb_maps(self, dump: PlacedDump) -> UrbMaps:
        """Return the URB maps below a dump, or below the later dumps of the same compilation.

        Drivers print them once, below the last snapshot of a shader.
        """
        if not has_urb_accesses(dump.piece.text):
            return ()
        facts = self.state(dump.piece).facts
        for number in range(dump.number, len(self.snapshot.dump_indices)):
            placed = self.snapshot.dump(number)
            other = self.state(placed.piece).facts
            if number > dump.number and (facts.source is None or other.source != facts.source):
                break
            if other.stage is not facts.stage:
                break
            found = urb_maps(self.snapshot.text_below(placed))
            if found:
                return found
        return ()

    def state(self, piece: Piece) -> DumpState:
        """Return the state of a dump; it lives as long as the piece."""
        state = piece.state
        if state is None:
            state = piece.state = self._store.state(piece.text)
        return state

    def findings(self, piece: Piece) -> Findings:
        """All findings of a dump: of its text, then of passes."""
        return (*self.problems(piece), *self.pass_findings.get(piece.slot, ()))

    def problems(self, piece: Piece) -> Findings:
        """Findings of a dump's text; while it is being checked, those from before the edit."""
        problems = self.state(piece).problems
        return self._problems_before.get(piece.slot, ()) if problems is None else problems

    def shown(self, piece: Piece) -> Findings:
        """The findings of a dump without repeated and allowed ones: of its text, then of passes."""
        slot, state = piece.slot, self.state(piece)
        problems, found = self.problems(piece), self.pass_findings.get(slot, ())
        if not problems and not found:
            return ()
        repeated = frozenset() if slot in self.unfolded else self.repeated.get(slot, frozenset())
        own, of_file = state.of_text(allowances), self.allowed_in_file()
        if not repeated and not own and not of_file:
            return (*problems, *found)
        inputs = (problems, found, repeated, own, of_file)
        known = self._shown.get(slot)
        # Compared by identity: equal findings are hardly ever distinct objects.
        if known is None or any(now is not then for now, then in zip(inputs, known[0], strict=True)):
            allowed = DumpAllowances(piece.text, own, of_file)
            left = without((*problems, *found), piece.text, repeated)
            known = self._shown[slot] = inputs, tuple(one for one in left if not allowed.covers(one))
        return known[1]

    def count_repeated(self, piece: Piece) -> int:
        """The number of findings of a dump that are not shown because a newer snapshot has them."""
        return 0 if piece.slot in self.unfolded else len(self.repeated.get(piece.slot, ()))

    def allowed_in_file(self) -> frozenset[str]:
        """Codes that `allow-file` comments of the first dump name."""
        if not self.snapshot.dump_indices:
            return frozenset()
        first = self.snapshot.pieces[self.snapshot.dump_indices[0]]
        return self.state(first).of_text(codes_of_file)

    def ir_kept(self) -> AbstractContextManager[None]:
        """Keep the IR of all dumps in memory within the context, see `DumpStore.heavy_kept`."""
        return self._store.heavy_kept()

    def use_store(self, store: DumpStore) -> None:
        """Use another store of dump states; drop the findings of passes under other settings."""
        if store is self._store:
            return
        self._store = store
        for piece in self.snapshot.pieces:
            piece.state = None if piece.state is None else store.state_as(piece.state)
        self.drop_pass_findings()

    def drop_pass_findings(self) -> None:
        """Drop the findings of passes, because the settings changed."""
        self.pass_findings.clear()
        self.placed.clear()
        self.generation += 1

    def change(self, changes: Sequence[TextChange], version: int, encoding: Encoding) -> None:
        """Create the next snapshot. The range of each change refers to the text after the previous change."""
        self.take(self.edits(changes, version, encoding))

    def edits(self, changes: Sequence[TextChange], version: int, encoding: Encoding) -> TextEdits:
        """Work out what changes make of the text, for `take`; any thread may do that."""
        snapshot, edits = self.snapshot, []
        for change in changes:
            before, new_text = snapshot, to_bytes(change.text)
            if change.range is None:
                start, end, new_text = what_differs(before.text, new_text)
            else:
                start = before.raw_offset(*change.range.start, encoding)
                end = max(start, before.raw_offset(*change.range.end, encoding))
            snapshot, edit = before.replace(start, end, new_text)
            if edit is None:
                _ = self._linkable_at(snapshot).sequences
            edits.append((before, snapshot, edit))
        return TextEdits(tuple(edits), version)

    def take(self, edits: TextEdits) -> None:
        """Create the next snapshot from what `edits` has worked out for the present one."""
        for before, after, edit in edits.steps:
            self.transition_marks.clear()
            self.snapshot = after
            if edit is not None:
                self.edited_slot = edit.after.slot
                self.placed.pop(edit.before.slot, None)
                self.unsaved.discard(edit.before.slot)
                self.unsaved.add(edit.after.slot)
                self._keep_problems(edit)
                self._store.edited(edit.before.text, edit.after.text, edit.splice)
            self._move_pass_findings(before, edit)
        self.snapshot = self.snapshot.at_version(edits.version)
        self.generation += 1

    def _keep_problems(self, edit: DumpEdit) -> None:
        """Keep the problems of a dump, moved by the edit, until its new text has been checked."""
        problems = self.problems(edit.before)
        self._problems_before.pop(edit.before.slot, None)
        if problems:
            moved = (_after(problem, edit.splice) for problem in problems)
            self._problems_before[edit.after.slot] = tuple(one for one in moved if one is not None)

    def _move_pass_findings(self, before: Snapshot, edit: DumpEdit | None) -> None:
        if edit is not None:
            marks = self.pass_findings.pop(edit.before.slot, ())
            moved = tuple(mark for old in marks if (mark := _after(old, edit.splice)) is not None)
            if moved:
                self.pass_findings[edit.after.slot] = moved
            return
        here = set(self.snapshot.pieces)
        removed = [piece for piece in before.pieces if piece not in here]
        for piece in removed:
            self.pass_findings.pop(piece.slot, None)
            self.placed.pop(piece.slot, None)
            self._problems_before.pop(piece.slot, None)
        self._store.removed(piece.text for piece in removed if piece.is_dump)

    def dumps_by_interest(self) -> Iterator[PlacedDump]:
        """All dumps, those with visible lines first, then by distance from the visible range."""
        return self.by_interest(range(len(self.snapshot.dump_indices)))

    def by_interest(self, numbers: Sequence[int]) -> Iterator[PlacedDump]:
        """Dumps of these ascending numbers in the order of `dumps_by_interest`."""
        first, last = self.visible
        snapshot = self.snapshot
        above = below = bisect_right(numbers, last, key=snapshot.first_line)
        while above > 0 and snapshot.line_behind(numbers[above - 1]) >= first:
            above -= 1
        yield from map(snapshot.dump, numbers[above:below])
        while above > 0 or below < len(numbers):
            over = first - snapshot.line_behind(numbers[above - 1]) if above > 0 else inf
            under = snapshot.first_line(numbers[below]) - last if below < len(numbers) else inf
            if over <= under:
                above -= 1
                yield snapshot.dump(numbers[above])
            else:
                yield snapshot.dump(numbers[below])
                below += 1

    def place_of_slot(self, slot: int) -> PlacedDump | None:
        """Find the dump with a slot in the current snapshot."""
        if self._placed is None or self._placed[0] is not self.snapshot:
            pieces = self.snapshot.dump_pieces()
            self._placed = (self.snapshot, {piece.slot: number for number, piece in enumerate(pieces)})
        number = self._placed[1].get(slot)
        return None if number is None else self.snapshot.dump(number)


def to_bytes(text: str) -> bytes:
    """Encode a client's text as UTF-8; lone surrogates are allowed."""
    return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    """Decode bytes from `to_bytes` or from any file; invalid UTF-8 is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _after(finding: Finding, splice: Splice) -> Finding | None:
    """Move a finding after an edit of its dump; None if the edit touched its text."""
    if finding.place.end < splice.start:
        return finding
    if finding.place.start >= splice.old_end:
        return replace(finding, place=finding.place.moved(splice.growth))
    return None
