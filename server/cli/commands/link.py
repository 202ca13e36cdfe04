"""`nirls link`: the ledger of linked stages."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Files, FormatOption, TableFormat
from nirls.server.cli.commands.pack import PackedPipeline, fail_if_unlinked, packed_pipelines, plain_pipelines
from nirls.server.cli.opening import opened
from nirls.server.engine.base.shown_text import printable_line
from nirls.server.ide.packing.packing_plan import plain_ledger
from nirls.server.ide.packing.packing_text import ledger_lines


def link(
    files: Files,
    format_: FormatOption = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show what opt_varyings does to each varying between linked stages, or why it stays.

    One line for each scalar: its variable or value, its fate (removed, unwritten, propagated, deduplicated,
    moved into the producer or consumer, replaced, packed, no varying, kept), its place afterwards, and why.
    The last line counts the varyings that a single condition keeps.
    Files of other stages beside a file are read for the link. Exit status 2 if no stages are linked.
    """
    workspace = opened(files, config, partners=True)
    packed = packed_pipelines(workspace, "linking")
    if format_ is TableFormat.JSON:
        outputs.write_json(
            plain_pipelines(packed, lambda pair: {"summary": pair.summary, **plain_ledger(pair.ledger)})
        )
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(packed))
    fail_if_unlinked(workspace)


def _lines(found: Iterable[PackedPipeline]) -> Iterator[str]:
    for number, packed_pipeline in enumerate(found):
        if number:
            yield ""
        yield packed_pipeline.title
        for pair in packed_pipeline.pairs:
            yield ""
            yield printable_line(pair.summary)
            yield from ledger_lines(pair.ledger)
