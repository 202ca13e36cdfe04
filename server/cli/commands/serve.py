"""`nirls serve`: the language server."""

from __future__ import annotations

import gc
import os
from typing import Annotated

import typer

from nirls.server.cli.errors import CommandError


def serve(
    tcp: Annotated[
        str | None,
        typer.Option(
            "--tcp", metavar="[HOST:]PORT", help="Listen on a port of this machine instead of standard input."
        ),
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Talk over standard input and output, which is the default.")
    ] = False,
) -> None:
    """Start the language server."""
    if tcp is not None and stdio:
        raise CommandError("--tcp and --stdio exclude each other")
    place = None if tcp is None else _loopback(tcp)
    # The working folder is often the workspace, which is untrusted. Relative names must not resolve there,
    # including those that Python opens, such as `<unknown>` when it formats a traceback.
    os.chdir(os.path.abspath(os.sep))
    # The imports create 100,000 long-lived objects; collecting them would be 8 % of the start-up time.
    gc.disable()
    from nirls.server.lsp import language_server  # behind the change of the folder

    gc.enable()

    if place is None:
        language_server.serve_stdio()
    else:
        try:
            language_server.serve_tcp(*place)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise CommandError(f"cannot listen on {place[0]}:{place[1]}: {reason}") from None


def _loopback(text: str) -> tuple[str, int]:
    """Host and port of `--tcp`. Only this machine may connect, because clients are not authenticated."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise CommandError(f"--tcp listens on this machine only (127.0.0.1, localhost, ::1), not on {host}")
    if not port.isdecimal() or int(port) > 65535:
        raise CommandError(f"--tcp {text}: {port!r} is not a port")
    return host, int(port)
