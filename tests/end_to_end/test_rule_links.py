"""Diagnostics lead to the page about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from nirls.server.ide.rule_pages import page_text

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor


async def test_each_diagnostic_links_to_its_page(editor: Editor, tinted: str) -> None:
    editor.open(tinted.replace("ffma %11.x", "ffma %9999.x"))
    codes = {"dead-output", "undefined-value"}
    found = await editor.diagnostics(lambda found: codes <= {item.code for item in found})
    for item in found:
        assert item.code_description is not None, item.code
        page = Path(unquote(urlparse(item.code_description.href).path))
        assert page.name == f"{item.code}.md"
        title, _, body = page.read_text(encoding="utf-8").partition("\n")
        published = page_text(item.code)
        assert published.startswith(f"{title}\n\n`{item.code}` · ")
        assert body.partition("\n## ")[0].strip() in published
