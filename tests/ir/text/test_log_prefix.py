"""Dumps behind log prefixes: what is hidden, where things are, and edits."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.text import log_prefix
from nirls.ir.text.hidden_text import HiddenText
from nirls.ir.text.log_parts import dump_texts, log_parts

DUMP = b"""shader: MESA_SHADER_FRAGMENT
name: GLSL3
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
                // succs: b1
    block b1:
}
"""
LOG = b"NIR before opt:\n" + DUMP + b"something else\n\n" + DUMP.replace(b"GLSL3", b"GLSL4") + b"done\n"

LOGGERS: dict[str, Callable[[int, bytes], bytes]] = {
    "mesa": lambda _, line: b"MESA: info: " + line,
    "mesa, spaces at line ends removed": lambda _, line: (b"MESA: info: " + line).rstrip(),
    "journald": lambda n, line: b"Nov %2d 13:%02d:16 host app[123]: MESA: info: %b" % (9 + n // 9, n, line),
    "journald, continuation lines": lambda _, line: (
        (b"Nov 22 host: " if line.startswith(b"shader:") else b" " * 13) + line
    ),
    "logcat": lambda n, line: b"11-22 13:%02d:16.%03d  1234  5678 I MESA    : %b" % (n, n * 37, line),
    "dmesg": lambda n, line: b"[%12.6f] %b" % (n * 7.1, line),
    "github": lambda n, line: b"2024-01-02T12:34:56.%07dZ %b" % (n, line),
    "gitlab": lambda n, line: b"2024-01-02T12:34:56.%06dZ 01O %b" % (n, line),
    "compose": lambda _, line: b"app-1  | " + line,
    "line numbers": lambda n, line: b"%6d\t%b" % (n, line),
    "colour": lambda _, line: b"\x1b[32m" + line + b"\x1b[0m",
    "colour of parts": lambda n, line: (
        b"\x1b[1m[%d] MESA:\x1b[0m " % n + line.replace(b"%0", b"\x1b[31m%0\x1b[0m")
    ),
    "first line only": lambda _, line: (b"INFO:root:" if line.startswith(b"shader:") else b"") + line,
}


@pytest.mark.parametrize("logger", LOGGERS)
def test_dumps_are_the_same_behind_prefixes(logger: str) -> None:
    log = b"\n".join(LOGGERS[logger](number, line) for number, line in enumerate(LOG.split(b"\n")))
    found = [b"\n".join(line.rstrip() for line in text.split(b"\n")).strip() for text in dump_texts(log)]
    assert found == [DUMP.strip(), DUMP.replace(b"GLSL3", b"GLSL4").strip()]
    assert b"".join(part.raw for part in log_parts(log)) == log
    for part in log_parts(log):
        assert part.text.count(b"\n") == part.raw.count(b"\n")


@pytest.mark.parametrize("logger", LOGGERS)
@pytest.mark.parametrize("size", [0, 1, 100])
def test_long_logs_are_read_in_parts(logger: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        line if number % 5 else b"of another\x1b[0m process" for number, line in enumerate(LOG.split(b"\n"))
    ]
    log = b"\n".join(LOGGERS[logger](number, line) for number, line in enumerate(lines)) + b"\n" + LOG
    at_once = [(part.text, part.raw, part.is_dump) for part in log_parts(log)]
    monkeypatch.setattr(log_prefix, "_PART", size)
    assert [(part.text, part.raw, part.is_dump) for part in log_parts(log)] == at_once


def test_lines_of_others_within_a_dump_are_blank() -> None:
    lines = DUMP.split(b"\n")
    lines[2:2] = [b"DRM_SHIM: unhandled ioctl"]
    log = b"\n".join(line if line.startswith(b"DRM") else b"MESA: info: " + line for line in lines)
    (text,) = dump_texts(log)
    assert text == DUMP.replace(b"decl_function", b"\ndecl_function", 1)


def test_processes_are_told_apart() -> None:
    one = b"".join(b"app[12]: " + line for line in DUMP.splitlines(keepends=True))
    log = one.replace(b"app[12]: name", b"app[13]: hello\napp[12]: name")
    (text,) = dump_texts(log)
    assert text == DUMP.replace(b"name", b"\nname")


def hidden_text(raw: bytes, hidden: list[tuple[int, int]]) -> HiddenText:
    bounds = [0, *(bound for span in hidden for bound in span), len(raw)]
    visible = zip(bounds[::2], bounds[1::2], strict=True)
    return HiddenText(
        raw, b"".join(raw[start:end] for start, end in visible), lambda: [(*span, 0) for span in hidden]
    )


HIDDEN = hidden_text(b"> one\n> two\n> three\n", [(0, 2), (6, 8), (12, 14)])


_LINES = st.sampled_from(
    [
        *DUMP.splitlines(),
        b"",
        b"}",
        b"impl f {",
        b"other",
        b"\x1b[1mshader:\x1b[0m",
        b"a\rb",
        b"shader: MESA_SHADER_VERTEX",
    ]
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(LOGGERS)), st.lists(st.tuples(st.booleans(), _LINES)), st.booleans()
        ),
        max_size=3,
    ),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_parts_are_the_log_with_ranges_hidden(
    logs: list[tuple[str, list[tuple[bool, bytes]], bool]], newline: bytes
) -> None:
    lines: list[bytes] = []
    for logger, inner, has_dump in logs:
        rows = [*((True, line) for line in DUMP.splitlines() if has_dump), *inner]
        lines += [LOGGERS[logger](n, line) if is_own else line for n, (is_own, line) in enumerate(rows)]
    log = newline.join(lines)
    assert b"".join(part.raw for part in log_parts(log)) == log
    for part in log_parts(log):
        if part.hidden is None:
            continue
        raw_offsets = [part.hidden.raw_offset(offset) for offset in range(len(part.text))]
        assert bytes(part.raw[offset] for offset in raw_offsets) == part.text
        assert [part.hidden.offset(offset) for offset in raw_offsets] == list(range(len(part.text)))
        hidden = sorted({*range(len(part.raw))} - {*raw_offsets})
        assert not {part.raw[offset] for offset in hidden} & {*b"\r\n"}


def test_offsets() -> None:
    assert HIDDEN.text == b"one\ntwo\nthree\n"
    assert [HIDDEN.raw_offset(offset) for offset in (0, 3, 4, 14)] == [2, 5, 8, 20]
    assert [HIDDEN.offset(offset) for offset in (0, 1, 2, 6, 7, 8, 20)] == [0, 0, 0, 4, 4, 4, 14]


@pytest.mark.parametrize(
    ("start", "end", "new", "expected"),
    [
        (4, 7, "2", b"> one\n> 2\n> three\n"),
        (4, 8, "", b"> one\n> three\n"),
        (8, 14, "", b"> one\n> two\n"),
        (4, 4, "new\nnewer\n", b"> one\n> new\n> newer\n> two\n> three\n"),
        (3, 3, "\nnew", b"> one\n> new\n> two\n> three\n"),
        (14, 14, "end\n", b"> one\n> two\n> three\n> end\n"),
    ],
)
def test_edits_keep_prefixes(start: int, end: int, new: str, expected: bytes) -> None:
    raw_start, raw_end, text = HIDDEN.raw_edit(start, end, new)
    assert HIDDEN.raw[:raw_start] + text.encode() + HIDDEN.raw[raw_end:] == expected


def test_another_text_keeps_prefixes() -> None:
    assert HIDDEN.raw_of(b"1\n2\n3\n4\n") == b"> 1\n> 2\n> 3\n> 4\n"
    assert HIDDEN.raw_of(HIDDEN.text) is HIDDEN.raw


@given(st.lists(st.tuples(st.binary(max_size=4), st.booleans()), max_size=12))
def test_offsets_of_hidden_text(runs: list[tuple[bytes, bool]]) -> None:
    raw = b""
    hidden: list[tuple[int, int]] = []
    for run, is_hidden in runs:
        run = run.replace(b"\n", b"-").replace(b"\r", b"-")
        if is_hidden and run and not (hidden and hidden[-1][1] == len(raw)):
            hidden.append((len(raw), len(raw) + len(run)))
        raw += run
    whole = hidden_text(raw, hidden)
    for offset in range(len(whole.text)):
        assert whole.text[offset] == raw[whole.raw_offset(offset)]
        assert whole.offset(whole.raw_offset(offset)) == offset


@pytest.mark.parametrize("unit", [b"\x1b[0m", b" 1", b"1\x1b[m", b"\x1b[m 1", b"\t7:"])
def test_repetitive_prefixes_take_linear_time(unit: bytes) -> None:
    prefix = unit * (280 // len(unit)) + b"- "
    lines = [b"shader: MESA_SHADER_VERTEX", b"name: x", b"inputs: 1"]
    similar = (unit[:-1] + b"1" + unit[-1:]) * (350 // len(unit)) + b"!"
    data = b"\n".join([prefix + line for line in lines] + [similar] * 20 + [b""])
    start = time.thread_time()
    parts = list(log_parts(data))
    assert time.thread_time() - start < 1
    assert b"".join(part.raw for part in parts) == data
