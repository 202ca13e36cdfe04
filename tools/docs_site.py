"""The pages of the documentation that follow from the code, for mkdocs (a hook of `mkdocs.yml`).

Findings come from the pages beside the passes, passes from their declarations with an example that is run
while the site is built, settings from the VS Code extension's manifest, the command line from its own help,
editors from the READMEs beside them.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.testing import CliRunner

from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.varyings.interface.driver_profiles import DRIVER_PROFILES
from nirls.server.cli.app import app
from nirls.server.engine.checks.finding_codes import finding_codes
from nirls.server.ide import rule_pages
from tools.rule_page import RulePage

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = PROJECT / "docs" / "examples"
EDITORS = {
    "vscode": "VS Code",
    "neovim": "Neovim",
    "emacs": "Emacs",
    "helix": "Helix",
    "vim": "Vim",
    "github": "Code review, pre-commit, shells",
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the generated pages where the navigation names their folder."""
    names: dict[str, list[Any]] = {
        "editors/": [{title: f"editors/{name}.md"} for name, title in EDITORS.items()],
        "findings/": ["findings/index.md", *(f"findings/{code}.md" for code in finding_codes(_passes()))],
        "passes/": ["passes/index.md", *(f"passes/{declared.name}.md" for declared in _passes())],
    }
    config.nav = _with_folders(config.nav, names)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for uri, text in pages().items():
        files.append(File.generated(config, uri, content=text))
    return files


def pages() -> dict[str, str]:
    """Every generated page, by its place below `docs`."""
    return {
        **_editor_pages(),
        **_finding_pages(),
        **_pass_pages(),
        "dev/contributing.md": _top_level_page("CONTRIBUTING.md"),
        "dev/changelog.md": _top_level_page("CHANGELOG.md"),
        "commands.md": _commands(),
        "settings.md": _settings(),
        "drivers.md": _drivers(),
    }


def _drivers() -> str:
    """The driver profiles: a table of values, and one of sources for each."""
    columns = [profile.rows() for profile in DRIVER_PROFILES]
    head = ["option", *(profile.name for profile in DRIVER_PROFILES)]
    values = [[f"`{rows[0][0]}`", *(value for _, value, _ in rows)] for rows in zip(*columns, strict=True)]
    parts = [_DRIVERS_INTRO, "## Values", _table([head, *values]), "## Sources"]
    for profile in DRIVER_PROFILES:
        sources = [[f"`{name}`", source] for name, _, source in profile.rows()]
        parts += [f"### {profile.name}", _table([["option", "source"], *sources])]
    return "\n\n".join(parts) + "\n"


def _table(rows: list[list[str]]) -> str:
    """Markdown of a table; the first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "| --- " * len(rows[0]) + "|")
    return "\n".join(lines)


_DRIVERS_INTRO = """\
# Driver profiles

A driver profile says what a Mesa driver allows and requires for linking: how costly an expression may be that
moves into the next stage, whether components of a vec4 slot may have different interpolation, whether
varyings may have 16 bits, and so on. `opt_varyings`, `opt_varyings_dead_io` and `link_potential` follow the
profile.

The profile is, in this order: `--driver` of `nirls check` and `nirls opt`, the setting `nirls.driver` of an
editor, `driver` in `nirls.toml`, what the log gives away (the driver's name in the text between dumps,
intrinsics of its backend), and `generic`. An option of a pass that is given overrides the value of the
profile. The link status in editors, the hover on `shader:` and `nirls check -v` say which profile holds,
and why.

Costs are in units of a 32-bit FMA; 0 moves constants only. Geometry shaders have limits for input
primitives of one, two and more vertices."""


def _passes() -> tuple[type[Pass], ...]:
    return registry.all_passes()


def _with_folders(nav: Any, names: Mapping[str, list[Any]]) -> Any:
    if isinstance(nav, list):
        return [_with_folders(entry, names) for entry in nav]
    if isinstance(nav, dict):
        return {title: _with_folders(entry, names) for title, entry in nav.items()}
    return names.get(nav, nav)


def _editor_pages() -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in EDITORS:
        text = (PROJECT / "editors" / name / "README.md").read_text(encoding="utf-8")
        # Links to files of the repository lead nowhere on the site.
        texts[f"editors/{name}.md"] = re.sub(r"!?\[([^\]]*)\]\((?!https?://|#)([^)]*)\)", r"\1 (`\2`)", text)
    return texts


def _top_level_page(name: str) -> str:
    """A page of the repository's top folder, with links that work in `docs/dev`."""
    text = (PROJECT / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/(?:dev/)?", lambda link: "](" if "dev" in link[0] else "](../", text)
    return re.sub(r"\]\((CONTRIBUTING|CHANGELOG)\.md", lambda link: f"]({link[1].lower()}.md", text)


def _finding_pages() -> dict[str, str]:
    codes = finding_codes(_passes())
    texts = {f"findings/{code}.md": rule_pages.page_text(code) for code in codes}
    return {"findings/index.md": rule_pages.index_text(), **texts}


def _pass_pages() -> dict[str, str]:
    rows = "".join(
        f"| [{declared.name}]({declared.name}.md) | {declared.summary} | "
        f"{'linked stages' if declared.scope == 'pipeline' else 'one shader'} |\n"
        for declared in _passes()
    )
    index = (
        "# Passes\n\n"
        "Names are Mesa's own where Mesa has the pass. `nirls opt -p NAME` runs one, `nirls passes` lists "
        f"them with their options.\n\n| pass | what | on |\n| --- | --- | --- |\n{rows}"
    )
    return {"passes/index.md": index} | {f"passes/{pass_.name}.md": pass_page(pass_) for pass_ in _passes()}


def pass_page(declared: type[Pass]) -> str:
    """The page of a pass: what it does, on what, its options, what it reports, and an example."""
    where = "linked stages" if declared.scope == "pipeline" else "one shader"
    if declared.stages is not None:
        where += " of stage " + ", ".join(sorted(stage.abbreviation for stage in declared.stages))
    parts = [f"# {declared.name}\n", f"{declared.summary}.\n", f"Runs on {where}.\n"]
    documentation = inspect.getdoc(importlib.import_module(declared.__module__))
    if documentation:
        parts.append(documentation + "\n")
    if declared.codes:
        reports = "".join(
            f"- [{code.code}](../findings/{code.code}.md): {code.title}\n" for code in declared.codes
        )
        parts.append(f"## Findings\n\n{reports}")
    if declared.options():
        rows = "".join(
            f"| `{option.name}` | `{_shown(option.default)}` | {option.help} |\n"
            for option in declared.options()
        )
        parts.append(
            "## Options\n\nOn the command line `-o NAME=VALUE`; in `nirls.toml` under "
            f"`[options.{declared.name}]`.\n\n| option | default | what |\n| --- | --- | --- |\n{rows}"
        )
    example = example_text(declared)
    if example is not None:
        shown = f"```diff\n{diff(declared, example)}```\n"
        parts.append(f"## Example\n\n`nirls opt -p {declared.name} --diff` prints\n\n{shown}")
    return "\n".join(parts)


def example_text(declared: type[Pass]) -> str | None:
    """The dumps that the pass is shown on.

    They are an example of its own, or of its first finding with a fix, or the one of all clean-up passes.
    """
    own = EXAMPLES / f"{declared.name}.nir"
    if own.exists():
        return own.read_text(encoding="utf-8")
    for code in declared.codes:
        page = RulePage(rule_pages.page_text(code.code))
        # A pass that only reports has fixes of another one.
        if page.fix_title is not None and diff(declared, page.example.text):
            return page.example.text
    is_clean_up = declared.__module__.startswith("nirls.passes.cleanup")
    if is_clean_up or declared.name == "convert_from_ssa":
        return (EXAMPLES / "clean_up.nir").read_text(encoding="utf-8")
    return None


def diff(declared: type[Pass], text: str) -> str:
    """Return the changes of a pass, with its default options, to a text, as a unified diff without a head."""
    ran = CliRunner().invoke(app, ["opt", "-p", declared.name, "--diff", "-"], input=text)
    if ran.exit_code != 0:
        raise ValueError(f"{declared.name} cannot be run on its example: {ran.output}")
    return "".join(ran.stdout.splitlines(keepends=True)[2:])


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


def _commands() -> str:
    arguments = ["-m", "typer", "nirls.server.cli.app", "utils", "docs", "--name", "nirls"]
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    return done.stdout.replace("# `nirls`", "# Commands", 1)


def _settings() -> str:
    manifest = json.loads((PROJECT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    return (
        "# Settings\n\n"
        "Editors hand the section `nirls` of their settings to the server; these are its keys, with the "
        "defaults. In a project, `nirls.toml` says the same for everybody: `[passes]`, `[severity]`, "
        "`[options.PASS]`, and `[[pipeline]]` for what is linked. An editor's settings go over it, key by "
        "key; what is wrong with the file is shown in it. Of several workspace folders each has the "
        "settings that the editor has for that folder.\n\n" + "\n".join(_setting_sections(manifest))
    )


def _setting_sections(manifest: Mapping[str, Any]) -> Iterable[str]:
    configuration = manifest["contributes"]["configuration"]
    sections = configuration if isinstance(configuration, list) else [configuration]
    for section in sections:
        for name, schema in section["properties"].items():
            description = schema.get("markdownDescription") or schema.get("description", "")
            # VS Code's own links to other settings: `#nirls.path#`.
            description = re.sub(r"`#([\w.]+)#`", r"`\1`", description)
            default = json.dumps(schema.get("default"))
            yield f"## `{name}`\n\n{description}\n\nDefault: `{default}`.\n"
            choices = schema.get("properties")
            if choices:
                rows = "".join(
                    f"| `{key}` | {value.get('description', '')} |\n" for key, value in choices.items()
                )
                yield f"| key | what |\n| --- | --- |\n{rows}"
