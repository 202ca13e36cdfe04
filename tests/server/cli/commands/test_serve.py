from __future__ import annotations

import socket

import pytest

from tests.server.conftest import Run


@pytest.mark.parametrize("place", ["0.0.0.0:7000", "example.org:80", "[::]:7000", ":x", "127.0.0.1:99999"])
def test_serve_listens_on_this_machine_only(run: Run, place: str) -> None:
    result = run("serve", "--tcp", place)
    assert result.status == 2
    assert result.err.startswith("nirls: --tcp")


def test_serve_takes_one_way_of_talking(run: Run) -> None:
    assert run("serve", "--tcp", "7000", "--stdio").status == 2


def test_a_port_that_is_taken_is_said(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--tcp", port)
    assert result.status == 2
    assert result.err.startswith(f"nirls: cannot listen on 127.0.0.1:{port}: ")
