"""`nirls.toml`: pipelines, severities, passes and options of a workspace. It is data only, never code.

[[pipeline]]
name = "terrain"
vert = "terrain.vert.nir"
frag = "debug.log#12"       # the twelfth dump of the file

[severity]
dead-output = "hint"        # error, warning, information, hint or off

[passes]
opt_varyings_dead_io = true
inline_uniforms = "off"     # or a severity for all findings of the pass

[options.opt_varyings]
NAME = VALUE

Keys above the tables: `driver = "radv"` names the driver profile of the passes that link stages, and
`profile = "quiet"` how much is reported: quiet, normal or everything.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cattrs import Converter

from nirls.ir.finding import Severity
from nirls.ir.model.stage import Stage
from nirls.passes.declaration import OptionValue
from nirls.passes.varyings.interface.driver_profiles import DETECT, NAMES
from nirls.server.engine.settings.structuring import ConfigProblem, converter, structure

FILE_NAME = "nirls.toml"

STAGE_KEYS: Mapping[str, Stage] = {
    "task": Stage.TASK,
    "mesh": Stage.MESH,
    "vert": Stage.VERTEX,
    "tesc": Stage.TESS_CTRL,
    "tese": Stage.TESS_EVAL,
    "geom": Stage.GEOMETRY,
    "frag": Stage.FRAGMENT,
}
"""Stage words of `nirls.toml` and of file names, in pipeline order."""

_LARGEST = 1 << 20
"""Size limit in bytes."""

_COUNT = re.compile(r"0*[1-9]\d{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DumpReference:
    """Reference to a dump in a `[[pipeline]]`: a file within the workspace and a dump number from 1.

    If `number` is None, the reference means the file's last dump of the stage.
    """

    path: Path
    number: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredPipeline:
    """One valid `[[pipeline]]` of the file; stages in pipeline order."""

    name: str
    members: tuple[tuple[Stage, DumpReference], ...]


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """Validated contents of a `nirls.toml`."""

    path: Path
    pipelines: tuple[DeclaredPipeline, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    passes: Mapping[str, bool | Severity] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    driver: str = DETECT
    profile: Literal["quiet", "normal", "everything"] = "normal"
    problems: tuple[ConfigProblem, ...] = ()


def read_project_file(path: Path) -> ProjectFile:
    """Read and validate a file. Never raises: errors are returned in `problems`."""
    try:
        if path.stat().st_size > _LARGEST:
            return ProjectFile(path, problems=(ConfigProblem(f"is larger than {_LARGEST} bytes"),))
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return ProjectFile(path, problems=(ConfigProblem(f"cannot be read: {error}"),))
    return parse_project_file(text, path)


def parse_project_file(text: str, path: Path) -> ProjectFile:
    """Parse and validate the text of a project file; the folder of `path` is the workspace."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return ProjectFile(path, problems=(ConfigProblem(f"not valid TOML: {error}", line=_line_of(error)),))
    except ValueError:
        return ProjectFile(path, problems=(ConfigProblem("not valid TOML: a number has too many digits"),))
    except RecursionError:
        return ProjectFile(path, problems=(ConfigProblem("nested too deeply"),))
    found, problems = structure(tables, _Tables, _converter_for(path.parent.resolve()))
    pipelines: dict[str, DeclaredPipeline] = {}
    for index, entry in enumerate(found.pipeline):
        if entry is None:
            continue
        members = tuple(
            (stage, reference)
            for word, stage in STAGE_KEYS.items()
            if isinstance(reference := getattr(entry, word), DumpReference)
        )
        if not entry.name:
            if not any(problem.key == f"pipeline[{index}].name" for problem in problems):
                problems.append(ConfigProblem("must be text that is not empty", f"pipeline[{index}].name"))
        elif entry.name in pipelines:
            message = f"there is a pipeline {entry.name!r} already"
            problems.append(ConfigProblem(message, f"pipeline[{index}].name"))
        elif len(members) < 2:
            problems.append(ConfigProblem("a pipeline needs two stages at least", f"pipeline[{index}]"))
        else:
            pipelines[entry.name] = DeclaredPipeline(entry.name, members)
    driver = found.driver
    if driver not in (DETECT, *NAMES):
        problems.append(ConfigProblem(f"must be one of {', '.join((DETECT, *NAMES))}", "driver"))
        driver = DETECT
    return ProjectFile(
        path,
        tuple(pipelines.values()),
        found.severity,
        found.passes,
        found.options,
        driver,
        found.profile,
        tuple(problems),
    )


@dataclass(frozen=True, slots=True)
class _PipelineTable:
    """One raw `[[pipeline]]`; the stages are those of `STAGE_KEYS`."""

    name: str = ""
    task: DumpReference | None = None
    mesh: DumpReference | None = None
    vert: DumpReference | None = None
    tesc: DumpReference | None = None
    tese: DumpReference | None = None
    geom: DumpReference | None = None
    frag: DumpReference | None = None


@dataclass(frozen=True, slots=True)
class _Tables:
    """The raw file. Invalid entries of `pipeline` are None."""

    pipeline: list[_PipelineTable | None] = field(default_factory=list)
    severity: dict[str, Severity] = field(default_factory=dict)
    passes: dict[str, bool | Severity] = field(default_factory=dict)
    options: dict[str, dict[str, OptionValue]] = field(default_factory=dict)
    driver: str = DETECT
    profile: Literal["quiet", "normal", "everything"] = "normal"


def _converter_for(root: Path) -> Converter:
    made = converter(forbid_extra_keys=True)
    made.register_structure_hook(DumpReference, lambda value, _: _reference(value, root))
    return made


def _reference(value: object, root: Path) -> DumpReference:
    """Parse `path` or `path#number`. Raises ValueError, also for a path outside of the workspace."""
    if not isinstance(value, str) or not value:
        raise ValueError('must be a text: "path" or "path#number"')
    path_text, mark, number_text = value.rpartition("#") if "#" in value else (value, "", "")
    if mark and not _COUNT.fullmatch(number_text):
        raise ValueError(f"{number_text[:20]!r} after # is not the number of a dump, counted from 1")
    try:
        path = (root / path_text).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path_text!r} is not a path: {error}") from None
    if not path.is_relative_to(root):
        raise ValueError(f"{path_text!r} lies outside of the workspace and is ignored")
    return DumpReference(path, int(number_text) if mark else None)


def find_project_file(start: Path) -> Path | None:
    """Find the `nirls.toml` in the folder of `start` or its nearest ancestor with one.

    Symbolic links to files outside of the folder are ignored, so that they cannot make other files be read.
    """
    folder = start if os.path.isdir(start) else start.parent
    for place in (folder, *folder.parents):
        candidate = place / FILE_NAME
        if os.path.isfile(candidate) and _is_below(candidate, place):
            return candidate
    return None


def _is_below(path: Path, folder: Path) -> bool:
    try:
        return not path.is_symlink() or path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    words = str(error).rpartition("(at line ")[2].partition(",")[0]
    return int(words) - 1 if words.isdecimal() else None
