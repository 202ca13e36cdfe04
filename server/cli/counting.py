"""The shaders of files with their counts, of NIR and as back ends printed them, for `nirls stats`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.server.cli.errors import CommandError
from nirls.server.cli.progress import reading, with_progress
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.files.input_files import InputFile, read_inputs
from nirls.server.engine.pipelines.dump_facts import DumpFacts, dump_facts
from nirls.server.engine.pipelines.shader_sequence import ShaderSnapshots, shaders_in_order
from nirls.server.ide.history.backend_stats import BackendStats, backend_stats
from nirls.server.ide.history.stats import ShaderCounts, ShaderKey, keyed, shader_counts

Counted = tuple[str, str, str, Callable[[], ShaderCounts]]
"""File, stage, identity, and the computation of the counts."""

_BACKEND = "backend"


def counts_of(name: str, *, of_first: bool) -> Mapping[ShaderKey, ShaderCounts]:
    """Count the shaders of a file or folder, in their first or last snapshots. Raises CommandError."""
    with reading():
        files = read_inputs([name])
        folder = Path(name) if name != "-" and os.path.isdir(name) else None
        shaders: list[Counted] = []
        for file in files:
            own = list(_shaders_of(file, folder, of_first))
            if not own:
                raise CommandError(file.why_no_dumps)
            shaders += own
    return keyed(
        (file, stage, identity, count())
        for file, stage, identity, count in with_progress(shaders, "counting")
    )


def _shaders_of(file: InputFile, folder: Path | None, of_first: bool) -> Iterator[Counted]:
    snapshot = Snapshot.of(file.data)
    dumps = snapshot.dumps()
    place = "" if folder is None or file.path is None else file.path.relative_to(folder).as_posix()
    shaders = shaders_in_order([dump_facts(dump.piece.text) for dump in dumps])
    for shader in shaders:
        number = shader.numbers[0 if of_first else -1]
        stage, identity = _names(shader.facts)
        yield place, stage, identity, partial(_counted, dumps[number].piece.text)
    number = 0
    for piece in snapshot.pieces:
        if piece.is_dump:
            number += 1
            continue
        for found in backend_stats(piece.text.decode("utf-8", "replace")):
            stage, identity = _owner(found, shaders, number)
            yield place, f"{stage} {found.variant or _BACKEND}", identity, partial(dict, found.counts)


def _counted(text: bytes) -> ShaderCounts:
    return shader_counts(parse_dump(text))


def _names(facts: DumpFacts) -> tuple[str, str]:
    """Return the stage and the identity of a shader."""
    source = None if facts.source is None else facts.source.strip("{}").partition(",")[0]
    return _abbreviation(facts.stage), source or facts.name or ""


def _owner(found: BackendStats, shaders: Sequence[ShaderSnapshots], dumps_before: int) -> tuple[str, str]:
    """Return the stage and the identity of what was compiled: the last shader of that stage above."""
    if found.identity:
        return _abbreviation(found.stage), found.identity
    above = [
        (max(number for number in shader.numbers if number < dumps_before), shader.facts)
        for shader in shaders
        if shader.numbers[0] < dumps_before and found.stage in (None, shader.facts.stage)
    ]
    if not above:
        return _abbreviation(found.stage), ""
    return _names(max(above, key=lambda one: one[0])[1])


def _abbreviation(stage: Stage | None) -> str:
    return "?" if stage is None else stage.abbreviation
