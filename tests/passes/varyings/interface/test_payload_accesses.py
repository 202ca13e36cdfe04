"""Accesses of the payload between task and mesh shaders, and why they may not be analyzed."""

from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.payload_accesses import ANYWHERE, PayloadLinkage, link_payload
from tests.passes.varyings.payload_pairs import LAUNCH, get, pair, put, text_of, under, use


def linked(task: tuple[str, ...], mesh: tuple[str, ...], launch: tuple[str, ...] = LAUNCH) -> PayloadLinkage:
    found = link_payload(*pair(task, mesh, launch))
    assert isinstance(found, PayloadLinkage), found
    return found


def test_all_accesses_are_found_whatever_is_between_them() -> None:
    """Accesses of other memory, and a launch on another path, do not end the list."""
    launched_early = under("%9", *LAUNCH)
    linkage = linked((put("%1"), use("%1"), put("%2", 4)), (use("%4"), get(21), use("%21")))
    assert [access.start for access in linkage.own] == [0, 4]
    assert [access.start for access in linkage.loads] == [0]
    linkage = linked((*launched_early, put("%2", 4)), (get(21, 4), use("%21")), ())
    assert [access.start for access in linkage.own] == [4]
    assert len(linkage.launches) == 1


def test_components_take_bytes_one_after_the_other() -> None:
    linkage = linked((put("%5", 8, mask="xz"),), (get(21, 16, size="64x2"),))
    (store,), (load,) = linkage.own, linkage.loads
    assert [piece.where for piece in store.pieces()] == [range(8, 12), range(16, 20)]
    assert [piece.where for piece in load.pieces()] == [range(16, 24), range(24, 32)]


def test_variable_offsets_reach_as_far_as_their_bound() -> None:
    # `%3` is the index of the invocation, masked by 4.
    linkage = linked((put("%1"),), (get(21, 8, offset="%3"), get(22, offset="%1")))
    bounded, anywhere = linkage.loads
    assert bounded.reach == range(8, 16)
    assert bounded.start is None
    assert "an offset that is not constant" in bounded.obstacle
    assert anywhere.reach in (ANYWHERE, range(anywhere.reach.stop))


@pytest.mark.parametrize(
    ("task", "mesh", "launch", "code"),
    [
        (
            (put("%1"),),
            (),
            ("32x3 %90 = vec3 %4, %4, %4", "@launch_mesh_workgroups (%90) (base=16, range=64)"),
            "payload-base",
        ),
        ((put("%1"),), (put("%2"),), LAUNCH, "incomplete"),  # an error: no mesh shader writes it
        ((put("%1"), "@not_in_the_tables (%1)"), (), LAUNCH, "unknown-effects"),
    ],
)
def test_what_cannot_be_analyzed(
    task: tuple[str, ...], mesh: tuple[str, ...], launch: tuple[str, ...], code: str
) -> None:
    found = link_payload(*pair(task, mesh, launch))
    assert isinstance(found, Unlinkable)
    assert found.code == code


def test_a_line_that_cannot_be_read_may_be_an_access() -> None:
    task, mesh = pair((put("%1"),), ())
    damaged = parse_dump(text_of("MESH", 32, "?? not a line of a dump"))
    found = link_payload(task, damaged)
    assert isinstance(found, Unlinkable)
    assert found.code == "incomplete"
    assert isinstance(link_payload(task, mesh), PayloadLinkage)
