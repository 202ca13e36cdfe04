"""What barriers of all releases do."""

from __future__ import annotations

import pytest

from nirls.ir.effects import memory_class
from nirls.ir.effects.barriers import (
    DEVICE,
    NOBODY,
    SUBGROUP,
    WORKGROUP,
    BarrierEffect,
    barrier_effect,
)
from nirls.ir.model.instructions import IntrinsicInstr

ALL = {"shared", "shader_out", "task_payload", "buffer", "image"}


def effect(name: str = "barrier", **indices: str | tuple[str, ...]) -> BarrierEffect:
    found = barrier_effect(IntrinsicInstr(name, [], indices))
    assert found is not None
    return found


def scoped(
    waits: str, reaches: str, modes: tuple[str, ...], semantics: tuple[str, ...] = ("ACQ", "REL")
) -> BarrierEffect:
    return effect(execution_scope=waits, memory_scope=reaches, memory_semantics=semantics, memory_modes=modes)


def test_scopes_and_modes() -> None:
    found = scoped("WORKGROUP", "DEVICE", ("shader_out", "ssbo", "function_temp"))
    assert (found.waits, found.reaches) == (WORKGROUP, DEVICE)
    assert found.classes == {"shader_out", "buffer"}
    assert scoped("SUBGROUP", "NONE", ()).waits == SUBGROUP
    assert scoped("NONE", "WORKGROUP", ("shared",)).waits == NOBODY


@pytest.mark.parametrize(
    ("word", "scope"),
    [
        ("NONE", NOBODY),
        ("INVOCATION", NOBODY),
        ("SUBGROUP", SUBGROUP),
        ("SHADER_CALL", WORKGROUP),
        ("WORKGROUP", WORKGROUP),
        ("QUEUE_FAMILY", 3),
        ("DEVICE", DEVICE),
        ("SCOPE_WORKGROUP", WORKGROUP),
    ],
)
def test_scopes(word: str, scope: int) -> None:
    found = scoped(word, word, ())
    assert (found.waits, found.reaches) == (scope, scope)


@pytest.mark.parametrize(
    ("name", "waits", "classes", "reaches"),
    [
        ("control_barrier", WORKGROUP, set(), NOBODY),
        ("barrier", WORKGROUP, set(), NOBODY),
        ("memory_barrier", NOBODY, ALL, DEVICE),
        ("memory_barrier_atomic_counter", NOBODY, {"buffer"}, DEVICE),
        ("memory_barrier_buffer", NOBODY, {"buffer"}, DEVICE),
        ("memory_barrier_image", NOBODY, {"image"}, DEVICE),
        ("memory_barrier_shared", NOBODY, {"shared"}, WORKGROUP),
        ("memory_barrier_tcs_patch", NOBODY, {"shader_out"}, WORKGROUP),
        ("group_memory_barrier", NOBODY, ALL, WORKGROUP),
    ],
)
def test_older_kinds(name: str, waits: int, classes: set[str], reaches: int) -> None:
    found = effect(name)
    assert (found.waits, set(found.classes), found.reaches) == (waits, classes, reaches)
    assert found.releases == found.acquires == (waits == NOBODY)


@pytest.mark.parametrize(
    ("modes", "classes"),
    [
        # Memory under a name that is not known must be ordered like a buffer.
        (("mem_unknown",), {"buffer"}),
        (("shared", "mem_unknown"), {"shared", "buffer"}),
        (("mem_ssbo",), {"buffer"}),
        (("mem_shared",), {"shared"}),
        (("image", "mem_shared"), {"image", "shared"}),
        (("function_temp",), set()),
        (("unknown",), set()),
        ((), set()),
    ],
)
def test_memory_modes(modes: tuple[str, ...], classes: set[str]) -> None:
    assert scoped("WORKGROUP", "WORKGROUP", modes).classes == classes
    assert effect(memory_modes="|".join(modes)).classes == classes


@pytest.mark.parametrize(
    ("semantics", "releases", "acquires"),
    [
        (("ACQ", "REL"), True, True),
        (("ACQ",), False, True),
        (("REL",), True, False),
        (("NONE",), False, False),
    ],
)
def test_semantics(semantics: tuple[str, ...], releases: bool, acquires: bool) -> None:
    found = scoped("WORKGROUP", "WORKGROUP", ("shared",), semantics)
    assert (found.releases, found.acquires) == (releases, acquires)
    assert found.orders("shared") is (releases or acquires)
    assert not found.orders("buffer")


@pytest.mark.parametrize("name", ["memory_barrier", "memory_barrier_shared", "group_memory_barrier"])
def test_older_fences_release_and_acquire(name: str) -> None:
    found = effect(name)
    assert found.releases
    assert found.acquires
    assert found.reaches == (DEVICE if name == "memory_barrier" else WORKGROUP)


@pytest.mark.parametrize(("waits", "reaches"), [("CLUSTER", "DEVICE"), ("DEVICE", "CLUSTER")])
def test_a_barrier_of_an_unknown_scope_has_no_known_effect(waits: str, reaches: str) -> None:
    indices: dict[str, str | tuple[str, ...]] = {"execution_scope": waits, "memory_scope": reaches}
    assert barrier_effect(IntrinsicInstr("barrier", [], indices)) is None


def test_scopes_may_differ() -> None:
    assert scoped("INVOCATION", "NONE", ()).waits == NOBODY
    assert scoped("NONE", "QUEUE_FAMILY", ()).reaches == 3


def test_other_intrinsics_are_no_barriers() -> None:
    assert barrier_effect(IntrinsicInstr("load_input", [], {})) is None
    assert memory_class("uniform") is None


def covers(one: BarrierEffect, other: BarrierEffect, memory: str) -> bool:
    return one.covers(other, memory, is_private=memory == "shared")


def test_one_barrier_does_the_work_of_another() -> None:
    group = scoped("WORKGROUP", "WORKGROUP", ("shared",))
    device = scoped("WORKGROUP", "DEVICE", ("shared", "ssbo"))
    fence = scoped("NONE", "DEVICE", ("shared",))
    assert covers(group, fence, "shared"), "shared memory ends with the workgroup"
    assert covers(device, group, "shared")
    assert covers(group, device, "shared")
    assert not covers(group, device, "buffer")
    assert not covers(fence, group, "shared"), "it does not wait"
    release = scoped("WORKGROUP", "WORKGROUP", ("shared",), ("REL",))
    assert not covers(release, group, "shared")
    assert not covers(scoped("WORKGROUP", "WORKGROUP", ("ssbo",)), group, "shared")
    assert covers(group, release, "shared")
    assert not covers(scoped("WORKGROUP", "WORKGROUP", ("shared",), ("ACQ",)), group, "shared")
    assert not covers(scoped("SUBGROUP", "WORKGROUP", ("shared",)), group, "shared")


def test_a_barrier_of_a_buffer_reaches_as_far_and_makes_as_much_available() -> None:
    group, device = (scoped("NONE", scope, ("ssbo", "shared")) for scope in ("WORKGROUP", "DEVICE"))
    assert not covers(group, device, "buffer")
    assert covers(device, group, "buffer")
    available = scoped("NONE", "DEVICE", ("ssbo", "shared"), ("ACQ", "REL", "MAKE_AVAILABLE"))
    assert not covers(device, available, "buffer")
    assert covers(device, available, "shared"), "shared memory has no caches to write back"
    assert effect(memory_modes="ssbo").semantics == frozenset()


def test_a_barrier_that_only_waits_is_covered_by_any_that_waits_as_long() -> None:
    wait = scoped("WORKGROUP", "NONE", ())
    assert covers(wait, wait, "shared")
    assert covers(scoped("WORKGROUP", "WORKGROUP", ("shared",)), wait, "shared")
    assert not covers(scoped("NONE", "WORKGROUP", ("shared",)), wait, "shared")
    assert not covers(wait, scoped("WORKGROUP", "WORKGROUP", ("shared",)), "shared")
