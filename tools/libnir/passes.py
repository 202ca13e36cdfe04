"""`python -m tools.libnir.passes [NIR_H]`: write the table of passes of libnir, `ir/mesa_test/passes.txt`.

The table has the functions of nir.h that take a shader and are named like passes, with what they return and
their other parameters. Without an argument, the source of `make mesa` is read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.corpus.archive import PROJECT
from tools.libnir.build import VERSION, mesa_folder

TABLE: Final = PROJECT / "ir" / "mesa_test" / "passes.txt"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PROTOTYPE = re.compile(
    r"^(?P<result>bool|void)\s+(?P<name>nir_\w+)\(\s*(?:struct\s+)?nir_shader\s*\*\s*\w*\s*"
    r"(?:,(?P<options>[^;{}()]*))?\)\s*;",
    re.MULTILINE,
)
_PASS_NAME = re.compile(
    r"nir_(?:opt|lower|remove|convert|copy_prop|dedup|split|shrink|propagate|inline|normalize|move|sink|trivialize"
    r"|recompute|vectorize|group|cleanup|fold|fixup|unlower|scale|rematerialize|repair|zero|io|force|clear|legalize"
    r"|separate|trim|use|slot|gather|create|resize|rewrite)"
)
_OTHER_SHADER = re.compile(r"(?<!const )\bnir_shader \*\w")


def rows_of(header: str) -> Iterator[str]:
    """Yield the rows for the passes that a text of nir.h declares, by name."""
    found = {}
    for match in _PROTOTYPE.finditer(_COMMENT.sub("", header)):
        options = " ".join((match["options"] or "").split())
        if _PASS_NAME.match(match["name"]) and not _OTHER_SHADER.search(options):
            found[match["name"]] = f"{match['name']} | {match['result']} | {options}".rstrip()
    yield from (found[name] for name in sorted(found))


def table_of(header: str, release: str) -> str:
    """Return the text of the table."""
    head = f"# The passes of libnir (Mesa {release}, nir.h): name | result | parameters after the shader."
    return "\n".join([head, *rows_of(header), ""])


def main() -> int:
    """Write the table."""
    source = mesa_folder() / f"mesa-{VERSION}" / "src" / "compiler" / "nir" / "nir.h"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else source
    TABLE.write_text(table_of(path.read_text(encoding="utf-8"), VERSION.rpartition(".")[0]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
