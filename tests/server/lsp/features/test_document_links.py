"""Document links over the protocol: only to files of the workspace that are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT
from tests.server.lsp.features.session import SURROUNDINGS, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def named(source: str) -> str:
    return FRAGMENT.replace("// 😀", f"// 😀 {source}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a b😀.frag").write_text("x")
    (tmp_path / "src" / "wide.frag").write_text("x")
    return tmp_path


async def links(session: Session, text: str, uri: str = URI) -> list[tuple[str, str]]:
    """The text and the target of each link."""
    session.place(text, uri)
    found: list[dict[str, Any]] = await session.ask_about("documentLink", uri)
    return [(session.text_of(one["range"], uri), one["target"]) for one in found]


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_a_file_of_the_workspace(session: Session, folder: Path, around: str) -> None:
    session.server.files.add_folders([folder.as_uri()])
    found = await links(session, SURROUNDINGS[around](named("src/wide.frag:12:3")))
    target = (folder / "src" / "wide.frag").as_uri()
    assert set(found) == {("src/wide.frag:12:3", f"{target}#L12,3")}


async def test_two_roots(session: Session, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "b.frag").write_text("x")
    session.server.files.add_folders([other.as_uri(), folder.as_uri()])
    found = await links(session, named("b.frag:1 src/wide.frag:2"))
    assert [target for _, target in found] == [
        f"{(other / 'b.frag').as_uri()}#L1",
        f"{(folder / 'src' / 'wide.frag').as_uri()}#L2",
    ]
    session.server.files.remove_folders([other.as_uri()])
    assert len(await links(session, named("b.frag:1 src/wide.frag:2"))) == 1


@pytest.mark.parametrize(
    "name", ["/etc/hosts.c", "../../x.frag", "src/gone.frag", "src", "a\x00b.frag", "C:\\x.frag"]
)
async def test_no_such_file(session: Session, folder: Path, name: str) -> None:
    session.server.files.add_folders([folder.as_uri()])
    assert await links(session, named(name)) == []


async def test_a_link_out_of_the_workspace(
    session: Session, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.frag"
    outside.write_text("x")
    (folder / "src" / "link.frag").symlink_to(outside)
    session.server.files.add_folders([folder.as_uri()])
    assert await links(session, named("src/link.frag:1")) == []


async def test_without_a_workspace(session: Session, folder: Path) -> None:
    path = folder / "x.nir"
    assert await links(session, named("src/wide.frag:1"), path.as_uri()) == []


async def test_a_file_that_goes(session: Session, folder: Path) -> None:
    session.server.files.add_folders([folder.as_uri()])
    text = named("src/wide.frag:1")
    assert await links(session, text)
    (folder / "src" / "wide.frag").unlink()
    assert await links(session, text) == []
