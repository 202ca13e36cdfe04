"""`python -m tools.libnir.pass_log [DUMP...]`: the log that `NIR_DEBUG=print` gives for dumps.

Each dump is built by libnir, and a front end's passes run on it; Mesa prints the shader after every pass
that changed it. With `--faulty`, one line of one pass is wrong (`FAULT`): the log of a Mesa with a bug, such
as the one that the documentation follows. Without dumps, those of the documentation are taken.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from nirls.ir.mesa_test import Expectation, mesa_api, unit_test
from nirls.ir.text.parse import parse_dump
from tools.corpus.archive import corpus_folder
from tools.libnir.build import build_folder
from tools.libnir.compiled import LibnirCompiler, object_of

FAULT: Final = (
    "nir_opt_constant_folding.c",
    "load_const->value[alu->src[i].swizzle[j]]",
    "load_const->value[alu->src[i].swizzle[0]]",
)
"""The source that is changed, its text, and what is there instead: all components read the first one's."""

DUMPS: Final = (
    *("three_equirect_tone/modern/frag.raw.nir", "three_equirect_tone/modern/vert.raw.nir"),
    *("three_toon_gradient/modern/frag.raw.nir", "three_toon_gradient/modern/vert.raw.nir"),
    *("threex_Sky_SkyShader/modern/vert.raw.nir", "threex_Water_WaterShader/modern/frag.raw.nir"),
    "threex_Water_WaterShader/modern/vert.raw.nir",
)
"""Shaders of three.js in the corpus' pipelines, whose log has 40,000 lines and shows the fault once."""

_PASSES: Final = """\
static void run_passes(nir_shader *nir)
{
   bool progress = false;

   nir_print_shader(nir, stdout);
   NIR_PASS(progress, nir, nir_lower_variable_initializers, nir_var_function_temp);
   NIR_PASS(progress, nir, nir_lower_returns);
   NIR_PASS(progress, nir, nir_inline_functions);
   NIR_PASS(progress, nir, nir_opt_deref);
   NIR_PASS(progress, nir, nir_lower_global_vars_to_local);
   NIR_PASS(progress, nir, nir_split_var_copies);
   NIR_PASS(progress, nir, nir_split_struct_vars, nir_var_function_temp);
   NIR_PASS(progress, nir, nir_lower_var_copies);
   NIR_PASS(progress, nir, nir_lower_vars_to_ssa);
   do {
      progress = false;
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_remove_phis);
      NIR_PASS(progress, nir, nir_opt_dce);
      NIR_PASS(progress, nir, nir_opt_dead_cf);
      NIR_PASS(progress, nir, nir_opt_cse);
      NIR_PASS(progress, nir, nir_opt_algebraic);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      NIR_PASS(progress, nir, nir_opt_undef);
   } while (progress);
   NIR_PASS(progress, nir, nir_lower_alu_to_scalar, NULL, NULL);
   do {
      progress = false;
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_dce);
      NIR_PASS(progress, nir, nir_opt_cse);
      NIR_PASS(progress, nir, nir_opt_algebraic);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
   } while (progress);
}
"""
_BUILT: Final = '   nir_validate_shader(b->shader, "after building");\n'
_SOURCE: Final = re.compile(rb"^source_blake3: (\{.*\})$", re.MULTILINE)
_NAME: Final = re.compile(rb"^name: ([\w.-]+)$", re.MULTILINE)
_OF_GTEST: Final = re.compile(rb"^(?:Running main\(\) .*|\[.*)\n", re.MULTILINE)
_SECONDS: Final = 300.0


def program_source(dumps: Sequence[tuple[str, bytes]], passes: str = _PASSES) -> str:
    """Return the program that builds dumps and runs the passes on each, in order.

    Each dump has a name, which is that of its shader if it has none. `passes` is C++ that defines
    `run_passes(nir_shader *)`. Raises NotBuildableError.
    """
    tests = [_test(number, name, text) for number, (name, text) in enumerate(dumps)]
    return "\n".join(['#include "nir_test.h"', "", passes, *tests])


def _test(number: int, name: str, text: bytes) -> str:
    shader = parse_dump(text)
    test = unit_test(shader, None, Expectation(shader), mesa_api("25.0"), f"shader_{number}").text
    named, source = _NAME.search(text), _SOURCE.search(text)
    called = named.group(1).decode() if named else re.sub(r"[^\w.-]", "_", name)
    lines = [test[: test.index(_BUILT)] + _BUILT]
    lines.append(f'   b->shader->info.name = ralloc_strdup(b->shader, "{called}");')
    if source is not None:
        lines.append(f"   static const uint32_t source[] = {source.group(1).decode()};")
        lines.append("   memcpy(b->shader->info.source_blake3, source, sizeof(source));")
    return "\n".join([*lines, "   run_passes(b->shader);", "}", ""])


def pass_log(dumps: Sequence[tuple[str, bytes]], compiler: LibnirCompiler) -> bytes:
    """Return what Mesa prints: each dump, and the shader after every pass that changed it."""
    return printed_by(compiler.program("pass_log", program_source(dumps)))


def printed_by(program: Path, tests: str = "*", settings: Mapping[str, str] = MappingProxyType({})) -> bytes:
    """Run tests of a program, with settings in the environment, and return what Mesa prints.

    Raises CalledProcessError, with what was printed, and TimeoutExpired.
    """
    done = subprocess.run(
        [str(program), "--gtest_brief=1", "--gtest_color=no", f"--gtest_filter={tests}"],
        env={**os.environ, "NIR_DEBUG": "print", **settings},
        stdout=subprocess.PIPE,
        timeout=_SECONDS,
        check=True,
    )
    return _OF_GTEST.sub(b"", done.stdout)


def faulty_compiler(build: Path, work: Path) -> LibnirCompiler:
    """Return a compiler whose programs have the fault."""
    return LibnirCompiler(build, work, [object_of(build, work, *FAULT)])


def named_dumps(files: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Read files with one dump each, which are called as their pipelines: two folders above."""
    return [(file.absolute().parent.parent.name, file.read_bytes()) for file in files]


def main() -> int:
    """Write the log, and return the exit status: 1 if the library is not there."""
    arguments = argparse.ArgumentParser(prog="python -m tools.libnir.pass_log", description=__doc__)
    arguments.add_argument("dumps", nargs="*", type=Path)
    arguments.add_argument("--faulty", action="store_true", help="with the fault in one pass")
    options = arguments.parse_args()
    build = build_folder()
    if build is None:
        print("libnir is not there: run make mesa", file=sys.stderr)
        return 1
    files = options.dumps or [corpus_folder() / "pipelines" / name for name in DUMPS]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        compiler = faulty_compiler(build, work) if options.faulty else LibnirCompiler(build, work)
        sys.stdout.buffer.write(pass_log(named_dumps(files), compiler))
    return 0


if __name__ == "__main__":
    sys.exit(main())
