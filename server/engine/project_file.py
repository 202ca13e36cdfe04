"""`nirls.toml`: pipelines, severities, passes and options of a workspace. It is data only, never code.

[[pipeline]]
name = "terrain"
vert = "terrain.vert.nir"
frag = "debug.log#12"       # the twelfth dump of the file

[severity]
dead-output = "hint"        # error, warning, information, hint or off

[passes]
opt_varyings_dead_io = true

[options.opt_varyings]
NAME = VALUE
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nirls.ir.finding import Severity
from nirls.ir.model.stage import Stage

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
"""The stage words of `nirls.toml` and of file names, in pipeline order."""

_LARGEST = 1 << 20
"""Bytes; what is larger is no project file."""

_TABLES = ("pipeline", "severity", "passes", "options")


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something wrong with the file. `key` is where (`pipeline[0].vert`), `line` counts from 0 if known.

    The part of the file that it is about is ignored, the rest is used.
    """

    message: str
    key: str = ""
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


@dataclass(frozen=True, slots=True)
class DumpReference:
    """A dump that a pipeline names: a file within the workspace, and which dump of it, counted from 1.

    `number` is None where the reference names none: then it is the file's last dump of the stage.
    """

    path: Path
    number: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredPipeline:
    """One `[[pipeline]]` of the file; the stages in pipeline order."""

    name: str
    members: tuple[tuple[Stage, DumpReference], ...]


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """The contents of a `nirls.toml`, checked. The default is that of a workspace without one."""

    path: Path | None = None
    pipelines: tuple[DeclaredPipeline, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    passes: Mapping[str, bool] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    problems: tuple[ConfigProblem, ...] = ()


def read_project_file(path: Path) -> ProjectFile:
    """Read and check a file. Never raises: what is wrong with it is in `problems`."""
    try:
        if path.stat().st_size > _LARGEST:
            return ProjectFile(path, problems=(ConfigProblem(f"is larger than {_LARGEST} bytes"),))
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return ProjectFile(path, problems=(ConfigProblem(f"cannot be read: {error}"),))
    return parse_project_file(text, path)


def parse_project_file(text: str, path: Path) -> ProjectFile:
    """The contents of a file that would lie at `path`; its folder is the workspace."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return ProjectFile(path, problems=(ConfigProblem(f"not valid TOML: {error}", line=_line_of(error)),))
    except RecursionError:
        return ProjectFile(path, problems=(ConfigProblem("nested too deeply"),))
    return _Reader(path).read(tables)


def find_project_file(start: Path) -> Path | None:
    """The `nirls.toml` of the folder of `start` or of the nearest folder above that has one.

    A link to a file elsewhere is none: it would have that file read.
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


class _Reader:
    """Turns the tables into a `ProjectFile`, and notes what is wrong with them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = path.parent.resolve()
        self.problems: list[ConfigProblem] = []

    def read(self, tables: Mapping[str, object]) -> ProjectFile:
        for name in tables:
            if name not in _TABLES:
                self._problem(name, f"unknown; the tables are {', '.join(_TABLES)}")
        return ProjectFile(
            self.path,
            self._pipelines(tables.get("pipeline", [])),
            self._severities(self._table(tables, "severity")),
            self._passes(self._table(tables, "passes")),
            self._options(self._table(tables, "options")),
            tuple(self.problems),
        )

    def _problem(self, key: str, message: str) -> None:
        self.problems.append(ConfigProblem(message, key))

    def _table(self, tables: Mapping[str, object], name: str) -> Mapping[str, object]:
        table = tables.get(name, {})
        if isinstance(table, dict):
            return table
        self._problem(name, f"must be a table: [{name}]")
        return {}

    def _pipelines(self, entries: object) -> tuple[DeclaredPipeline, ...]:
        if not isinstance(entries, list):
            self._problem("pipeline", "must be an array of tables: [[pipeline]]")
            return ()
        found: list[DeclaredPipeline] = []
        for index, entry in enumerate(entries):
            pipeline = self._pipeline(f"pipeline[{index}]", entry)
            if pipeline is None:
                continue
            if any(other.name == pipeline.name for other in found):
                self._problem(f"pipeline[{index}].name", f"there is a pipeline {pipeline.name!r} already")
                continue
            found.append(pipeline)
        return tuple(found)

    def _pipeline(self, key: str, entry: object) -> DeclaredPipeline | None:
        if not isinstance(entry, dict):
            self._problem(key, "must be a table")
            return None
        name = entry.get("name")
        if not isinstance(name, str) or not name:
            self._problem(f"{key}.name", "must be a text that names the pipeline")
            return None
        for word in entry:
            if word != "name" and word not in STAGE_KEYS:
                self._problem(f"{key}.{word}", f"unknown; the stages are {', '.join(STAGE_KEYS)}")
        members = []
        for word, stage in STAGE_KEYS.items():
            if word in entry:
                reference = self._reference(f"{key}.{word}", entry[word])
                if reference is not None:
                    members.append((stage, reference))
        if len(members) < 2:
            self._problem(key, "a pipeline needs two stages at least")
            return None
        return DeclaredPipeline(name, tuple(members))

    def _reference(self, key: str, value: object) -> DumpReference | None:
        if not isinstance(value, str) or not value:
            self._problem(key, 'must be a text: "path" or "path#number"')
            return None
        path_text, mark, number_text = value.rpartition("#")
        if not mark:
            path_text, number_text = value, ""
        if mark and (not number_text.isdecimal() or int(number_text) < 1):
            self._problem(key, f"{number_text!r} after # is not the number of a dump, counted from 1")
            return None
        try:
            path = (self.root / path_text).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            self._problem(key, f"{path_text!r} is not a path: {error}")
            return None
        if not path.is_relative_to(self.root):
            self._problem(key, f"{path_text!r} lies outside of the workspace and is ignored")
            return None
        return DumpReference(path, int(number_text) if mark else None)

    def _severities(self, table: Mapping[str, object]) -> dict[str, Severity]:
        words = {severity.value: severity for severity in Severity}
        found: dict[str, Severity] = {}
        for code, word in table.items():
            severity = words.get(word) if isinstance(word, str) else None
            if severity is None:
                self._problem(f"severity.{code}", f"must be one of {', '.join(words)}")
            else:
                found[code] = severity
        return found

    def _passes(self, table: Mapping[str, object]) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for name, value in table.items():
            if isinstance(value, bool):
                found[name] = value
            else:
                self._problem(f"passes.{name}", "must be true or false")
        return found

    def _options(self, table: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
        found: dict[str, Mapping[str, object]] = {}
        for name, value in table.items():
            if isinstance(value, dict):
                found[name] = value
            else:
                self._problem(f"options.{name}", f"must be a table: [options.{name}]")
        return found
