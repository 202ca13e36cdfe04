"""Whether graphs can be laid out on this machine."""

from __future__ import annotations

from nirls.server.ide.graphs.svg import LayoutError, to_svg


def can_lay_out() -> bool:
    """Whether there is a program or a library for it."""
    try:
        to_svg("digraph {}")
    except LayoutError:
        return False
    return True
