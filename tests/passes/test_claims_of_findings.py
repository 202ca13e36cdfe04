"""What messages claim, checked by a second reader of the dump's text: regular expressions, and no IR."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import LocatedFinding, findings_of
from tests.passes.second_reader import ReadDump
from tools.corpus.archive import unpacked

_SLOTS = re.compile(
    r"\b((?:VAR|PATCH|TEX|CLIP_DIST|CULL_DIST)\d+|POS|PSIZ|COL\d|BFC\d|FOGC|LAYER|VIEWPORT|PRIMITIVE_ID"
    r"|TESS_LEVEL_(?:OUTER|INNER))\.([xyzw]+)\b"
)


def named(text: str) -> list[tuple[str, str]]:
    return [(slot, part) for slot, parts in _SLOTS.findall(text) for part in parts]


def problems(located: LocatedFinding) -> Iterator[str]:
    """What a message says that the text does not."""
    finding, dumps = located.finding, [ReadDump.of(dump.piece.text) for _, dump in located.dumps]
    message = re.sub(r"\bssa_(\d)", r"%\1", finding.message)
    for value in re.findall(r"%\d+", message):
        if not any(dump.defined(value) for dump in dumps):
            yield f"{value} is not defined"
    for slot, _ in named(message):
        if not any(slot in dump.slots() for dump in dumps):
            yield f"{slot} is in no dump"
    yield from of_one_dump(located, message, dumps[finding.place.dump])
    if len(dumps) > 1:
        yield from of_linked_dumps(located, message, dumps)


def of_one_dump(located: LocatedFinding, message: str, dump: ReadDump) -> Iterator[str]:
    """Wrong claims about the dump that a finding stands in."""
    code = located.finding.code
    here = located.dump.piece.text[: located.finding.place.start].count(b"\n")
    if code == "conditional-discard" and (name := re.search(r"contains only (\w+): use", message)):
        around = [dump.code_before(here), dump.lines[here].strip(), next(dump.code_after(here), "")]
        if not all(re.match(*pair) for pair in zip((r"if ", rf"@{name[1]}\b", r"\}"), around, strict=True)):
            yield f"it is in {around}"
    if follows := re.search(r"it follows (%\d+) = (\w+)", message):
        if not re.search(rf"\b{follows[2]}\b", dump.defined(follows[1]) or ""):
            yield f"{follows[1]} is `{dump.defined(follows[1])}`"
        elif dump.line_of(follows[1]) > here:
            yield f"{follows[1]} stands behind it"
    for value, kind in re.findall(r"depends on (%\d+), a (phi)", message):
        if f" {kind} " not in (dump.defined(value) or ""):
            yield f"{value} is no {kind}"
    if skipped := re.search(r"skip (\d+) loads", message):
        loads = dump.count(r"@\w*load_(?!const|barycentric|reg\b)\w+")
        if int(skipped[1]) > loads:
            yield f"{skipped[1]} loads, but {loads} stand in the dump"
    if code == "culled-patch-work" and (sizes := re.search(r"skip (\d+) of (\d+) instructions", message)):
        count = dump.count_instructions()
        if not int(sizes[1]) <= int(sizes[2]) <= count:
            yield f"{sizes[2]} instructions, but {count} stand in the dump"
    if code == "needless-barrier" and "no shared memory is accessed after it" in message:
        for line in dump.code_after(here):
            if "barrier" in line:
                break
            if re.search(r"@(?:load|store)_shared|shared_atomic", line):
                yield f"behind it stands `{line}`"
    for number in re.findall(r"\(line (\d+)\)", message):
        if int(number) > len(dump.lines) + located.dump.first_line:
            yield f"there is no line {number}"


def of_linked_dumps(located: LocatedFinding, message: str, dumps: Sequence[ReadDump]) -> Iterator[str]:
    """Wrong claims about what two stages exchange."""
    finding = located.finding
    producer = finding.place.dump - (finding.code in ("movable-expression", "undefined-input"))
    if not 0 <= producer < len(dumps) - 1:
        return
    stores, loads = dumps[producer].accesses("store"), dumps[producer + 1].accesses("load")
    subject = named(re.split(r" (?:is|are|depends?|always) ", message)[0])
    fewer = re.search(r"\((\d+) varyings? fewer\)", message)
    is_counted = finding.code in ("propagatable-output", "duplicate-output")
    if fewer and is_counted and int(fewer[1]) != len(subject):
        yield f"{fewer[1]} fewer, but {len(subject)} are named"
    if finding.code in ("propagatable-output", "duplicate-output", "dead-output", "no-varying-output"):
        yield from (f"{'.'.join(scalar)} is not stored" for scalar in subject if scalar not in stores)
    if finding.code in ("dead-output", "no-varying-output") and "never read" in message.replace(
        "only", "never"
    ):
        yield from (f"{'.'.join(scalar)} is loaded" for scalar in subject if scalar in loads)
    if finding.code == "undefined-input":
        yield from (f"{'.'.join(scalar)} is stored" for scalar in subject if scalar in stores)
    if finding.code == "movable-expression":
        yield from (f"{'.'.join(scalar)} is not loaded" for scalar in named(message) if scalar not in loads)
    sizes = re.search(r"(?:\w+) (\d+) -> \d+ ALU instructions", message)
    if sizes and int(sizes[1]) > (number := dumps[producer + 1].count_alu()):
        yield f"{sizes[1]} ALU instructions, but {number} stand in the dump"
    packed = re.search(r"(\d+) scalars? in (\d+) vec4 slots?: .*fit in (\d+) ", message)
    if packed:
        scalars, before, after = map(int, packed.groups())
        sent = stores.keys() | loads.keys()
        if scalars > len(sent) or before > len({slot for slot, _ in sent}) or not after < before:
            yield f"{len(sent)} scalars in {len({slot for slot, _ in sent})} slots are stored or loaded"
    said = re.search(r" (?:is|are) the constants? (.*): the ", message)
    if finding.code == "propagatable-output" and said:
        constants = dumps[producer].constants()
        stored = {value for scalar in subject for value in stores.get(scalar, ()) if value in constants}
        for value in stored:
            bits, shown = constants[value]
            written = said[1].split(", ")
            if not any(bits_in(text, bits) or same_number(text, shown) for text in written):
                yield f"{value} is {bits} = {shown}, not {said[1]}"


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
    return checked(*sorted(folder.glob("*.io.nir")))


def checked(*files: Path) -> list[LocatedFinding]:
    inputs = [InputFile.read(one.name, one, one.read_bytes()) for one in files]
    return findings_of(LinkedFiles(inputs), CheckSettings(repeated=True))


def wrong_messages(found: Iterable[LocatedFinding]) -> list[str]:
    return [
        f"{located.file}: {located.finding.message}: {problem}"
        for located in found
        for problem in problems(located)
    ]


@pytest.mark.sweep
@pytest.mark.sweep
def test_messages_of_the_corpus_say_what_the_dumps_say() -> None:
    folders = sorted(
        folder for era in ("modern", "classic") for folder in unpacked().glob(f"pipelines/*/{era}")
    )
    found = [located for folder in folders for located in checked_files(folder)]
    assert len(found) > 100
    assert wrong_messages(found) == []


@pytest.mark.sweep
def test_messages_of_logs_say_what_the_dumps_say() -> None:
    logs = sorted(unpacked().glob("logs/*.log"), key=lambda path: path.stat().st_size)[:2]
    found = [located for log in logs for located in checked(log)]
    assert len(found) > 20
    assert wrong_messages(found) == []


@pytest.mark.sweep
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
        "packing": [(r"\d+ scalars", "99 scalars"), (r"\d+ vec4", "99 vec4")],
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
CLASSIC = """\
shader: MESA_SHADER_VERTEX
	vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
	vec2 32 con ssa_1 = intrinsic load_input (ssa_0) (base=0, component=0, io location=16 slots=1 /*1*/)
	vec1 32 ssa_2 = fadd ssa_1.x, ssa_0
	intrinsic store_output (ssa_2, ssa_0) (base=0, wrmask=x /*1*/, component=1, io location=33 slots=1)
"""


def test_the_second_reader_reads_components() -> None:
    assert ReadDump(STORE).accesses("store") == {("VAR1", "z"): ["%1"]}
    load = "32x2  %5 = @load_input (%0 (0x0)) (base=0, component=1, io location=VARYING_SLOT_VAR2 slots=1)"
    assert ReadDump(load).accesses("load") == {("VAR2", "y"): ["%0"], ("VAR2", "z"): ["%0"]}


def test_the_second_reader_reads_classic_dumps() -> None:
    dump = ReadDump.of(CLASSIC.encode())
    assert dump.accesses("store") == {("VAR1", "y"): ["%2"]}
    assert dump.accesses("load") == {}
    assert dump.constants() == {"%0": ("0x00000000", "0.000000")}
    assert (dump.count_alu(), dump.count_instructions()) == (1, 4)
