"""What back ends print about the shaders that they compiled: instructions, registers, cycles, spills.

Read are lists of counts (`SIMD16 shader: 152 instructions. 1 loops.` of Intel's, `shader: 103 inst,
4 threads` of v3d, Midgard and Bifrost, `VERT prog 21/1: 32 instr, 5 nops` of ir3 and vc4, also as lines of
shader-db), and blocks of `NAME: COUNT` (`*** SHADER STATS ***` of RADV and radeonsi, `Instruction count:` of
NVK).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from nirls.ir.model.stage import Stage

PREFIX: Final = "backend "
"""Start of the names of these metrics: a back end's instructions are not NIR's."""

_LIST = re.compile(r"^(?P<head>.*?)\bshader: (?P<list>\d.*)")
_PROGRAM = re.compile(r"^(?P<head>.*?\b(?P<stage>[A-Z]{2,5}) prog (?P<number>\d+/\d+)): (?P<list>\d.*)")
_INLINE = re.compile(r"^(?P<head>.*?)\bShader Stats: (?P<list>[A-Z].*)")
_BYTECODE = re.compile(r"^bytecode (?P<list>\d+ dw -- \d+ gprs -- \d+ nstack)\b")
_BLOCK = re.compile(r"^\*\*\* SHADER STATS \*\*\*$")
_STAGE_LINE = re.compile(r"^Stage: (?P<stage>[a-z ]+)$")

_COUNT = re.compile(r"(?<![\w.:])(\d+(?:\.\d+)?) ([A-Za-z(][\w()/ -]{0,60}?)(?=\s{0,8}+(?:[.,]|--|$))")
_PAIR = re.compile(r"(?<![\w:])(\d+):(\d+) (\w+):(\w+)")
_NAMED = re.compile(r"([A-Z][\w /()-]{0,60}?): +(-?\d+(?:\.\d+)?)(?!\w|\.\d|[%:])")
_COMPACTED = re.compile(r"[Cc]ompacted \d+ to (\d+) bytes")
_NAMED_LINE = re.compile(r"^(?P<name>[A-Z][\w /()-]*): +(?P<count>-?\d+(?:\.\d+)?)$")

_STAGE_WORDS: Final = (
    (re.compile(r"tess\w{0,20}[ _-]{0,4}(?:ctrl|control)|\bTCS\b", re.IGNORECASE), Stage.TESS_CTRL),
    (re.compile(r"tess\w{0,20}[ _-]{0,4}eval|\bTES\b", re.IGNORECASE), Stage.TESS_EVAL),
    (re.compile(r"vertex|\bB?VERT\b|\bVS\b", re.IGNORECASE), Stage.VERTEX),
    (re.compile(r"fragment|pixel|\bFRAG\b|\bFS\b", re.IGNORECASE), Stage.FRAGMENT),
    (re.compile(r"geometry|\bGEOM\b|\bGS\b", re.IGNORECASE), Stage.GEOMETRY),
    (re.compile(r"compute|\bCL\b|\bCS\b", re.IGNORECASE), Stage.COMPUTE),
    (re.compile(r"\btask\b", re.IGNORECASE), Stage.TASK),
    (re.compile(r"\bmesh\b", re.IGNORECASE), Stage.MESH),
)
_VARIANT = re.compile(r"\bSIMD\d+\b|\bvec4\b|_BIN\b|\bBVERT\b|\bas [A-Z]+\b")
_PROMOTED = re.compile(r"[Pp]romoted \d+ constants")
_NAMES = {"inst": "instructions", "instr": "instructions", "instruction count": "instructions"}
_NOT_COUNTS = re.compile(r"\bhash\b|%")
_NEAR = 3
"""Lines above a list of counts in which its stage may stand."""


@dataclass(frozen=True, slots=True)
class BackendStats:
    """The counts of one compiled shader, by name. `line` is the line of the text, from 0.

    `stage` is None if the text does not say it. `identity` is the name that a line of shader-db begins with,
    "" for none; `variant` tells apart several programs of one shader: `SIMD16`, `BIN`.
    """

    line: int
    stage: Stage | None
    identity: str
    variant: str
    counts: dict[str, float]


def backend_stats(text: str) -> list[BackendStats]:
    """Read all statistics of a text between dumps, in order."""
    lines = text.split("\n")
    found: list[BackendStats] = []
    program = ""
    number = 0
    while number < len(lines):
        line = lines[number].strip()
        read = _read_list(lines, number, line)
        if read is not None:
            own, key = read
            if key and key == program:
                found[-1].counts.update(own.counts)
            elif own.counts:
                found.append(own)
            program = key
        elif (block := _block(lines, number, line)) is not None:
            own, number = block
            if own.counts:
                found.append(own)
        number += 1
    return found


def _read_list(lines: Sequence[str], number: int, line: str) -> tuple[BackendStats, str] | None:
    """Read a line with counts, and the name of the program that further lines may continue."""
    for pattern in (_PROGRAM, _LIST, _INLINE, _BYTECODE):
        match = pattern.match(line)
        if match is None:
            continue
        groups = match.groupdict()
        head = groups.get("head") or ""
        stage = _stage_in(head) or _stage_above(lines, number)
        counts = dict(_counts_in(groups["list"]))
        if len(counts) < 2 and pattern is _LIST:
            return None
        identity = head.partition(" - ")[0].strip().removeprefix("SHADER-DB-") if " - " in head else ""
        program = head if groups.get("number") else ""
        return BackendStats(number, stage, identity, _variant(head), counts), program
    return None


def _block(lines: Sequence[str], number: int, line: str) -> tuple[BackendStats, int] | None:
    """Read a block of counts; also return its last line."""
    stage_line = _STAGE_LINE.match(line)
    if stage_line is None and not _BLOCK.match(line):
        return None
    heading = line if stage_line is not None else _heading_above(lines, number)
    counts: dict[str, float] = {}
    end = number
    for position in range(number + 1, len(lines)):
        named = _NAMED_LINE.match(lines[position].strip())
        if named is None and lines[position].strip():
            break
        if named is not None:
            counts.update(_named(named["name"], named["count"]))
            end = position
    return BackendStats(number, _stage_in(heading), "", _variant(heading), counts), end


def _counts_in(text: str) -> Iterator[tuple[str, float]]:
    for first, second, name, other in _PAIR.findall(text):
        yield from _named(name, first).items()
        yield from _named(other, second).items()
    rest = _PAIR.sub("", _PROMOTED.sub("", _COMPACTED.sub("", text)))
    for count, name in _COUNT.findall(rest):
        yield from _named(name, count).items()
    for name, count in _NAMED.findall(rest):
        yield from _named(name, count).items()
    compacted = _COMPACTED.search(text)
    if compacted is not None:
        yield from _named("code bytes", compacted[1]).items()


def _named(name: str, count: str) -> dict[str, float]:
    """Return a count by its name in lower case; nothing for numbers that count nothing."""
    name = " ".join(name.lower().split())
    if _NOT_COUNTS.search(name):
        return {}
    number = float(count)
    return {f"{PREFIX}{_NAMES.get(name, name)}": int(number) if number.is_integer() else number}


def _stage_in(text: str) -> Stage | None:
    """Return the stage that a heading names first."""
    found = [(match.start(), stage) for words, stage in _STAGE_WORDS if (match := words.search(text))]
    return min(found, key=lambda one: one[0])[1] if found else None


def _stage_above(lines: Sequence[str], number: int) -> Stage | None:
    """Return the stage in the lines above, such as `Native code for unnamed fragment shader`."""
    for line in reversed(lines[max(number - _NEAR, 0) : number]):
        stage = _stage_in(line) if "shader" in line.lower() else None
        if stage is not None:
            return stage
    return None


def _heading_above(lines: Sequence[str], number: int) -> str:
    return next((line for line in reversed(lines[max(number - _NEAR, 0) : number]) if line.strip()), "")


def _variant(text: str) -> str:
    words = (word.strip("_") for word in _VARIANT.findall(text))
    return " ".join("BIN" if word == "BVERT" else word for word in words)
