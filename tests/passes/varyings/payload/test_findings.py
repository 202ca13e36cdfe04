"""Findings on the payload: where they stand, what they say, and what their fixes do."""

from __future__ import annotations

import pytest

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.varyings.payload_pairs import BOTH, GUARD, READ, get, pair, put, summary, under, use


def findings(shaders: list[Shader]) -> list[Finding]:
    return [one for one in OptVaryings().find(shaders) if one.code.endswith("-payload")]


@pytest.mark.parametrize(
    ("task", "mesh", "code", "message", "line", "after"),
    [
        (
            under(GUARD, put("%7", 4)),
            (),
            "removable-payload",
            "payload[4..7] need not be stored: it is never read by the MS",
            "store_task_payload",
            " | ",
        ),
        (
            (put("%1"),),
            READ,
            "removable-payload",
            "payload[0..3] need not be stored: the constant 1 is used in the MS",
            "store_task_payload",
            " | 1",
        ),
        (
            under(GUARD, put("%7"), put("%7", 4)),
            BOTH,
            "removable-payload",
            "payload[4..7] need not be stored: payload[0..3] has the same value",
            "store_task_payload",
            "store 0+4 | load 0+4, %20, load 0+4, %21",
        ),
        (
            (),
            (get(20, 8), use("%20")),
            "undefined-payload",
            "payload[8..11] is never stored by the TS: it reads as undefined",
            "load_task_payload",
            " | undefined",
        ),
    ],
)
def test_each_kind(
    task: tuple[str, ...], mesh: tuple[str, ...], code: str, message: str, line: str, after: str
) -> None:
    shaders = pair(task, mesh)
    (found,) = findings(shaders)
    assert (found.code, found.message) == (code, message)
    assert line in shaders[found.place.dump].source[found.place.start : found.place.end].decode()
    changes = OptVaryings().fix(shaders, found.fixes[0].request)
    fixed = [next((one.after for one in changes if one.before is old), old) for old in shaders]
    assert " | ".join(map(summary, fixed)) == after
    assert not isinstance(verify_shaders(shaders, fixed), Different)


def test_fix_of_one_part_leaves_the_others() -> None:
    shaders = pair((put("%1"), put("%2", 4)), BOTH)
    first, second = findings(shaders)
    assert first.place != second.place
    (task, mesh) = OptVaryings().fix(shaders, first.fixes[0].request)
    assert (summary(task.after), summary(mesh.after)) == ("store 4+4", "1, load 4+4, %21")


def test_fix_that_is_no_longer_offered_changes_nothing() -> None:
    first, second = findings(pair((put("%1"), put("%2", 4)), BOTH))
    assert OptVaryings().fix(pair((put("%1"),), READ), first.fixes[0].request)
    assert OptVaryings().fix(pair((put("%1"),), READ), second.fixes[0].request) == []


def test_related_places_are_in_the_other_stage() -> None:
    (found,) = findings(pair((put("%1"),), READ))
    assert [(one.place.dump, one.message) for one in found.related] == [(1, "read here: payload[0..3]")]
