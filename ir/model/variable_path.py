"""Paths of variables with values in them, `table[2 + ssa_3].color`, which Mesa printed until mid-2018.

Before `deref` instructions, intrinsics and texture operations named variables themselves. In IR the path is
an index of the instruction (`variable0` of an intrinsic, a flag of a texture operation), in which `VALUE`
stands for each value; the values are the last sources of the instruction, in the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from nirls.ir.model.instructions import IntrinsicInstr

VALUE: Final = "%"
INDEX_NAME: Final = "variable"
"""What the index of an intrinsic with a path is called, before its number."""
PATH_SOURCES: Final = {"(texture)": "texture_path", "(sampler)": "sampler_path"}
"""Kinds of the sources of a texture operation that stand in a path, by the word behind the path."""

_VALUE_IN_PATH = re.compile(r"(?<=[\[ ])(ssa_|r)(\d{1,9})(?=\])")


def split_path(text: str) -> tuple[str, tuple[tuple[int, bool], ...]]:
    """Return a printed path with `VALUE` for its values, and these: number, and whether it is a register."""
    values = tuple((int(number), mark == "r") for mark, number in _VALUE_IN_PATH.findall(text))
    return _VALUE_IN_PATH.sub(VALUE, text), values


def filled_path(path: str, values: Iterator[str]) -> str:
    """Return a path with the texts of the next values in it."""
    first, *rest = path.split(VALUE)
    return first + "".join([f"{next(values, '')}{part}" for part in rest])


def is_path(index_name: str) -> bool:
    """Return whether an index of an intrinsic is the path of a variable."""
    return index_name.startswith(INDEX_NAME) and index_name[len(INDEX_NAME) :].isdecimal()


def paths_of(instr: IntrinsicInstr) -> list[str]:
    """Return the paths of an intrinsic, in printed order."""
    return [str(value) for name, value in instr.indices.items() if is_path(name)]


def count_values(paths: Iterable[str]) -> int:
    """Return how many sources of an instruction stand in its paths."""
    return sum(path.count(VALUE) for path in paths)
