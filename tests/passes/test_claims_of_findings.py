"""What messages claim, checked by a second reader of the dump's text: regular expressions, and no IR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import LocatedFinding, findings_of
from tools.corpus.archive import unpacked

_SLOTS = re.compile(r"\b((?:VAR|PATCH|TEX)\d+|POS|PSIZ|COL\d|BFC\d|FOGC|LAYER|VIEWPORT)\.([xyzw]+)\b")
_ACCESS = re.compile(
    r"(?:x(?P<width>\d+))?\s+(?:%\d+ = )?@(?P<verb>load|store)_(?P<kind>\w+) \((?P<value>%\d+)"
    r".*?\bcomponent=(?P<first>\d).*?location=VARYING_SLOT_(?P<slot>\w+)"
)
_WRITTEN = re.compile(r"wrmask=([xyzw]+)")
_CONSTANT = re.compile(r"(%\d+) = load_const \((0x[0-9a-f]+)(?: = (-?[\d.]+))?\)")
_ALU = re.compile(r"%\d+ = (?!@|load_const|undefined|deref_|phi|\(|\w*tex|tx)[a-z]\w+!? ")

Scalars = dict[tuple[str, str], list[str]]


def accesses(text: str, verb: str) -> Scalars:
    """The stored values, or the loads, of each component of each slot."""
    found: Scalars = {}
    for line in text.splitlines():
        match = _ACCESS.search(line)
        if match is None or match["verb"] != verb:
            continue
        written = _WRITTEN.search(line)
        parts = ["xyzw".index(part) for part in written[1]] if written else range(int(match["width"] or 1))
        for part in parts:
            if part + int(match["first"]) < 4:
                key = match["slot"], "xyzw"[part + int(match["first"])]
                found.setdefault(key, []).append(match["value"])
    return found


def named(text: str) -> list[tuple[str, str]]:
    return [(slot, part) for slot, parts in _SLOTS.findall(text) for part in parts]


def problems(located: LocatedFinding) -> Iterator[str]:
    """What a message says that the text does not."""
    finding, texts = located.finding, [dump.piece.text.decode() for _, dump in located.dumps]
    message = finding.message
    for value in re.findall(r"%\d+", message):
        if not any(re.search(rf"{value} = ", text) for text in texts):
            yield f"{value} is not defined"
    for slot, _ in named(message):
        if not any(re.search(rf"VARYING_SLOT_{slot}\b", text) for text in texts):
            yield f"{slot} is in no dump"
    if len(texts) < 2:
        return
    producer = finding.place.dump - (finding.code in ("movable-expression", "undefined-input"))
    if not 0 <= producer < len(texts) - 1:
        return
    stores, loads = accesses(texts[producer], "store"), accesses(texts[producer + 1], "load")
    subject = named(re.split(r" (?:is|are|depends?|always) ", message)[0])
    fewer = re.search(r"\((\d+) varyings? fewer\)", message)
    if (
        fewer
        and finding.code in ("propagatable-output", "duplicate-output")
        and int(fewer[1]) != len(subject)
    ):
        yield f"{fewer[1]} fewer, but {len(subject)} are named"
    if finding.code in ("propagatable-output", "duplicate-output", "dead-output"):
        yield from (f"{'.'.join(scalar)} is not stored" for scalar in subject if scalar not in stores)
    if finding.code == "dead-output":
        yield from (f"{'.'.join(scalar)} is loaded" for scalar in subject if scalar in loads)
    if finding.code == "undefined-input":
        yield from (f"{'.'.join(scalar)} is stored" for scalar in subject if scalar in stores)
    sizes = re.search(r"(?:\w+) (\d+) -> \d+ ALU instructions", message)
    if sizes and int(sizes[1]) > (number := len(_ALU.findall(texts[producer + 1]))):
        yield f"{sizes[1]} ALU instructions, but {number} stand in the dump"
    packed = re.search(
        r"(\d+) live scalars? that may move uses? (\d+) vec4 slots?; they fit in (\d+)", message
    )
    if packed:
        scalars, before, after = map(int, packed.groups())
        sent = stores.keys() | loads.keys()
        if scalars > len(sent) or before > len({slot for slot, _ in sent}) or not after < before:
            yield f"{len(sent)} scalars in {len({slot for slot, _ in sent})} slots are stored or loaded"
    said = re.search(r" (?:is|are) the constants? (.*): the ", message)
    if finding.code == "propagatable-output" and said:
        constants = {name: (bits, number) for name, bits, number in _CONSTANT.findall(texts[producer])}
        stored = {value for scalar in subject for value in stores.get(scalar, ()) if value in constants}
        for value in stored:
            bits, number = constants[value]
            written = said[1].split(", ")
            if not any(bits_in(text, bits) or same_number(text, number) for text in written):
                yield f"{value} is {bits} = {number}, not {said[1]}"


def bits_in(text: str, bits: str) -> bool:
    """Whether a constant such as `42 (0x2a)` has these bits."""
    shown = re.search(r"0x[0-9a-f]+", text)
    return shown is not None and int(shown[0], 16) == int(bits, 16)


def same_number(text: str, number: str) -> bool:
    return (
        bool(number)
        and re.fullmatch(r"-?[\d.e+-]+", text) is not None
        and abs(float(text) - float(number)) <= 1e-5 * max(1.0, abs(float(number)))
    )


def checked_files(folder: Path) -> list[LocatedFinding]:
    files = sorted(folder.glob("*.io.nir"))
    return findings_of(
        LinkedFiles([InputFile.read(one.name, one, one.read_bytes()) for one in files]), CheckSettings()
    )


@pytest.mark.sweep
def test_messages_of_the_corpus_say_what_the_dumps_say() -> None:
    folders = sorted(unpacked().glob("pipelines/*/modern"))
    found = [located for folder in folders for located in checked_files(folder)]
    assert len(found) > 50
    wrong = [
        f"{located.file}: {located.finding.message}: {problem}"
        for located in found
        for problem in problems(located)
    ]
    assert wrong == []


@pytest.mark.sweep
def test_a_false_message_is_noticed() -> None:
    """The reader above can fail: each kind of claim, made false, is a problem."""
    found = [
        located
        for folder in sorted(unpacked().glob("pipelines/hand_*/modern"))
        for located in checked_files(folder)
    ]
    falsified = {
        "propagatable-output": [
            (r"VAR\d+", "VAR31"),
            (r"\d varyings? fewer", "9 varyings fewer"),
            (r"constant .*:", "constant 7:"),
        ],
        "duplicate-output": [(r"VAR\d+", "VAR31"), (r"\d varyings? fewer", "9 varyings fewer")],
        "movable-expression": [(r"\d+ -> (\d+) ALU", r"999 -> \1 ALU")],
        "packing": [(r"\d+ live", "99 live"), (r"\d+ vec4", "99 vec4")],
        "dead-output": [(r"VAR\d+", "VAR31")],
    }
    for code, changes in falsified.items():
        for pattern, new in changes:
            changed = [
                replace(one, finding=replace(one.finding, message=re.sub(pattern, new, one.finding.message)))
                for one in found
                if one.finding.code == code and re.search(pattern, one.finding.message)
            ]
            assert changed
            assert all(list(problems(one)) for one in changed), (code, pattern)


STORE = "           @store_output (%1, %0) (wrmask=x, component=2, io location=VARYING_SLOT_VAR1 slots=1)"


def test_the_second_reader_reads_components() -> None:
    assert accesses(STORE, "store") == {("VAR1", "z"): ["%1"]}
    load = "32x2  %5 = @load_input (%0 (0x0)) (base=0, component=1, io location=VARYING_SLOT_VAR2 slots=1)"
    assert accesses(load, "load") == {("VAR2", "y"): ["%0"], ("VAR2", "z"): ["%0"]}
