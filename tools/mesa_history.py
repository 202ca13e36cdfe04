"""Merge the opcode and intrinsic tables of every Mesa release before 25.2 into ir/tables/.

    python -m tools.mesa_history ~/src/mesa

The argument is a Git directory of Mesa, with or without a work tree. The table of a release is that of the
last commit before its branch left the main line, where VERSION is raised. It comes from running Mesa's own
table modules, and before 2018 from `nir_intrinsics.h` by the C preprocessor `cc`. Forms of no release are
dropped from the tables; names of sources stay. Other releases are merged by `tools.mesa_tables`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nirls.ir.tables.entries import Intrinsic, Opcode
from nirls.ir.tables.releases import RELEASES
from nirls.ir.tables.rows import format_intrinsic, format_opcode, parse_intrinsic, parse_opcode
from tools.mesa_tables import (
    TABLES,
    Facts,
    facts_of_mesa,
    intrinsic_of,
    merge,
    opcode_of,
    read_rows,
    write_forms,
    write_rows,
)

# Development versions whose release got another name.
_RENAMED = {
    "10.7": "11.0",
    "11.3": "12.0",
    "12.1": "13.0",
    "13.1": "17.0",
    "17.4": "18.0",
    "21.4": "22.0",
    "22.4": "23.0",
}
_FOLDERS = ("src/compiler/nir", "src/glsl/nir")
_BOOL1_SINCE = RELEASES.index("19.0")


def branch_points(repository: Path) -> dict[str, str]:
    """The last commit of each release's series on the main line, and of the unfinished one, oldest first."""
    log = _git(repository, "log", "--first-parent", "--reverse", "--format=%H", "HEAD", "--", "VERSION")
    commits = log.split()
    points: dict[str, str] = {}
    for commit, following in zip(commits, [*commits[1:], ""], strict=True):
        series = ".".join(_git(repository, "show", f"{commit}:VERSION").split(".")[:2])
        points[_RENAMED.get(series, series)] = f"{following}^" if following else "HEAD"
    return {release: points[release] for release in RELEASES if release in points}


def facts_of_commit(repository: Path, commit: str) -> Facts:
    """The tables of a commit, with the present spelling of what older ones spell in another way."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        target = tree / _FOLDERS[0]
        target.mkdir(parents=True)
        header = ""
        for source in _FOLDERS:
            listing = _git(repository, "ls-tree", "--name-only", commit, f"{source}/").splitlines()
            for name in ("nir_opcodes.py", "nir_intrinsics.py"):
                if f"{source}/{name}" in listing:
                    (target / name).write_text(_git(repository, "show", f"{commit}:{source}/{name}"))
            if f"{source}/nir_intrinsics.h" in listing and f"{source}/nir_intrinsics.py" not in listing:
                header = _git(repository, "show", f"{commit}:{source}/nir_intrinsics.h")
        if header:
            (target / "nir_intrinsics.py").write_text("INTR_OPCODES = {}\n")
        facts = facts_of_mesa(tree)
    if header:
        return {"opcodes": facts["opcodes"], "intrinsics": intrinsics_of_header(header)}
    return facts


_ENTRY = (
    "#define INTRINSIC(name, num_srcs, src, has_dest, dest, num_variables, num_indices, ...)"
    " @@ name | src | has_dest | dest | num_srcs | num_indices | __VA_ARGS__\n"
    "#define LAST_INTRINSIC(...)\n"
)


def intrinsics_of_header(header: str) -> dict[str, dict[str, Any]]:
    """The entries of `nir_intrinsics.h`; indices have no names before they have a column of their own."""
    text = subprocess.run(
        ["cc", "-E", "-P", "-x", "c", "-"], input=_ENTRY + header, capture_output=True, text=True, check=True
    ).stdout
    entries: dict[str, dict[str, Any]] = {}
    for entry in text.split("@@")[1:]:
        name, sources, has_dest, dest, num_sources, num_indices, rest = entry.split("|", 6)
        *indices, flags = rest.split(",")
        count = _sum(num_indices)
        names = [_index_name(index.strip()) for index in indices if index.strip() != "xx"][:count]
        words = sorted(re.findall(r"NIR_INTRINSIC_(CAN_\w+)", flags))
        entries[name.strip()] = {
            "src_components": [int(width) for width in re.findall(r"\d+", sources)][: _sum(num_sources)],
            "has_dest": has_dest.strip() == "true",
            "dest_components": int(dest),
            "indices": names if names else [""] * count,
            "flags": words,
            "bit_sizes": [],
        }
    return entries


def _sum(text: str) -> int:
    """The value of an expression such as `0 + 1`, which the macros of loads have."""
    return sum(map(int, text.split("+")))


def _index_name(word: str) -> str:
    name = word.removeprefix("NIR_INTRINSIC_").lower()
    return "write_mask" if name == "wrmask" else name


class History:
    """The tables while releases are merged, from the newest to the oldest.

    What older releases do not state of a form, as whether it is a system value, is taken from newer ones.
    """

    def __init__(self, opcodes: list[Opcode], intrinsics: list[Intrinsic]) -> None:
        self.opcodes = opcodes
        self.intrinsics = intrinsics

    def add(self, release: str, facts: Facts) -> None:
        """Merge the tables of a release."""
        is_bool1 = RELEASES.index(release) >= _BOOL1_SINCE
        conversions = {entry.name for entry in self.opcodes if entry.is_conversion}
        self.opcodes = merge(
            self.opcodes,
            [
                opcode_of(name, _present_opcode(name, data, conversions, is_bool1))
                for name, data in facts["opcodes"].items()
            ],
            release,
        )
        newest: dict[str, Intrinsic] = {}
        for entry in self.intrinsics:
            newest.setdefault(entry.name, entry)
        self.intrinsics = merge(
            self.intrinsics,
            [
                intrinsic_of(name, _present_intrinsic(name, data, newest.get(name)))
                for name, data in facts["intrinsics"].items()
            ],
            release,
        )


def _present_opcode(
    name: str, data: Mapping[str, Any], conversions: set[str], is_bool1: bool
) -> dict[str, Any]:
    def present(type_name: str) -> str:
        type_name = type_name.replace("unsigned", "uint")
        return "bool1" if type_name.startswith("bool") and not is_bool1 else type_name

    words = ["2src_commutative" if word == "commutative" else word for word in data["algebraic_properties"]]
    return {
        **data,
        "input_types": [present(type_name) for type_name in data["input_types"]],
        "output_type": present(data["output_type"]),
        "algebraic_properties": words,
        "is_conversion": data.get("is_conversion", name in conversions),
    }


def _present_intrinsic(name: str, data: Mapping[str, Any], newest: Intrinsic | None) -> dict[str, Any]:
    indices = [_index_name(index) for index in data["indices"]]
    if not all(indices):
        indices = list(_unstated_indices(name, newest)[: len(indices)])
    return {
        **data,
        "indices": indices,
        "sysval": data.get("sysval", newest is not None and newest.is_sysval),
    }


def _unstated_indices(name: str, newest: Intrinsic | None) -> tuple[str, ...]:
    """The indices of the releases up to 11.1, which the comments of their headers explain."""
    if name.startswith("store_ssbo"):
        return "base", "write_mask"
    if name.startswith(("load_", "store_")) or newest is None:
        return "base", "range"
    return newest.indices


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("repository", type=Path, help="a Git directory of Mesa")
    parser.add_argument("--tables", type=Path, default=TABLES, help="the folder of the tables")
    arguments = parser.parse_args()

    folder: Path = arguments.tables
    opcode_head, opcodes = read_rows(folder / "opcodes.txt", parse_opcode)
    intrinsic_head, intrinsics = read_rows(folder / "intrinsics.txt", parse_intrinsic)
    history = History(opcodes, intrinsics)
    for release, commit in reversed(branch_points(arguments.repository).items()):
        history.add(release, facts_of_commit(arguments.repository, commit))
        print(release, len(history.opcodes), len(history.intrinsics))
    write_rows(folder / "opcodes.txt", opcode_head, history.opcodes, format_opcode)
    write_rows(folder / "intrinsics.txt", intrinsic_head, history.intrinsics, format_intrinsic)
    write_forms(history.opcodes, history.intrinsics)


if __name__ == "__main__":
    main()
