"""`python -m tools.libnir.mesa_pass -p PASS FILE[#N]`: what Mesa's own pass makes of a dump.

The dump is built by the code of `nirls testcase`, the pass runs on it, and Mesa prints the result. With
`--diff`, the difference to the dump is printed, without renumbering. Passes with options are refused: no
dump holds the options.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Final

from nirls.ir.mesa_test import Expectation, NotBuildableError, mesa_api, unit_test
from nirls.ir.text.parse import parse_dump
from nirls.server.cli.errors import CommandError
from nirls.server.cli.opening import named_dumps
from nirls.server.engine.documents.document import Snapshot
from nirls.server.ide.history.snapshot_diff import texts_of_dumps
from tools.libnir.build import VERSION, build_folder
from tools.libnir.compiled import CompileError, LibnirCompiler, run_test

_API: Final = VERSION.rpartition(".")[0]
_TEST: Final = re.compile(r"^TEST_F\((\w+), (\w+)\)", re.MULTILINE)


class MesaPassError(Exception):
    """The pass cannot be run on the dump, or did not end."""


def mesa_result(text: bytes, pass_name: str, compiler: LibnirCompiler) -> bytes:
    """Return the dump that Mesa prints behind a pass; without progress, the dump as Mesa prints it.

    Raises MesaPassError.
    """
    shader = parse_dump(text)
    try:
        test = unit_test(shader, pass_name, Expectation(shader), mesa_api(_API), "shader")
    except NotBuildableError as error:
        raise MesaPassError("\n".join(error.reasons)) from error
    if test.notes:
        raise MesaPassError("\n".join(test.notes))
    named = _TEST.search(test.text)
    assert named is not None
    try:
        program = compiler.program("mesa_pass", test.text)
    except CompileError as error:
        raise MesaPassError(str(error)) from error
    ran = run_test(program, f"{named[1]}.{named[2]}")
    # Before the pass, nothing is printed; a failed test prints the shader once more.
    dumps = Snapshot.of(ran.output.encode()).dumps()
    if not dumps:
        raise MesaPassError(ran.output)
    return dumps[0].piece.text


def main() -> int:
    """Print the result or the difference, and return the exit status: 1 if there is none."""
    arguments = argparse.ArgumentParser(prog="python -m tools.libnir.mesa_pass", description=__doc__)
    arguments.add_argument("dump", help="a file with a dump, or FILE#N")
    arguments.add_argument("-p", "--pass", required=True, dest="pass_name", metavar="PASS")
    arguments.add_argument("--diff", action="store_true", help="print the difference to the dump")
    options = arguments.parse_args()
    build = build_folder()
    if build is None:
        print("libnir is not there: run make mesa", file=sys.stderr)
        return 1
    try:
        text = named_dumps(options.dump)[0].dump.piece.text
        with tempfile.TemporaryDirectory() as work:
            made = mesa_result(text, options.pass_name, LibnirCompiler(build, Path(work)))
    except (CommandError, MesaPassError) as error:
        print(error, file=sys.stderr)
        return 1
    shown = texts_of_dumps(text, made).unified() if options.diff else made.decode()
    print(shown.rstrip("\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
