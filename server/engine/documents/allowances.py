"""`// nirls: allow CODE` comments, which switch off findings of a line, a dump or a file.

- above an instruction, or behind it: that line;
- above the `shader:` line: the whole dump;
- `// nirls: allow-file CODE` above the `shader:` line of the first dump: the whole file.

Several codes are separated by commas; text behind them is the reason.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.finding import Finding, FindingCode, Fix, FixRequest, Place, Severity
from nirls.ir.text.structure import DIRECTIVE, shader_line

UNUSED_ALLOWANCE = FindingCode(
    "unused-allowance",
    "Comment that allows a finding that is not there",
    Severity.INFORMATION,
    unnecessary=True,
)

_COMMENT = re.compile(
    DIRECTIVE.pattern + rb"(?P<word>allow(?:-file)?)\b[ \t]*(?P<codes>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)?"
)
_CODE = re.compile(rb"[\w-]+")
_COMMENT_LINE = re.compile(rb"[ \t]*//")
_FILE = b"allow-file"


@dataclass(frozen=True, slots=True)
class Allowance:
    """One code of a comment at bytes [start, end) of its dump; `comment` is the range of the comment.

    `line` is the line of the dump that it applies to; None for the whole dump or file.
    """

    code: str
    start: int
    end: int
    comment: tuple[int, int]
    line: int | None = None
    is_of_file: bool = False


def allowances(text: bytes) -> tuple[Allowance, ...]:
    """Read the allowances in a dump."""
    return tuple(_allowances(text)) if b"nirls:" in text else ()


def codes_of_file(text: bytes) -> frozenset[str]:
    """Return the codes that `allow-file` comments in the first dump of a file name."""
    return frozenset(allowance.code for allowance in allowances(text) if allowance.is_of_file)


def _allowances(text: bytes) -> Iterator[Allowance]:
    line_of_stage = shader_line(text)
    head = len(text) if line_of_stage is None else line_of_stage[0]
    for match in _COMMENT.finditer(text):
        is_of_file = match["word"] == _FILE
        line = None if is_of_file or match.start() < head else _line_of(text, match.start())
        if match["codes"] is None:
            yield Allowance("", *match.span("word"), match.span(), line, is_of_file)
            continue
        for code in _CODE.finditer(text, *match.span("codes")):
            yield Allowance(code[0].decode(), *code.span(), match.span(), line, is_of_file)


def _line_of(text: bytes, comment: int) -> int:
    """Return the line of a comment behind an instruction, else the next line that is not a comment."""
    start = text.rfind(b"\n", 0, comment) + 1
    line = text.count(b"\n", 0, comment)
    if text[start:comment].strip():
        return line
    while _COMMENT_LINE.match(text, start):
        line, start = line + 1, text.find(b"\n", start) + 1
        if start == 0:
            break
    return line


class DumpAllowances:
    """The allowances that hold in one dump: its own, and those of the file."""

    def __init__(self, text: bytes, own: Sequence[Allowance], of_file: Container[str]) -> None:
        self._text = text
        self._of_file = of_file
        self._whole = {one.code for one in own if one.line is None and not one.is_of_file}
        self._lines = {(one.line, one.code) for one in own}

    def covers(self, finding: Finding) -> bool:
        """Whether a finding of the dump is switched off."""
        code = finding.code
        if code in self._of_file or code in self._whole:
            return True
        return bool(self._lines) and (self._text.count(b"\n", 0, finding.place.start), code) in self._lines


def unused(
    text: bytes,
    own: Sequence[Allowance],
    found: Iterable[Finding],
    judged: Mapping[str, bool],
    in_file: Container[str],
) -> list[Finding]:
    """Report the allowances of a dump that cover none of the findings `found` in it.

    `judged` are all codes, with whether the check that reports them ran on the dump; `in_file` are those
    found in the file.
    """
    found = list(found)
    findings = []
    for one in own:
        if one.code not in judged:
            message = f"no finding has the code `{one.code}`" if one.code else "this comment names no code"
        elif not judged[one.code] or _is_used(text, one, found, in_file):
            continue
        else:
            where = "file" if one.is_of_file else "dump" if one.line is None else "line"
            message = f"no `{one.code}` in this {where}: the comment is not needed"
        request = FixRequest("", UNUSED_ALLOWANCE.code, start=one.start)
        fix = Fix("Remove this allowance", request, preferred=True)
        findings.append(UNUSED_ALLOWANCE.at(Place(0, one.start, one.end), message, fixes=(fix,)))
    return findings


def _is_used(text: bytes, one: Allowance, found: Iterable[Finding], in_file: Container[str]) -> bool:
    if one.is_of_file:
        return one.code in in_file
    return any(map(DumpAllowances(text, (one,), ()).covers, found))


def removal(text: bytes, request: FixRequest) -> tuple[int, int] | None:
    """Return the bytes to delete for a fix of `unused`; None if the request does not fit the text."""
    own = allowances(text)
    one = next((allowance for allowance in own if allowance.start == request.start), None)
    if one is None or request.code != UNUSED_ALLOWANCE.code:
        return None
    beside = [other for other in own if other.comment == one.comment and other is not one]
    if beside:
        following = [other for other in beside if other.start > one.start]
        if following:
            return one.start, following[0].start
        return beside[-1].end, one.end
    line = text.rfind(b"\n", 0, one.comment[0]) + 1
    end = text.find(b"\n", one.comment[1])
    end = len(text) if end < 0 else end
    if text[line : one.comment[0]].strip():
        before = text[: one.comment[0]].rstrip(b" \t")
        return len(before), end
    return line, min(end + 1, len(text))
