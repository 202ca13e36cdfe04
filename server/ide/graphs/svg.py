"""Conversion of DOT to SVG, by Graphviz's `dot` program or the package `pygraphviz`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

_LONGEST = 30.0
"""Time limit for a layout in seconds."""

_PROLOGUE = re.compile(r"\A.*?(?=<svg\b)", re.DOTALL)
HOW_TO_INSTALL = "install Graphviz (the program `dot`), or `pip install 'nirls[graph]'`"


class LayoutError(Exception):
    """There is no SVG; the message is the reason."""


def to_svg(dot: str) -> str:
    """Lay out a graph and return the SVG element, without the XML prologue. Raises LayoutError."""
    program = _program()
    svg = _by_library(dot) if program is None else _by_program(program, dot)
    return _PROLOGUE.sub("", svg, count=1)


def _program() -> str | None:
    """Find `dot` in absolute PATH entries; a program in an untrusted working folder must not run."""
    places = [place for place in os.get_exec_path() if os.path.isabs(place)]
    found = shutil.which("dot", path=os.pathsep.join(places)) if places else None
    return found if found is not None and os.path.dirname(found) in places else None


def _by_program(program: str, dot: str) -> str:
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=dot.encode(), capture_output=True, timeout=_LONGEST, check=True
        )
    except subprocess.TimeoutExpired:
        raise LayoutError(f"the layout takes longer than {_LONGEST:g} s") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise LayoutError(f"{program} failed: {error}") from None
    return done.stdout.decode("utf-8", "replace")


def _by_library(dot: str) -> str:
    try:
        # An optional package.
        import pygraphviz
    except ImportError:
        raise LayoutError(f"there is nothing that can lay out graphs: {HOW_TO_INSTALL}") from None
    drawn: bytes = pygraphviz.AGraph(string=dot).draw(format="svg", prog="dot")
    return drawn.decode("utf-8", "replace")
