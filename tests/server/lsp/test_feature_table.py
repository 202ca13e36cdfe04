"""Each declared message has a handler in its module, which is imported at the first of its messages."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from nirls.server.lsp.feature_table import FEATURES, Feature
from nirls.server.lsp.language_server import make_server


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.module)
def test_a_module_handles_its_messages_and_no_others(feature: Feature) -> None:
    server = make_server()
    assert server._handlers == {}
    import_module(f"nirls.server.lsp.features.{feature.module}").register(server)
    assert server._handlers.keys() == {*feature.methods, *feature.commands}


def test_no_module_with_a_handler_is_imported_at_the_start() -> None:
    code = (
        "import sys; from nirls.server.lsp import feature_table, language_server;"
        "language_server.make_server();"
        "names = {f'nirls.server.lsp.features.{one.module}' for one in feature_table.FEATURES};"
        "print(*sorted(names & sys.modules.keys()), 'numpy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["nirls.server.lsp.features.pass_failures", "False"]
