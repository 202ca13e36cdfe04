"""Diagnostics lead to the page about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from nirls.server.ide.rule_pages import page_text
from tests.passes.shader_text import shader_text

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor


BROKEN = shader_text("COMPUTE", "32    %1 = mov %9999")
"""Not linked with the others: no pass runs on a pipeline with an error."""


async def test_each_diagnostic_links_to_its_page(editor: Editor, tinted: str) -> None:
    editor.open(f"{tinted}\n{BROKEN}")
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
