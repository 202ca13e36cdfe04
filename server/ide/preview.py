"""Preview of the result of passes on dumps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.plain import plain_counts

if TYPE_CHECKING:
    from nirls.server.engine.documents.linking import LinkedDump

WHAT_IF = ("opt_varyings", "clean_up")
"""The passes that preview linking of a pipeline."""


class Verdict(Enum):
    """Result of the verification of the passes."""

    SAME = "checked"
    UNCHECKED = "unchecked"
    DIFFERENT = "refused"
    """The result computes something else; it is not shown."""
    NOTHING = "unchanged"
    """The passes have nothing to do."""
    UNLINKED = "unlinked"
    """Linking was asked for, and the dump is linked with nothing."""


@dataclass(frozen=True, slots=True)
class PreviewedDump:
    """The text of a dump before and after the passes."""

    member: LinkedDump
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of passes on a dump, or on the stages of a pipeline in pipeline order.

    The title is such as `opt_dce on FS`; `why_not` says why a dump is linked with nothing.
    """

    title: str
    passes: tuple[str, ...]
    verdict: Verdict
    dumps: tuple[PreviewedDump, ...]
    why_not: str = ""


def plain_preview(preview: Preview) -> dict[str, Any]:
    """Convert a preview to JSON values. Lines and dumps count from 0."""
    return {
        "title": preview.title,
        "passes": list(preview.passes),
        "verdict": preview.verdict.value,
        "whyNot": preview.why_not or None,
        "dumps": [_plain_dump(dump) for dump in preview.dumps],
    }


def _plain_dump(dump: PreviewedDump) -> dict[str, Any]:
    member = dump.member
    stage = member.document.state(member.dump.piece).facts.stage
    return {
        "uri": member.document.uri,
        "file": member.document.name,
        "number": member.dump.number,
        "line": member.dump.first_line,
        "stage": None if stage is None else stage.abbreviation,
        "changed": dump.before != dump.after,
        "before": dump.before.decode("utf-8", "replace"),
        "after": dump.after.decode("utf-8", "replace"),
        "counts": {
            "before": plain_counts(DumpDigest(dump.before).counts),
            "after": plain_counts(DumpDigest(dump.after).counts),
        },
    }
