"""Mutations of dumps: of lines and words, as a user's edits would make them, and of bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache

from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_shaders
from nirls.ir.text.printing.convert import ConversionError, convert
from tools.regular_expressions.pumps import pumps_of
from tools.regular_expressions.uses import pattern_uses

LARGEST = 200_000
"""Bytes beyond which nothing is made larger."""

_WORD = re.compile(rb"[%@&]?\w+(?:\.\w+)?|[^\w\s]")
_NUMBER = re.compile(rb"0x[0-9a-f]+|\d+")
_LINE_END = re.compile(rb"(?<=\n)")

_NUMBERS = (
    *(b"0", b"1", b"2", b"3", b"4", b"5", b"7", b"8", b"15", b"16", b"31", b"32", b"33", b"63", b"64", b"65"),
    *(b"127", b"255", b"4294967295", b"4294967296", b"18446744073709551616", b"-1", b"0x0", b"0xffffffff"),
    *(b"0x7fc00000", b"0x80000000", b"1e400", b"nan", b"9" * 5000),
)
_ODD_WORDS = (
    *(b"if", b"else", b"loop {", b"}", b"{", b"(", b")", b",", b"//", b"/*", b"*/", b'"', b"=", b"phi"),
    *(b"undefined", b"con", b"div", b"1", b"8", b"16", b"64", b"32x4", b"vec4 32", b"ssa_0", b"%0", b"r0"),
    *(b"@discard", b"@demote", b"@emit_vertex", b"@barrier", b"intrinsic", b"return", b"break", b"continue"),
    *(b"halt", b"goto", b"call", b"load_const", b"undef", b"mov", b"vec16", b"decl_reg", b"block b0:"),
    *(
        b"shader: MESA_SHADER_VERTEX\n",
        b"shader: MESA_SHADER_KERNEL\n",
        b"impl main {\n",
        b"\xf0\x9d\x84\x9e",
    ),
)
_ODD_BYTES = (
    b"\0",
    b"\r",
    b"\r\n",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"\x1b[2J",
    b"\t",
    b"\x0c",
)


def mutated(texts: Sequence[bytes], rng: random.Random) -> bytes:
    """One of the texts after some mutations, mostly few: what is left of the dump should still be read."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8, 20))):
        mutation = rng.choices(tuple(_MUTATIONS), tuple(_MUTATIONS.values()))[0]
        text = mutation(text, texts, rng)
        if not text:
            break
    return text


def _lines(text: bytes) -> list[bytes]:
    return _LINE_END.split(text)


def _drop_lines(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    lines = _lines(text)
    at = rng.randrange(len(lines))
    del lines[at : at + rng.choice((1, 1, 1, 1, 2, 3, 10))]
    return b"".join(lines)


def _repeat_lines(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    lines = _lines(text)
    at = rng.randrange(len(lines))
    some = lines[at : at + rng.choice((1, 1, 2, 5, 20))]
    to = rng.randrange(len(lines) + 1)
    lines[to:to] = some * rng.choice((1, 1, 1, 2, 30))
    return b"".join(lines)


def _swap_lines(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    lines = _lines(text)
    one = rng.randrange(len(lines))
    other = rng.choice((min(one + 1, len(lines) - 1), rng.randrange(len(lines))))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _splice(text: bytes, texts: Sequence[bytes], rng: random.Random) -> bytes:
    """Lines of another dump, of whatever dialect and stage."""
    lines, others = _lines(text), _lines(rng.choice(texts))
    start = rng.randrange(len(others))
    some = others[start : start + rng.choice((1, 1, 2, 4, 10, 50))]
    at = rng.randrange(len(lines) + 1)
    lines[at : at + rng.choice((0, 0, 1, len(some)))] = some
    return b"".join(lines)


def _join(text: bytes, texts: Sequence[bytes], rng: random.Random) -> bytes:
    """Another dump behind this one: more stages to link."""
    return text + rng.choice((b"", b"\n", b"nir_opt_dce\n", b"// nirls: pipeline p\n")) + rng.choice(texts)


def _change_word(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    """A word dropped, doubled, exchanged with another of the text, or become an odd one."""
    word = _some(_WORD, text, rng)
    if word is None:
        return text
    other = _some(_WORD, text, rng)
    new = rng.choice((b"", word[0] + b" " + word[0], other[0] if other else b"", rng.choice(_ODD_WORDS)))
    return text[: word.start()] + new + text[word.end() :]


def _change_number(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    number = _some(_NUMBER, text, rng)
    if number is None:
        return text
    other = _some(_NUMBER, text, rng)
    new = rng.choice((rng.choice(_NUMBERS), other[0] if other else b"0"))
    return text[: number.start()] + new + text[number.end() :]


def _change_value(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    """Another value of the same dump at one use."""
    values = re.compile(rb"%\d+|ssa_\d+|\bb\d+|block_\d+")
    here, other = _some(values, text, rng), _some(values, text, rng)
    if here is None or other is None:
        return text
    return text[: here.start()] + other[0] + text[here.end() :]


def _nest(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    lines = _lines(text)
    start = rng.randrange(len(lines))
    end = min(len(lines), start + rng.choice((0, 1, 5, 50)))
    depth = rng.choice((1, 1, 3, 300))
    opening, closing = rng.choice(
        ((b"    if %1 {\n", b"    } else {\n    }\n"), (b"    loop {\n", b"    }\n"), (b"{\n", b"}\n"))
    )
    return b"".join([*lines[:start], opening * depth, *lines[start:end], closing * depth, *lines[end:]])


def _truncate(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(text) + 1)
    return text[:at] if rng.random() < 0.5 else text[at:]


def _flip_bytes(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    data = bytearray(text)
    for _each in range(rng.choice((1, 1, 2, 10))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _insert_bytes(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(text) + 1)
    new = rng.choice((rng.choice(_ODD_BYTES), rng.randbytes(rng.choice((1, 4, 40)))))
    return text[:at] + new + text[at:]


def _lengthen_line(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    word = _some(_WORD, text, rng)
    if word is None:
        return text
    times = rng.choice((20, 300, 3000))
    return text[: word.end()] + rng.choice((b"", b" ", b", ")).join([word[0]] * times) + text[word.end() :]


def _pump(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    """What is hard to match for one of nirls' regular expressions, as lines or within one."""
    before, unit = rng.choice(_pumps())
    hard = before + unit * (rng.choice((30, 300, 3000, 20_000)) // len(unit)) + rng.choice((b"", b"!", b"\0"))
    if rng.random() < 0.5:
        lines = _lines(text)
        at = rng.randrange(len(lines) + 1)
        lines[at:at] = [hard + b"\n"] * rng.choice((1, 1, 3))
        return b"".join(lines)
    word = _some(_WORD, text, rng)
    at = len(text) if word is None else rng.choice((word.start(), word.end()))
    return text[:at] + hard + text[at:]


@cache
def _pumps() -> list[tuple[bytes, bytes]]:
    """The beginnings of hard texts, and what to repeat behind them, for all patterns of nirls."""
    found = [pump for use in pattern_uses() for pump in pumps_of(re.compile(use.pattern, use.flags))]
    return [(before.encode(), unit.encode()) for before, unit in dict.fromkeys(found)]


def _line_ends(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    return text.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" \n")))


def _dialect(text: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    """The first dump in another dialect, if it can be said there."""
    try:
        return convert(parse_shaders(text)[0], rng.choice((Dialect.MODERN, Dialect.CLASSIC)))
    except (ConversionError, IndexError):
        return text


def _some(pattern: re.Pattern[bytes], text: bytes, rng: random.Random) -> re.Match[bytes] | None:
    return pattern.search(text, rng.randrange(len(text))) if text else None


_Mutation = Callable[[bytes, Sequence[bytes], random.Random], bytes]


def _unless_too_large(mutation: _Mutation) -> _Mutation:
    def bounded(text: bytes, texts: Sequence[bytes], rng: random.Random) -> bytes:
        if not text:
            return text
        after = mutation(text, texts, rng)
        return after if len(after) <= LARGEST else text

    return bounded


_MUTATIONS: dict[_Mutation, float] = {
    _unless_too_large(mutation): weight
    for mutation, weight in (
        *((_drop_lines, 3), (_repeat_lines, 2), (_swap_lines, 3), (_splice, 4), (_join, 1)),
        *((_change_word, 6), (_change_number, 6), (_change_value, 8), (_nest, 1), (_truncate, 0.7)),
        *((_flip_bytes, 1), (_insert_bytes, 1), (_lengthen_line, 0.5), (_line_ends, 0.3), (_dialect, 0.5)),
        (_pump, 1),
    )
}
"""The relative frequency of each."""
