"""The tree-sitter grammar of NIR text, for all dialects of Mesa's printer.

`grammar.js` is the source; `src/parser.c` is generated from it (see `README.md` here)
and compiled with the package.
"""

from functools import cache
from importlib.resources import files
from typing import Final

from tree_sitter import Language

from nirls.ir.text.grammar._binding import language

__all__ = ["LANGUAGE", "language", "query_source"]

LANGUAGE: Final = Language(language())


@cache
def query_source(name: str) -> str:
    """Return the text of one of the queries shipped with the grammar.

    `name` is `highlights`, `folds`, `locals`, `indents`, `tags` or
    `injections`. Raises `FileNotFoundError` for any other.
    """
    return files(__name__).joinpath("queries", f"{name}.scm").read_text(encoding="utf-8")
