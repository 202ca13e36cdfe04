"""Minimal text edits that apply the changes of a pass to a dump.

Both shaders are laid out as lines; a line of the result corresponds to the line of the dump that its
instruction, block or declaration was read from (`span`). Lines in the same order on both sides
stay in place, and a line with an unchanged instruction keeps its bytes. Other lines are deleted,
rewritten in place, or inserted after their predecessor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from nirls.ir.analysis.alignment import longest_rising
from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.span import Span
from nirls.ir.text.debug_lines import spirv_offset
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.io_header import updated_header
from nirls.ir.text.printing.lines import LineKind, LineSlot
from nirls.ir.text.printing.render import INDEX_COMMENTS, Renderer, fresh
from nirls.ir.text.printing.style import PrintStyle


def fill_divergence(before: Shader, shader: Shader, style: PrintStyle) -> None:
    """Set the divergence of new defs, in place, in functions that print `con` and `div`.

    A def without a word in the text of `before` is not new: its line is unchanged.
    """
    for impl in shader.impls():
        if style.function(impl.function.name).divergence:
            _fill(impl, _without_word(before))


@cached_analysis
def _without_word(shader: Shader) -> set[Span]:
    return {
        instr.span
        for instr in shader.instrs()
        if instr.span is not None and instr.def_ is not None and instr.def_.divergent is None
    }


def _fill(impl: FunctionImpl, without_word: set[Span]) -> None:
    for instr in impl.instrs():
        value = instr.def_
        if value is not None and value.divergent is None and instr.span not in without_word:
            value.divergent = _follows(instr)


def _follows(instr: Instr) -> bool | None:
    if isinstance(instr, LoadConstInstr | UndefInstr):
        return False
    if not isinstance(instr, AluInstr | DerefInstr):
        return None
    read = [src.def_.divergent if src.def_ is not None else None for src in instr.srcs()]
    if True in read:
        return True
    return None if None in read else False


_Key = tuple[LineKind, Span]
# Lines around the body of a function, which are only inserted with a new function.
_FRAME = frozenset((LineKind.FUNCTION, LineKind.BLANK, LineKind.IMPL, LineKind.END_BLOCK, LineKind.END))


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the bytes [start, end) of a dump by `new_text` (UTF-8)."""

    start: int
    end: int
    new_text: str


def text_edits(before: Shader, after: Shader) -> list[TextEdit]:
    """Return the edits from `before.source` to the text of `after`; sorted, not overlapping, [] for none.

    `before` is a parsed dump and `after` a clone of it that passes transformed. New lines are in the dump's
    dialect, indentation and columns; values keep their numbers; header fields about I/O, inlined
    constants and the comments on block edges are updated. The block edges of `after` are relinked, and its
    new defs get their divergence where the dump prints it and it follows from their operands.
    """
    for impl in after.impls():
        impl.link_blocks()
    return _Difference(before, after).edits()


def apply_edits(source: bytes, edits: Iterable[TextEdit]) -> bytes:
    """Apply sorted, non-overlapping edits to a text."""
    pieces = []
    position = 0
    for edit in edits:
        pieces += [source[position : edit.start], edit.new_text.encode()]
        position = edit.end
    pieces.append(source[position:])
    return b"".join(pieces)


@dataclass(slots=True)
class _Line:
    """A line of the dump that prints a piece of IR, with its planned change.

    `number` is None for a line missing in the dump (such as comments on block edges).
    `replacement` is the new text of the whole line, None to keep the bytes.
    """

    slot: LineSlot
    number: int | None
    is_kept: bool = False
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class _Original:
    """What all comparisons with a dump share.

    `plain` prints without inferred types of constants, `exact` with them. `texts` holds instructions with
    their comments as `plain` prints them; it is filled on use.
    """

    style: PrintStyle
    plain: Renderer
    exact: Renderer
    slots: Sequence[LineSlot]
    starts: Sequence[int]
    texts: dict[Instr, tuple[str, str]] = field(default_factory=dict)


@cached_analysis
def _original(shader: Shader) -> _Original:
    style = PrintStyle.of(shader)
    # The inferred type of a constant depends on its uses, so lines are compared without it:
    # removing another instruction does not change this one.
    plain = Renderer(shader, replace(style, infer_types=False))
    return _Original(style, plain, Renderer(shader, style), plain.slots(), _line_starts(shader.source))


class _Difference:
    """One comparison of two shaders."""

    __slots__ = (
        "after",
        "before",
        "inserted",
        "lines",
        "new",
        "new_exact",
        "old",
        "old_exact",
        "original",
        "shared",
        "source",
        "starts",
        "style",
        "unplaced",
    )

    def __init__(self, before: Shader, after: Shader) -> None:
        self.before = before
        self.source = before.source
        self.original = original = _original(before)
        self.style = original.style
        self.after = replace(after, header=updated_header(before, after))
        fill_divergence(before, after, self.style)
        self.old, self.old_exact, self.starts = original.plain, original.exact, original.starts
        self.new, self.new_exact = Renderer(self.after, self.old.style), Renderer(self.after, self.style)
        self.lines: list[_Line] = []
        # Lines of the layout that are missing in the text: empty ones, and those around code outside of
        # any function in a broken dump.
        self.unplaced: set[tuple[LineKind, str]] = set()
        # Positions of layout lines that share a line of text with others.
        self.shared: set[int] = set()
        # Texts to insert after a line, by its number; -1 is the start of the dump.
        self.inserted: dict[int, list[str]] = {}

    def edits(self) -> list[TextEdit]:
        """Compute the edits, in order."""
        if not self.source:
            text = fresh(self.after, self.style).decode()
            return [TextEdit(0, 0, text)] if text else []
        self.lines = [_Line(slot, self._line_number(slot)) for slot in self.original.slots]
        self.unplaced = {
            (line.slot.kind, _function_name(line.slot)) for line in self.lines if _key_of(line.slot) is None
        }
        slots = self.new.slots()
        origins = self._origins(slots)
        kept = [origin for origin in origins if origin is not None]
        stay = {origin for _, origin in longest_rising(list(enumerate(kept)))}
        self._split_shared_lines(slots, origins, stay)
        self._place(slots, origins, stay)
        return self._collect()

    def _origins(self, slots: Sequence[LineSlot]) -> list[int | None]:
        """Return, for each line of the result, the position of its original line; each at most once."""
        positions: dict[_Key, int] = {}
        for position, line in enumerate(self.lines):
            key = _key_of(line.slot)
            if key is not None:
                positions.setdefault(key, position)
        claims: dict[int, list[int]] = {}
        for index, slot in enumerate(slots):
            key = _key_of(slot)
            origin = None if key is None else positions.get(key)
            if origin is not None:
                claims.setdefault(origin, []).append(index)
        origins: list[int | None] = [None] * len(slots)
        for origin, indices in claims.items():
            # Copies of an instruction share its span: the unchanged one is the original.
            original = indices[0]
            if len(indices) > 1:
                same = (i for i in indices if self._says_the_same(self.lines[origin].slot, slots[i]))
                original = next(same, original)
            origins[original] = origin
        return origins

    def _split_shared_lines(
        self, slots: Sequence[LineSlot], origins: Sequence[int | None], stay: set[int]
    ) -> None:
        """Keep or reprint all pieces that share a line together."""
        on_line: dict[int, list[int]] = {}
        for position, line in enumerate(self.lines):
            if line.number is not None:
                on_line.setdefault(line.number, []).append(position)
        crowded = [positions for positions in on_line.values() if len(positions) > 1]
        if not crowded:
            return
        results = {origin: slots[index] for index, origin in enumerate(origins) if origin is not None}
        for positions in crowded:
            self.shared.update(positions)
            untouched = stay.issuperset(positions) and all(
                position in results and self._says_the_same(self.lines[position].slot, results[position])
                for position in positions
            )
            if not untouched:
                stay.difference_update(positions)

    def _place(self, slots: Sequence[LineSlot], origins: Sequence[int | None], stay: set[int]) -> None:
        """Decide for each line of the result whether it is kept, rewritten, or inserted."""
        anchor = self._first_anchor(origins, stay)
        for slot, origin in zip(slots, origins, strict=True):
            if origin is not None and origin in stay:
                line = self.lines[origin]
                line.is_kept = True
                if line.number is None:
                    continue
                if not self._says_the_same(line.slot, slot):
                    line.replacement = self._rewritten(line, slot)
                if not self._is_misplaced(slot, line.number):
                    anchor = self._behind(line)
                continue
            if origin is not None and self.lines[origin].number is None:
                continue
            text = self._inserted_text(slot, origin)
            offset = None if origin is None else self._offset_line(self.lines[origin])
            if offset is not None:
                comment = f"{self.new.indent(slot)}{self._content(offset)}"
                self.inserted.setdefault(anchor, []).append(comment)
            if text is not None:
                self.inserted.setdefault(anchor, []).append(text)

    def _is_misplaced(self, slot: LineSlot, number: int) -> bool:
        """Whether a declaration stands behind instructions, where others may not follow it."""
        if slot.kind is not LineKind.LOCAL:
            return False
        blocks = (line.number for line in self.lines if line.slot.kind is LineKind.BLOCK)
        return any(block is not None and block < number for block in blocks)

    def _first_anchor(self, origins: Sequence[int | None], stay: set[int]) -> int:
        """Return the line number after which lines before all kept ones are inserted."""
        for origin in origins:
            if origin is not None and origin in stay:
                number = self.lines[origin].number
                if number is not None:
                    return number - 1
        return -1

    def _behind(self, line: _Line) -> int:
        """Return the last line number that belongs to a line, including error messages below it."""
        number = line.number if line.number is not None else -1
        if isinstance(line.slot.node, Instr) and self.before.annotations:
            span = line.slot.node.span
            below = [item.span.line for item in self.before.annotations if item.instr_span == span]
            return max([number, *below])
        return number

    def _inserted_text(self, slot: LineSlot, origin: int | None) -> str | None:
        if _key_of(slot) is None and slot.kind in _FRAME and self._is_unplaced(slot):
            return None
        if slot.kind is LineKind.BLANK:
            return ""
        line = None if origin is None else self.lines[origin]
        kept = None
        if line is not None and line.number is not None and origin not in self.shared:
            kept = self._content(line.number) if self._says_the_same(line.slot, slot) else None
        return f"{self.new.margin(slot)}{self._exact_text(slot, line) if kept is None else kept}"

    def _is_unplaced(self, slot: LineSlot) -> bool:
        if slot.kind is LineKind.END and not isinstance(slot.node, FunctionImpl):
            return False
        return (slot.kind, _function_name(slot)) in self.unplaced

    def _says_the_same(self, old: LineSlot, new: LineSlot) -> bool:
        if old.depth != new.depth or old.kind is not new.kind:
            return False
        old_node, new_node = old.node, new.node
        if isinstance(old_node, Instr) and isinstance(new_node, Instr):
            now = self.new.writer(new.impl)
            text, comment = self._original_text(old_node, old.impl)
            return text == now.text(new_node) and comment == now.comment(new_node)
        was_text, now_text = self.old.body(old), self.new.body(new)
        if was_text == now_text:
            return True
        # The space after a block's label depends on the block's content.
        return old.kind is LineKind.BLOCK and was_text.split() == now_text.split()

    def _original_text(self, instr: Instr, impl: FunctionImpl | None) -> tuple[str, str]:
        known = self.original.texts.get(instr)
        if known is None:
            writer = self.old.writer(impl)
            known = self.original.texts[instr] = writer.text(instr), writer.comment(instr)
        return known

    def _rewritten(self, line: _Line, slot: LineSlot) -> str:
        """Return the new text of a line rewritten in place, with the user's indentation and comment."""
        number = line.number if line.number is not None else 0
        start = self.starts[number]
        margin = self.new.margin(slot)
        if margin == self.old.margin(line.slot):
            raw = self.source[start : self._line_end(number)]
            margin = raw[: len(raw) - len(raw.lstrip(b" \t"))].decode()
        return f"{margin}{self._exact_text(slot, line)}"

    def _exact_text(self, slot: LineSlot, origin: _Line | None) -> str:
        """Return a line without its margin, as printed by Mesa, with the user's comment."""
        body = self.new_exact.body(slot)
        comment = ""
        if isinstance(slot.node, Instr):
            comment = self.new_exact.writer(slot.impl).comment(slot.node)
        remark = self._remark(slot, origin)
        if not remark:
            return f"{body}{comment}"
        if comment and origin is not None and not self._has_own_comment(origin.slot):
            comment = ""
        return f"{body}{comment}  {remark}" if not body.endswith(" ") or comment else f"{body} {remark}"

    def _remark(self, slot: LineSlot, origin: _Line | None) -> str:
        if origin is None:
            is_new = not isinstance(slot.node, Instr) or slot.node.span is None
            return self.new_exact.remark(slot) if is_new else ""
        if not isinstance(slot.node, Instr | Variable):
            content = None if origin.number is None else self._content(origin.number)
            return "" if content is None else _comment_behind(content, self.old_exact.body(origin.slot))
        if _comment_of(slot) == _comment_of(origin.slot):
            return self.old_exact.remark(origin.slot)
        return self.new_exact.remark(slot)

    def _has_own_comment(self, slot: LineSlot) -> bool:
        """Return whether the comment in the dump starts with the one that Mesa prints."""
        node = slot.node
        if not isinstance(node, Instr) or node.comment is None:
            return True
        if isinstance(node, IntrinsicInstr) and INDEX_COMMENTS.match(node.comment):
            return True
        return node.comment.startswith(self.old_exact.writer(slot.impl).comment(node).strip())

    def _line_number(self, slot: LineSlot) -> int | None:
        node = slot.node
        if isinstance(node, Block) and node.index < 0 and slot.kind is LineKind.BLOCK:
            # Code outside of any block in a broken dump has a block without a line.
            return None
        if slot.kind is LineKind.PREDECESSORS:
            return self._edge_comment(node, b"preds:")
        if slot.kind is LineKind.PREAMBLE:
            return self._preamble_line(node)
        span = _span_of(slot)
        return None if span is None else span.line

    def _edge_comment(self, node: object, word: bytes) -> int | None:
        if not isinstance(node, Block) or node.span is None or node.stated_preds is None:
            return None
        number = node.span.line + 1
        if number < len(self.starts) and word in self.source[self.starts[number] : self._line_end(number)]:
            return number
        return None

    def _preamble_line(self, node: object) -> int | None:
        if not isinstance(node, FunctionImpl) or node.span is None:
            return None
        number = node.span.line + 1
        if number < len(self.starts) and self._content(number, b"preamble") is not None:
            return number
        return None

    def _line_end(self, number: int) -> int:
        """Return the end offset of a line without its newline."""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.source)
        while end > self.starts[number] and self.source[end - 1] in b"\r\n":
            end -= 1
        return end

    def _content(self, number: int, prefix: bytes = b"") -> str | None:
        """Return the stripped text of a line; None if it does not start with `prefix` or is not UTF-8."""
        raw = self.source[self.starts[number] : self._line_end(number)].strip(b" \t")
        if not raw.startswith(prefix):
            return None
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return None

    def _offset_line(self, line: _Line) -> int | None:
        """Return the number of the line above an instruction that has its offset in the SPIR-V, if any."""
        if not line.number or line.slot.kind is not LineKind.INSTR:
            return None
        above = self._content(line.number - 1, b"//")
        return None if above is None or spirv_offset(above) is None else line.number - 1

    def _deleted_lines(self) -> set[int]:
        kept = {line.number for line in self.lines if line.is_kept}
        deleted: set[int] = set()
        gone: set[Span] = set()
        for line in self.lines:
            if line.is_kept or line.number is None or line.number in kept:
                continue
            deleted.add(line.number)
            node = line.slot.node
            if isinstance(node, Instr) and node.span is not None:
                gone.add(node.span)
                offset = self._offset_line(line)
                if offset is not None:
                    deleted.add(offset)
            elif isinstance(node, FunctionImpl):
                is_start = line.slot.kind is LineKind.IMPL
                beside = line.number - 1 if is_start else line.number + 1
                if 0 <= beside < len(self.starts) and self._content(beside) == "":
                    deleted.add(beside)
        for item in self.before.annotations:
            if item.instr_span in gone:
                deleted.add(item.span.line)
        return deleted - kept

    def _collect(self) -> list[TextEdit]:
        """Merge changes of neighbouring lines into one edit each."""
        deleted = self._deleted_lines()
        rewritten = {
            line.number: line.replacement
            for line in self.lines
            if line.number is not None and line.replacement is not None
        }
        newline = self.style.newline
        edits: list[TextEdit] = []
        for number in sorted({*deleted, *rewritten, *self.inserted}):
            text = ""
            start = end = self._start_of(number + 1)
            if number in deleted or number in rewritten:
                start = self.starts[number]
            if number in rewritten:
                text = f"{rewritten[number]}{newline}"
                if not self._ends_line(number):
                    text = rewritten[number]
            for line in self.inserted.get(number, ()):
                if number >= 0 and not self._ends_line(number) and number not in deleted:
                    text = f"{text}{newline}{line}"
                else:
                    text = f"{text}{line}{newline}"
            if edits and edits[-1].end == start:
                edits[-1] = TextEdit(edits[-1].start, end, edits[-1].new_text + text)
            else:
                edits.append(TextEdit(start, end, text))
        # Whole lines may be unchanged.
        return [edit for edit in edits if self.source[edit.start : edit.end] != edit.new_text.encode()]

    def _start_of(self, number: int) -> int:
        return self.starts[number] if number < len(self.starts) else len(self.source)

    def _ends_line(self, number: int) -> bool:
        """Return whether the line ends with a newline; the last line of a document may not."""
        return number < 0 or number + 1 < len(self.starts) or self.source.endswith(b"\n")


def _function_name(slot: LineSlot) -> str:
    if isinstance(slot.node, Function):
        return slot.node.name
    if isinstance(slot.node, FunctionImpl):
        return slot.node.function.name
    return "" if slot.impl is None else slot.impl.function.name


def _line_starts(source: bytes) -> list[int]:
    starts = [0]
    position = source.find(b"\n")
    while position >= 0:
        starts.append(position + 1)
        position = source.find(b"\n", position + 1)
    if len(starts) > 1 and starts[-1] == len(source):
        starts.pop()
    return starts


def _key_of(slot: LineSlot) -> _Key | None:
    """Return the key by which a line of the result is matched with its original line.

    A line that only accompanies a node is keyed by the node, because it may be missing in a dump: comments
    on block edges, the braces of a truncated dump.
    """
    node = slot.node
    if slot.kind is LineKind.BLANK:
        return None
    span = node.span if isinstance(node.span, Span) else None
    if slot.kind is LineKind.END_BLOCK and slot.impl is not None and slot.impl.span is not None:
        span = slot.impl.span
    elif slot.kind is LineKind.FUNCTION and span is None and isinstance(node, Function):
        span = None if node.impl is None else node.impl.span
    return None if span is None else (slot.kind, span)


def _span_of(slot: LineSlot) -> Span | None:
    node = slot.node
    match slot.kind:
        case LineKind.ELSE:
            return node.else_span if isinstance(node, If) else None
        case LineKind.CONTINUE:
            return node.continue_span if isinstance(node, Loop) else None
        case LineKind.END:
            return node.end_span if isinstance(node, If | Loop | FunctionImpl) else None
        case LineKind.SUCCESSORS:
            return node.end_span if isinstance(node, Block) else None
        case LineKind.BLANK:
            return None
        case _:
            return node.span if isinstance(node.span, Span) else None


def _comment_behind(content: str, body: str) -> str:
    """Return the comment after the text of a line, regardless of spaces; "" without one."""
    position = 0
    for word in body.split():
        position += len(content) - position - len(content[position:].lstrip())
        if not content.startswith(word, position):
            return ""
        position += len(word)
    rest = content[position:].strip()
    return rest if rest.startswith(("//", "/*")) else ""


def _comment_of(slot: LineSlot) -> str | None:
    return slot.node.comment if isinstance(slot.node, Instr | Variable) else None


def print_shader(shader: Shader) -> bytes:
    """Return the original dump of `shader`, with only the outdated lines rewritten.

    A shader without a source is printed fresh in its dialect. Block edges are relinked.
    """
    if not shader.source:
        return fresh(shader)
    return apply_edits(shader.source, text_edits(parse_dump(shader.source), shader))
