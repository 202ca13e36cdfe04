"""Every intrinsic has a row of its own or of a family, or is listed here as touching everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir import effects
from nirls.ir.effects.rows import (
    EVERYTHING,
    MEMORIES,
    intrinsic_key,
    parse_row,
    row_of_intrinsic,
    row_of_texture,
)
from nirls.ir.tables import intrinsics
from nirls.ir.validation.textures import is_known_texture_op
from tests.conftest import facts_of

FOLDER = Path(effects.__file__).parent


def rows_of(name: str) -> list[str]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("release", ["22.3", "25.0", "26"])
def test_every_intrinsic_of_a_release_is_covered_or_listed_as_touching_everything(release: str) -> None:
    assert [name for name in facts_of(release)["intrinsics"] if intrinsic_key(name) is None] == []


def test_an_intrinsic_without_a_row_touches_everything() -> None:
    for name in (*intrinsics(), "intrinsic_of_2030"):
        assert intrinsic_key(name) is not None or row_of_intrinsic(name) is EVERYTHING, name


def test_every_row_is_about_an_intrinsic() -> None:
    used = {intrinsic_key(name) for name in intrinsics()}
    listed = [name for row in rows_of("intrinsics.txt") for name in row.partition("|")[0].split()]
    assert len(listed) == len(set(listed))
    assert [name for name in listed if name not in used] == []


def test_every_row_is_in_the_notation_and_names_its_sources() -> None:
    known = intrinsics()
    for name in known:
        row = row_of_intrinsic(name)
        most = max(len(form.src_components) for form in known[name].forms())
        indices = {index for form in known[name].forms() for index in form.indices}
        for access in row.accesses:
            assert access.resource is None or access.resource < most, name
            for word in (access.start, access.size):
                for used in word.names() if word is not None else ():
                    is_source = used[0] == "s" and used[1:].isdecimal()
                    assert not is_source or int(used[1:]) < most, name
                    fits = is_source or used in ("bytes", "width", "base", "offset_shift") or used in indices
                    assert fits, (name, used)


def test_flags_of_the_table_and_the_rows_agree() -> None:
    """What the table lets passes delete writes nothing, and what exchanges values there does so here."""
    for name, entry in intrinsics().items():
        row = row_of_intrinsic(name)
        if entry.can_eliminate and not row.is_everything:
            assert all(access.kind == "read" for access in row.accesses), name
        if entry.can_reorder and entry.can_eliminate:
            written = {"shared", "ssbo", "output", "scratch", "register", "task_payload", "image", "global"}
            reads = {access.memory for access in row.accesses} & written
            assert reads <= {"image", "global"}, name
        if "QUADGROUP" in entry.flags:
            assert row.exchange == "quad", name
        elif "SUBGROUP" in entry.flags:
            assert row.exchange == "subgroup", name


def test_texture_operations() -> None:
    listed = [name for row in rows_of("textures.txt") for name in row.partition("|")[0].split()]
    assert [name for name in listed if not is_known_texture_op(name)] == []
    assert row_of_texture("tex").exchange == "quad"
    assert row_of_texture("txs").accesses == ()
    assert row_of_texture("operation_of_2030") is EVERYTHING


def test_an_unknown_intrinsic_touches_everything() -> None:
    row = row_of_intrinsic("intrinsic_of_2030")
    assert {access.memory for access in row.accesses} == set(MEMORIES)
    assert all(access.kind == "atomic" for access in row.accesses)


@pytest.mark.parametrize(
    "row",
    [
        " read shared | ",
        " reads shared | | ",
        " read memory | | ",
        " read shared[s0 | | ",
        " read shared | everybody | ",
        " read shared | | unordered",
    ],
)
def test_a_row_that_is_not_in_the_notation(row: str) -> None:
    with pytest.raises(ValueError, match=r"fields|not an access|unknown word"):
        parse_row(row)
