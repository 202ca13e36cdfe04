"""Snippets of operations with placeholders for their operands, for each dialect."""

from __future__ import annotations

import re
from functools import lru_cache

from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Dialect
from nirls.ir.model.slots import FRAG_RESULTS, VERT_ATTRIBS
from nirls.ir.model.stage import Stage
from nirls.ir.tables import opcode
from nirls.ir.tables.signatures import source_names
from nirls.ir.text.printing.indices import index_text, is_shown_as_word, older_index_text, raw_number
from nirls.ir.text.release import intrinsic_of
from nirls.server.ide.completion.index_words import DEFAULTS

_SPECIAL = re.compile(r"[\\$}]")
_SLOT = re.compile(r"(.*?\blocation=)(\S++)(.*)\Z", re.DOTALL)


@lru_cache(maxsize=2048)
def opcode_snippet(name: str) -> str:
    """Return a snippet such as `fadd ${1:src0}, ${2:src1}$0`; the name alone for an unknown opcode."""
    entry = opcode(name)
    if entry is None:
        return name
    holes = ", ".join(f"${{{number}:src{number - 1}}}" for number in range(1, entry.num_inputs + 1))
    return f"{name} {holes}$0" if holes else f"{name}$0"


@lru_cache(maxsize=2048)
def intrinsic_snippet(name: str, dialect: Dialect, stage: Stage | None) -> str:
    """Return a snippet of an intrinsic with its sources and indices, each index with a common value.

    Modern: `@load_ubo (${1:buffer}, ${2:offset}) (access=${3:none}, ...)$0`. In old dumps the indices are
    numbers, followed by comments with their meaning.
    """
    entry = intrinsic_of(name, dialect)
    modern = dialect is Dialect.MODERN
    head = f"@{name}" if modern else name
    if entry is None:
        return head
    sources = [f"${{{number}:{source}}}" for number, source in enumerate(source_names(entry), 1)]
    text = f"{head} ({', '.join(sources)})" if sources or not modern else head
    values = {index: _default(name, index, stage) for index in entry.indices}
    instr = IntrinsicInstr(name, [], values)
    if dialect is Dialect.OLD:
        return f"{text} {_positional(instr, values, len(sources) + 1)}$0"
    hole = len(sources) + 1
    indices = []
    for index, value in values.items():
        printed, hole = _named(instr, index, value, dialect, stage, hole)
        indices.append(printed)
    if not indices:
        return f"{text}$0" if modern else f"{text} ()$0"
    return f"{text} ({', '.join(indices)})$0"


def _default(name: str, index: str, stage: Stage | None) -> IndexValue:
    if index == "io_semantics":
        if "output" in name and stage is Stage.FRAGMENT:
            return IoSemantics(FRAG_RESULTS.index("DATA0"))
        if "input" in name and stage is Stage.VERTEX:
            return IoSemantics(VERT_ATTRIBS.index("GENERIC0"))
    if index == "range" and "put" in name:
        return 1  # slots of an input or output, not bytes
    return DEFAULTS.get(index, 0)


def _named(
    instr: IntrinsicInstr, index: str, value: IndexValue, dialect: Dialect, stage: Stage | None, hole: int
) -> tuple[str, int]:
    """Return one index as printed in the dialect, with a placeholder, and the next placeholder number."""
    if dialect is Dialect.MODERN:
        text, behind = index_text(instr, index, value, stage), ""
    else:
        text, number = older_index_text(instr, index, value, dialect, stage), raw_number(index, value)
        behind = f" /*{number}*/" if is_shown_as_word(index) and number is not None else ""
    if isinstance(value, XfbOutputs):
        return f"{escaped(text)}{behind}", hole
    slot = _SLOT.match(text)
    if slot is not None:
        return f"{slot[1]}${{{hole}:{slot[2]}}}{slot[3]}{behind}", hole + 1
    key, _, shown = text.partition("=")
    return f"{key}=${{{hole}:{escaped(shown)}}}{behind}", hole + 1


def _positional(instr: IntrinsicInstr, values: dict[str, IndexValue], hole: int) -> str:
    numbers, comments = [], []
    for index, value in values.items():
        number = raw_number(index, value)
        numbers.append(f"${{{hole}:{0 if number is None else number}}}")
        if isinstance(value, int) and not is_shown_as_word(index):
            comments.append(f" /* {index}=${hole} */")
        else:
            comments.append(f" /* {escaped(older_index_text(instr, index, value, Dialect.OLD))} */")
        hole += 1
    return f"({', '.join(numbers)}){''.join(comments)}"


def escaped(text: str) -> str:
    """Escape what has a meaning in snippets."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", text)


@lru_cache(maxsize=4096)
def without_holes(snippet: str) -> str:
    """Return the text of a snippet before its first placeholder, for clients without snippets.

    >>> without_holes("fadd ${1:src0}, ${2:src1}$0")
    'fadd '
    """
    return re.split(r"(?<!\\)\$", snippet, maxsplit=1)[0].replace("\\", "")
