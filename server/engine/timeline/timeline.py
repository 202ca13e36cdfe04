"""Passes of each shader in a log, with the kind of change and the size before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import Literal

from nirls.ir.analysis.compare import same_shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.documents.document import Piece, PlacedDump, Snapshot
from nirls.server.engine.documents.lru_cache import LruCache
from nirls.server.engine.timeline.dump_digest import DumpCounts, DumpDigest, ShaderIdentity, beyond_pass
from nirls.server.engine.timeline.pass_names import PassLine, TextBetween, read_text_between
from nirls.server.engine.timeline.restarts import start_of_restart
from nirls.server.engine.timeline.shader_tracks import ShaderTrack, TrackedDump, shader_tracks
from nirls.verification.pass_abilities import ability_of

Digests = Callable[[Piece], DumpDigest]


class ChangeKind(Enum):
    """Kind of change by a pass. Numbers, columns and comments are ignored."""

    FIRST = "first"
    """First snapshot, with no earlier one to compare with."""
    CODE = "code"
    DECLARATIONS = "declarations"
    """Only declarations of variables or functions changed."""
    HEADER = "header"
    """Only the header changed."""
    NONE = "none"
    SKIPPED = "skipped"
    """The pass was disabled by NIR_SKIP."""

    @property
    def is_visible(self) -> bool:
        """Whether the pass is shown when passes without effect are hidden."""
        return self not in (ChangeKind.NONE, ChangeKind.SKIPPED)


@dataclass(frozen=True, slots=True)
class PassRun:
    """A pass that ran on a shader. `number` counts the passes of the shader from 1, including hidden ones.

    `line` is the first line of the dump printed after it, or the line that names it. `dump` is the number of
    that dump in the document from 0, None without a dump; `previous` is the number of the previous snapshot.
    `named_by` is the source of the name: a pass line, a heading, or the form of the dump. A driver that makes
    several variants of a shader prints a snapshot again before each of them, without a pass name: `previous`
    is then that earlier snapshot, and `is_variant` is set for it and the following ones.
    `unprinted` are operations that the named pass cannot have made: a step that the log does not print ran in
    front of it.
    """

    number: int
    name: str
    change: ChangeKind
    line: int
    dump: int | None
    previous: int | None
    before: DumpCounts | None
    after: DumpCounts | None
    named_by: Literal["pass", "heading", "form"] = "pass"
    is_variant: bool = False
    unprinted: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name of the pass, or that a step in front of it changed the shader too."""
        return f"before {self.name}, not printed" if self.unprinted else self.name


@dataclass(frozen=True, slots=True)
class ShaderTimeline:
    """Passes of a shader, in order."""

    identity: ShaderIdentity
    compile_number: int
    steps: tuple[PassRun, ...]

    @property
    def stage(self) -> str:
        """Abbreviation such as `VS`; the stage word of the dump if it is unknown."""
        stage = Stage.from_mesa_name(self.identity.stage)
        return self.identity.stage if stage is None else stage.abbreviation

    @property
    def title(self) -> str:
        """Display title: stage, name or start of the source hash, and compilation number."""
        words = [self.stage]
        name = self.identity.name or self.identity.label
        if name is not None:
            words.append(name)
        elif self.identity.source is not None:
            words.append(self.identity.source.strip("{}").partition(",")[0])
        if self.compile_number > 1:
            words.append(f"(compilation {self.compile_number})")
        return " ".join(words)

    @property
    def dumps(self) -> list[int]:
        """Numbers of the snapshots, in the order of the steps."""
        return [step.dump for step in self.steps if step.dump is not None]

    @property
    def last_dump(self) -> int:
        """Number of the snapshot that the log has last."""
        return max(self.dumps)

    def pairs(self) -> dict[tuple[int, int], PassRun]:
        """Passes between two snapshots, by the numbers of these."""
        return {
            (step.previous, step.dump): step
            for step in self.steps
            if step.previous is not None and step.dump is not None
        }

    def visible_steps(self) -> tuple[PassRun, ...]:
        """Passes that changed something, and the first snapshot."""
        return tuple(step for step in self.steps if step.change.is_visible)

    @property
    def first(self) -> DumpCounts | None:
        """Size at the first snapshot."""
        return next((step.after for step in self.steps if step.after is not None), None)

    @property
    def last(self) -> DumpCounts | None:
        """Size at the last snapshot."""
        return next((step.after for step in reversed(self.steps) if step.after is not None), None)


_same_code: LruCache[tuple[bytes, bytes], bool] = LruCache(10_000)


def same_code_of(before: Piece, after: Piece) -> bool:
    """Whether two dumps have the same code up to numbering. Results are cached."""
    # Hashes as keys, so that the cache does not keep the texts alive.
    key = blake2b(before.text).digest(), blake2b(after.text).digest()
    known = _same_code.get(key)
    if known is None:
        known = same_shader(parse_dump(before.text), parse_dump(after.text))
        _same_code.put(key, known, 1)
    return known


class TimelineReader:
    """Reads the timelines of a log one by one; `tracks` are its shaders, in the order of their first dumps.

    `digest` may cache by content.
    """

    def __init__(self, snapshot: Snapshot, digest: Digests) -> None:
        self.dumps: Sequence[PlacedDump] = snapshot.dumps()
        self.digests = [digest(dump.piece) for dump in self.dumps]
        # Text before each dump and after the last one, and the first lines of these texts.
        self.texts: list[TextBetween] = []
        self.text_lines: list[int] = []
        self._read_texts(snapshot)
        self.tracks = shader_tracks(
            TrackedDump(
                dump.piece.text,
                dump_digest,
                None if text.owner is None else text.owner.name,
                text.heading,
                text.is_foreign,
            )
            for dump, dump_digest, text in zip(self.dumps, self.digests, self.texts, strict=False)
        )
        self._idle = self._idle_passes({position: track for track in self.tracks for position in track.dumps})

    def timelines(self) -> Iterator[ShaderTimeline]:
        """Yield the timeline of each shader, in the order of `tracks`.

        Dumps are parsed whose texts do not tell whether their code is the same.
        """
        return map(self.timeline, self.tracks)

    def timeline(self, track: ShaderTrack) -> ShaderTimeline:
        """Compute the timeline of a shader of this log."""
        return ShaderTimeline(track.identity, track.compile_number, tuple(self._steps(track)))

    def _read_texts(self, snapshot: Snapshot) -> None:
        between: list[bytes] = []
        line = start = 0
        for piece in snapshot.pieces:
            if piece.is_dump:
                self.texts.append(read_text_between(b"".join(between)))
                self.text_lines.append(start)
                between, start = [], line + piece.line_ends
            else:
                between.append(piece.text)
            line += piece.line_ends
        # No dump follows, so the last pass printed none.
        last = read_text_between(b"".join(between))
        self.texts.append(TextBetween(tuple(_all_lines(last))))
        self.text_lines.append(start)

    def _idle_passes(
        self, track_of: dict[int, ShaderTrack]
    ) -> dict[tuple[int, bool], list[tuple[PassLine, int]]]:
        """Passes without a dump, by (dump, is_after): directly before or after that dump.

        Between dumps of two shaders, passes before the usual first pass of a shader belong to the first one.
        """
        found: dict[tuple[int, bool], list[tuple[PassLine, int]]] = {}
        opening = [line.name for line in _all_lines(self.texts[0])] if self.texts else []
        for position, (text, start) in enumerate(zip(self.texts, self.text_lines, strict=True)):
            placed = [(line, start + line.line) for line in text.passes]
            previous, following = track_of.get(position - 1), track_of.get(position)
            if previous is None:
                found[position, False] = placed
            elif following is None:
                found[position - 1, True] = placed
            elif following is previous:
                found[position, False] = placed
            else:
                starts_here = following.dumps[0] == position
                cut = _start_of(opening, [line.name for line in text.passes]) if starts_here else len(placed)
                found[position - 1, True] = placed[:cut]
                found[position, False] = placed[cut:]
        return found

    def _steps(self, track: ShaderTrack) -> Iterator[PassRun]:
        number = 0
        previous: int | None = None
        earlier: dict[bytes, int] = {}
        is_variant = False
        behind: dict[int, set[str]] = {}
        in_front: dict[str, int] = {}
        for order, position in enumerate(track.dumps):
            counts = None if previous is None else self.digests[previous].counts
            idle_before, idle_after = (self._idle.get((position, is_after), ()) for is_after in (False, True))
            for line, place in idle_before:
                number += 1
                yield _idle_step(number, line, place, previous, counts)
            number += 1
            named_by, name = self._named_by(position), self._name(position)
            text = self.dumps[position].piece.text
            start: int | None = None
            unprinted: tuple[str, ...] = ()
            if named_by == "pass" and previous is not None:
                unprinted = beyond_pass(name, self.digests[previous], self.digests[position])
                can_make = not unprinted and ability_of(name) is not None
                start = start_of_restart(
                    track.dumps[:order], position, name, self.digests, behind, can_make=can_make
                )
                behind.setdefault(previous, set()).update([name, *(line.name for line, _ in idle_before)])
            elif named_by != "pass":
                start = earlier.get(text)
                if named_by == "heading" and previous is not None:
                    # A variant, such as for another width of SIMD, has the headings of the first one again.
                    headings = list(in_front)
                    last_name = self._name(previous)
                    is_again = name in headings and last_name in headings[headings.index(name) + 1 :]
                    if start is None and is_again:
                        start = in_front[name]
                    in_front.setdefault(name, previous)
            if start is not None:
                is_variant = is_variant or start != previous
                previous = start
                counts = self.digests[previous].counts
                if named_by == "pass":
                    unprinted = beyond_pass(name, self.digests[previous], self.digests[position])
            earlier[text] = position
            after = self.digests[position].counts
            change = self._change(previous, position)
            place = self.dumps[position].first_line
            yield PassRun(
                *(number, name, change, place, position, previous, counts, after, named_by, is_variant),
                unprinted,
            )
            previous = position
            behind[position] = {line.name for line, _ in idle_after}
            for line, place in idle_after:
                number += 1
                yield _idle_step(number, line, place, previous, after)

    def _name(self, position: int) -> str:
        text = self.texts[position]
        if text.owner is not None:
            return text.owner.name
        if text.heading:
            return text.heading
        level = self.digests[position].io_level
        return f"dump {position + 1}" + ("" if level is None else f", {level.description}")

    def _named_by(self, position: int) -> Literal["pass", "heading", "form"]:
        text = self.texts[position]
        if text.owner is not None:
            return "pass"
        return "form" if text.heading is None else "heading"

    def _change(self, previous: int | None, position: int) -> ChangeKind:
        if previous is None:
            return ChangeKind.FIRST
        before, after = self.digests[previous], self.digests[position]
        pieces = self.dumps[previous].piece, self.dumps[position].piece
        if pieces[0].text == pieces[1].text:
            return ChangeKind.NONE
        if before.shape != after.shape:
            return ChangeKind.CODE
        if before.numbered_in_order != after.numbered_in_order and not same_code_of(*pieces):
            return ChangeKind.CODE
        if before.declarations != after.declarations:
            return ChangeKind.DECLARATIONS
        return ChangeKind.NONE if before.header == after.header else ChangeKind.HEADER


def _idle_step(
    number: int, line: PassLine, place: int, previous: int | None, counts: DumpCounts | None
) -> PassRun:
    change = ChangeKind.SKIPPED if line.skipped else ChangeKind.NONE
    return PassRun(number, line.name, change, place, None, previous, counts, counts)


def _all_lines(text: TextBetween) -> list[PassLine]:
    return [*text.passes, *([] if text.owner is None else [text.owner])]


def _start_of(opening: Sequence[str], names: Sequence[str]) -> int:
    """Index at which a new shader starts in a series of passes: the longest match with `opening`."""
    best, length = len(names), 0
    for position in range(len(names)):
        common = 0
        while (
            common < len(opening)
            and position + common < len(names)
            and names[position + common] == opening[common]
        ):
            common += 1
        if common and common >= length:
            best, length = position, common
    return best
