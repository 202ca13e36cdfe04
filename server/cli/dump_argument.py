"""Dumps named on the command line: `FILE`, or `FILE#3` for the third dump of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from nirls.server.cli.errors import CommandError
from nirls.server.engine.document import PlacedDump, Snapshot
from nirls.server.engine.input_files import InputFile, read_inputs

_NUMBERED = re.compile(r"(?P<file>.+)#(?P<number>\d+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NamedDump:
    """A dump and its file; `name` identifies it in messages."""

    file: InputFile
    dump: PlacedDump

    @property
    def name(self) -> str:
        return f"{self.file.name}#{self.dump.number + 1}"


def named_dumps(argument: str) -> list[NamedDump]:
    """Return the dump of `FILE#N`, or all dumps of `FILE`. Raises CommandError."""
    match = None if Path(argument).exists() else _NUMBERED.match(argument)
    files = read_inputs([argument if match is None else match["file"]])
    found = [NamedDump(file, dump) for file in files for dump in Snapshot.of(file.data).dumps()]
    if not found:
        raise CommandError(files[0].why_no_dumps)
    if match is None:
        return found
    number = int(match["number"])
    if not 1 <= number <= len(found):
        raise CommandError(f"{match['file']} has {len(found)} dumps, not {number}")
    return [found[number - 1]]
