"""A second reader of dumps: regular expressions and no IR, for what messages claim about a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ACCESS = re.compile(
    r"(?:x(?P<width>\d+))?\s+(?:%\d+ = )?@(?P<verb>load|store)_(?P<kind>\w+) \((?P<value>%\d+)"
    r".*?\bcomponent=(?P<first>\d).*?location=VARYING_SLOT_(?P<slot>\w+) slots=(?P<slots>\d+)"
)
_WRITTEN = re.compile(r"wrmask=([xyzw]+)")
_CONSTANT = re.compile(r"(%\d+) = load_const \((0x[0-9a-f]+)(?: = (-?[\d.]+))?\)")
_ALU = re.compile(r"%\d+ = (?!@|load_const|undefined|deref_|phi|\(|\w*tex|tx)[a-z]\w+!? ")
_INSTRUCTION = re.compile(r"^\s*(?:(?:con |div )?[\dx]+ +%\d+ = |@\w|\w+$|goto|call )")
_CLASSIC_VALUE = re.compile(r"\bvec(\d+) +(\d+)(?: con| div)? ssa_")
_CLASSIC_LOCATION = re.compile(r"\bio location=(\d+)")
_NAMED_SLOTS = {
    0: "POS", 1: "COL0", 2: "COL1", 3: "FOGC", 12: "PSIZ", 13: "BFC0", 14: "BFC1", 15: "EDGE",
    16: "CLIP_VERTEX", 17: "CLIP_DIST0", 18: "CLIP_DIST1", 19: "CULL_DIST0", 20: "CULL_DIST1",
    21: "PRIMITIVE_ID", 22: "LAYER", 23: "VIEWPORT", 24: "FACE", 25: "PNTC", 26: "TESS_LEVEL_OUTER",
    27: "TESS_LEVEL_INNER",
}  # fmt: skip

Scalars = dict[tuple[str, str], list[str]]


def as_modern(text: str) -> str:
    """The lines of a classic dump in the words of a modern one, as far as this reader reads them."""
    if "ssa_" not in text:
        return text
    stage = text.partition("MESA_SHADER_")[2].partition("\n")[0]

    def location(match: re.Match[str]) -> str:
        number = int(match[1])
        is_load = re.search(r"intrinsic load_\w*input", match.string) is not None
        if (stage == "VERTEX" and is_load) or (stage == "FRAGMENT" and not is_load):
            return f"io location=OTHER_{number}"
        ranges = ((64, "PATCH"), (32, "VAR"), (4, "TEX"))
        name = next((f"{word}{number - first}" for first, word in ranges if number >= first), "")
        return f"io location=VARYING_SLOT_{_NAMED_SLOTS.get(number, name)}"

    lines = (_CLASSIC_LOCATION.sub(location, line) for line in text.split("\n"))
    found = "\n".join(lines).replace("intrinsic ", "@")
    return re.sub(r"\bssa_", "%", _CLASSIC_VALUE.sub(r"\2x\1 ssa_", found))


@dataclass(frozen=True)
class ReadDump:
    """The text of a dump in modern words, by line."""

    text: str

    @classmethod
    def of(cls, text: bytes) -> ReadDump:
        return cls(as_modern(text.decode("utf-8", "replace")))

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def accesses(self, verb: str) -> Scalars:
        """The stored values, or the loads, of each component of each slot."""
        found: Scalars = {}
        for line in self.lines:
            match = _ACCESS.search(line)
            if (
                match is None
                or match["verb"] != verb
                or match["kind"].startswith("output") != (verb == "store")
            ):
                continue
            written = _WRITTEN.search(line)
            parts = (
                ["xyzw".index(part) for part in written[1]] if written else range(int(match["width"] or 1))
            )
            for slot in _slots(match["slot"], int(match["slots"])):
                for part in parts:
                    if part + int(match["first"]) < 4:
                        key = slot, "xyzw"[part + int(match["first"])]
                        found.setdefault(key, []).append(match["value"])
        return found

    def slots(self) -> set[str]:
        """All slots that are accessed or declared."""
        declared = set(re.findall(r"VARYING_SLOT_(\w+)", self.text))
        return declared | {slot for verb in ("store", "load") for slot, _ in self.accesses(verb)}

    def defined(self, value: str) -> str | None:
        """The line that defines a value."""
        return next((line for line in self.lines if re.search(rf"{value} = ", line)), None)

    def line_of(self, value: str) -> int:
        """The number of the line that defines a value."""
        return next(number for number, line in enumerate(self.lines) if re.search(rf"{value} = ", line))

    def constants(self) -> dict[str, tuple[str, str]]:
        """Bits and number of each constant."""
        return {name: (bits, number) for name, bits, number in _CONSTANT.findall(self.text)}

    def count_alu(self) -> int:
        return len(_ALU.findall(self.text))

    def count_instructions(self) -> int:
        return sum(_INSTRUCTION.match(line) is not None for line in self.lines)

    def count(self, pattern: str) -> int:
        """The number of lines on which a pattern matches."""
        return sum(re.search(pattern, line) is not None for line in self.lines)

    def code_before(self, number: int) -> str:
        """The line in front of a line, without labels, comments and blank lines."""
        lines = map(_code, reversed(self.lines[:number]))
        return next((code for code in lines if code), "")

    def code_after(self, number: int) -> Iterator[str]:
        """The lines behind a line, without labels, comments and blank lines."""
        yield from (code for line in self.lines[number + 1 :] if (code := _code(line)))


def _slots(name: str, count: int) -> list[str]:
    match = re.fullmatch(r"(\D+)(\d+)", name)
    return [name] if match is None else [f"{match[1]}{int(match[2]) + offset}" for offset in range(count)]


def _code(line: str) -> str:
    code = re.sub(r"//.*|/\*.*?\*/", "", line).strip()
    return "" if re.match(r"(?:con |div )?block ", code) else code
