"""The verdicts on all transitions of a log, for commands that list them beside something else."""

from __future__ import annotations

from nirls.server.cli.progress import progressing, reading
from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.run import on_this_machine
from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.run import comparisons_of, verdicts_of


def verdicts_in(data: bytes) -> dict[int, tuple[str, str]]:
    """Verify the transitions of a log; verdicts and reasons by the number of the second dump."""
    with reading():
        log = read_log(data)
    found = verdicts_of(
        comparisons_of("", log),
        ResultCache.of_user(),
        on_this_machine,
        lambda results, total, current: progressing(results, total, "verifying", current),
    )
    return {
        transition.after: (verdict.verdict, verdict.reason)
        for transition, (_, verdict) in zip(log.transitions, found, strict=True)
    }
