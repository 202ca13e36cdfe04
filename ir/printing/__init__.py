"""IR to text: fresh in any dialect, or the dump a shader came from with only the changed lines redone."""

from nirls.ir.printing.lines import LineKind, RenderedLine
from nirls.ir.printing.print_shader import print_shader
from nirls.ir.printing.render import fresh, render
from nirls.ir.printing.style import FunctionStyle, PrintStyle

__all__ = [
    "FunctionStyle",
    "LineKind",
    "PrintStyle",
    "RenderedLine",
    "fresh",
    "print_shader",
    "render",
]
