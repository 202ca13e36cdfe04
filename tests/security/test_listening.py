"""With --tcp the server listens on this machine only."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator

import psutil
import pytest

from nirls.server.lsp.language_server import serve_tcp
from tests.security.conftest import NIRLS

ELSEWHERE = (
    "0.0.0.0",
    "::",
    "[::]",
    "*",
    "192.168.0.1",
    "example.com",
    "127.0.0.1.example.com",
    "::ffff:10.0.0.1",
)


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        found: int = probe.getsockname()[1]
    return found


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("host", ["", "127.0.0.1:", "localhost:"])
def test_only_loopback_is_bound(host: str, port: int, processes: list[subprocess.Popen[bytes]]) -> None:
    processes.append(subprocess.Popen([NIRLS, "serve", "--tcp", f"{host}{port}"]))
    addresses = _listening(processes[0].pid)
    assert addresses
    assert {address for address, _ in addresses} <= {"127.0.0.1", "::1"}
    assert {bound for _, bound in addresses} == {port}


@pytest.mark.parametrize("host", ELSEWHERE)
def test_other_hosts_are_refused(host: str, port: int) -> None:
    with pytest.raises(ValueError, match="this machine only"):
        serve_tcp(host, port)


def test_the_command_refuses_other_hosts(port: int) -> None:
    done = subprocess.run(
        [NIRLS, "serve", "--tcp", f"0.0.0.0:{port}"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert "this machine only" in done.stderr


def test_a_name_that_leads_elsewhere_is_refused(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    here = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
    elsewhere = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("0.0.0.0", port))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [here, elsewhere])
    with pytest.raises(ValueError, match="not this machine only"):
        serve_tcp("localhost", port)


INITIALIZE = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None}}
).encode()
LENGTH = b"Content-Length: %d\r\n\r\n" % len(INITIALIZE)


@pytest.mark.parametrize(
    "first", [b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X: y\r\n", b"\r\n", b"\x16\x03\x01"]
)
def test_a_web_page_cannot_speak_to_the_server(
    port: int, processes: list[subprocess.Popen[bytes]], first: bytes
) -> None:
    """A page may have a browser send whatever it likes to this machine, behind a header of the browser's."""
    processes.append(subprocess.Popen([NIRLS, "serve", "--tcp", str(port)]))
    assert _listening(processes[0].pid)
    assert _answer(port, first + LENGTH + INITIALIZE) == b""
    # A client is served all the same, also one whose first words come in pieces.
    assert _answer(port, b"Con", LENGTH[3:] + INITIALIZE).startswith(b"Content-Length: ")


def _answer(port: int, *parts: bytes) -> bytes:
    """The first bytes that the server says, b"" if it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            connection.sendall(part)
            time.sleep(0.05)
        try:
            return connection.recv(64)
        except ConnectionResetError:
            return b""


def _listening(pid: int) -> list[tuple[str, int]]:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = [
            one.laddr
            for one in psutil.Process(pid).net_connections("tcp")
            if one.status == psutil.CONN_LISTEN
        ]
        if found:
            return [(one.ip, one.port) for one in found]
        time.sleep(0.1)
    return []
