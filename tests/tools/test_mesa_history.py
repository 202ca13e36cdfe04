from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from nirls.ir import tables
from nirls.ir.tables.releases import RELEASES, parse_releases
from tools.mesa_history import branch_points, facts_of_commit, intrinsics_of_header
from tools.mesa_tables import FORMS

HEADER = """
#define ARR(...) { __VA_ARGS__ }
#define SYSTEM_VALUE(name, components, num_indices, idx0) \\
   INTRINSIC(load_##name, 0, ARR(0), true, components, 0, num_indices, idx0, xx, xx, \\
   NIR_INTRINSIC_CAN_ELIMINATE | NIR_INTRINSIC_CAN_REORDER)
#define LOAD(name, extra_srcs) \\
   INTRINSIC(load_##name, extra_srcs + 1, ARR(1, 1), true, 0, 0, 1 + 1, 0)
/* a comment */
INTRINSIC(store_var, 1, ARR(0), false, 0, 1, 1, WRMASK, xx, xx, 0)
SYSTEM_VALUE(user_clip_plane, 4, 1, UCP_ID)
LOAD(ubo, 0 + 1)
LAST_INTRINSIC(load_ubo)
"""
OPCODES = """
for i in xrange(1): pass
class Opcode(object):
    input_sizes, input_types, output_size = [0, 0], ["float", "float"], 0
    output_type, algebraic_properties = "bool32", "commutative "
opcodes = {"feq": Opcode()}
"""

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@needs_cc
def test_intrinsics_of_a_header() -> None:
    entries = intrinsics_of_header(HEADER)
    assert list(entries) == ["store_var", "load_user_clip_plane", "load_ubo"]
    assert entries["store_var"]["src_components"] == [0]
    assert entries["store_var"]["indices"] == ["write_mask"]
    assert entries["load_user_clip_plane"]["src_components"] == []
    assert entries["load_user_clip_plane"]["dest_components"] == 4
    assert entries["load_user_clip_plane"]["flags"] == ["CAN_ELIMINATE", "CAN_REORDER"]
    # Indices of 2015 have no names.
    assert entries["load_ubo"]["indices"] == ["", ""]
    assert entries["load_ubo"]["src_components"] == [1, 1]


@needs_cc
def test_branch_points_and_tables_of_a_repository(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        options = ["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *options, "-C", str(tmp_path), *arguments], check=True, capture_output=True)

    folder = tmp_path / "src" / "glsl" / "nir"
    folder.mkdir(parents=True)
    git("init")
    for version, opcodes in (("10.6.0-devel", OPCODES), ("10.7.0-devel", ""), ("11.0.0-devel", "")):
        (tmp_path / "VERSION").write_text(version)
        (folder / "nir_opcodes.py").write_text(opcodes)
        (folder / "nir_intrinsics.h").write_text(HEADER)
        git("add", ".")
        git("commit", "-m", version)
    points = branch_points(tmp_path)
    assert list(points) == ["10.6", "11.0"]
    facts = facts_of_commit(tmp_path, points["10.6"])
    assert facts["opcodes"]["feq"]["algebraic_properties"] == ["commutative"]
    assert list(facts["intrinsics"]) == ["store_var", "load_user_clip_plane", "load_ubo"]


def test_the_tables_hold_every_form_of_every_release() -> None:
    counts = dict.fromkeys(RELEASES, 0)
    for line in FORMS.read_text(encoding="utf-8").splitlines():
        name, signature, indices, releases = (field.strip() for field in line.split("|"))
        if name.startswith("@"):
            known = tables.intrinsic(name[1:])
            assert known is not None, name
            forms = {
                release: (
                    ",".join(map(str, form.src_components)),
                    str(form.dest_components if form.has_dest else "-"),
                    ",".join(form.indices),
                )
                for form in known.forms()
                for release in form.releases
            }
            sources, _, dest = signature.partition("->")
            wanted = (sources.strip(), dest.strip(), indices)
        else:
            entry = tables.opcode(name)
            assert entry is not None, name
            forms = {
                release: (tuple(zip(form.input_types, form.input_sizes, strict=True)), form.output_size)
                for form in entry.forms()
                for release in form.releases
            }
            inputs, _, output = signature.partition("->")
            wanted = (
                tuple(_typed(text) for text in inputs.split(",") if text.strip()),
                _typed(output)[1],
            )
        for release in parse_releases(releases):
            assert forms[release] == wanted, (name, release)
            counts[release] += 1
    # No release is missing, and none has lost much of the one before it.
    assert min(counts.values()) > 190
    assert all(counts[new] > 0.85 * counts[old] for old, new in pairwise(RELEASES))


def _typed(text: str) -> tuple[str, int]:
    type_name, bracket, size = text.strip().partition("[")
    return type_name, int(size.rstrip("]")) if bracket else 0


@pytest.mark.parametrize(
    ("name", "num_sources", "releases"),
    [
        ("mbcnt_amd", 1, "19.2-21.1"),
        ("load_buffer_amd", 3, "21.1-22.2"),
        ("store_buffer_amd", 4, "21.1-22.2"),
        ("store_combined_output_pan", 4, "20.2-21.3"),
        ("load_raw_output_pan", 0, "19.2-20.1"),
        ("image_deref_atomic_fadd", 5, "18.3-20.1"),
        ("bar_break_nv", 1, "24.0"),
        ("resource_intel", 3, "23.2-24.0"),
        ("load_coefficients_agx", 0, "23.3-24.0"),
        ("store_local_pixel_agx", 2, "23.0-24.2"),
        ("load_global_const_block_intel", 1, "21.0"),
        ("scoped_memory_barrier", 0, "19.3-20.1"),
        ("vote_eq", 1, "17.2-18.0"),
        ("image_var_load", 2, "18.1"),
    ],
)
def test_forms_that_were_missing(name: str, num_sources: int, releases: str) -> None:
    entry = tables.intrinsic(name)
    assert entry is not None
    having = {
        release
        for form in entry.forms()
        if len(form.src_components) == num_sources
        for release in form.releases
    }
    assert having == set(parse_releases(releases))
