"""IR to text: fresh in any dialect, or the original dump with only the changed lines rewritten."""

from nirls.ir.text.printing.convert import ConversionError, convert, converted
from nirls.ir.text.printing.divergence import marked, print_with_divergence
from nirls.ir.text.printing.lines import LineKind, RenderedLine
from nirls.ir.text.printing.normalize import normalize, renumbered
from nirls.ir.text.printing.printable import Printable
from nirls.ir.text.printing.render import fresh, render
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle

__all__ = [
    "ConversionError",
    "FunctionStyle",
    "LineKind",
    "PrintStyle",
    "Printable",
    "RenderedLine",
    "convert",
    "converted",
    "fresh",
    "marked",
    "normalize",
    "print_with_divergence",
    "render",
    "renumbered",
]
