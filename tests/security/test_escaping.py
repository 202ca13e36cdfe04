"""Names from dumps are text wherever they are shown: Markdown, HTML, graphs, terminals, reports of CI."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.security.conftest import NIRLS
from tools.lsp_client import LspClient

NAMES = (
    "</script><img/src=x/onerror=alert(1)>",
    "<style>*{display:none}</style>",
    "`<b>",
    "```",
    "``[x](command:workbench.action.quit)",
    "[x](command:workbench.action.quit)",
    "![x](http://evil/)",
    "<http://evil/>",
    "http://evil.example/",
    "</text></svg><script>alert(1)</script>",
    "**<i>**",
    "&lt;b&gt;",
    "\x1b]0;owned\x07\x1b[31m",
    "\x9b31m\u202egnp.exe",
    "a\r::error::owned",
    "%0A::error::owned",
    '"];evil[label="',
    "##[add-mask]e",
)
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _io(slot: str) -> str:
    return f"component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1"


def dump_of(name: str, *, stage: str = "VERTEX") -> str:
    """A dump in which everything that can have a name has this one, and a mistake beside each."""
    if stage == "FRAGMENT":
        mode, accesses = "shader_in", f"    32x4   %3 = @load_input (%0) (base=0, {_io('VAR0')})  // {name}\n"
    else:
        stores = [f"@store_output (%4, %0) (base=0, wrmask=xyzw, {_io(slot)})" for slot in ("VAR0", "VAR7")]
        mode, accesses = "shader_out", "".join(f"                {store}  // {name}\n" for store in stores)
    return f"""\
shader: MESA_SHADER_{stage}
name: {name}
label: {name}
decl_var {mode} INTERP_MODE_NONE none vec4 {name} (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var uniform INTERP_MODE_NONE none vec4 {name}u (0, 0, 0)
decl_function {name} (1 params)
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32     %0 = load_const (0x00000000 = 0.000000)  // {name}
    32     %1 = deref_var &{name}u (uniform vec4)
    32x4   %4 = @load_deref (%1) (access=none)  // {name}
    32     %5 = fadd %0 (0.000000), %99  // {name}
    32     %6 = {name} %0
                @{name} (%0)
    call {name} %0
{accesses}                // succs: b1
    block b1:
}}
error: {name}
{name}
"""


def log_of(name: str) -> str:
    parts = (dump_of(name), f"{name}\n", dump_of(name, stage="FRAGMENT"), f"nir_{name}\n", dump_of(name))
    return "".join(parts)


LINKED_VERTEX = f"""\
shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32     %0 = load_const (0x00000000 = 0.000000)
                @store_output (%0, %0 (0x0)) (base=0, wrmask=x, {_io("VAR0")})
                // succs: b1
    block b1:
}}
"""
LINKED_FRAGMENT = f"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32     %0 = load_const (0x00000000 = 0.000000)
    32     %1 = @load_input (%0 (0x0)) (base=0, {_io("VAR0")})
    32     %2 = fneg %1
                // succs: b1
    block b1:
}}
"""


class Page(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def live_parts(markdown: str) -> list[str]:
    """What a reader of Markdown would make HTML, links or pictures of."""
    found = []
    pending = list(MarkdownIt("commonmark", {"html": True, "linkify": False}).parse(markdown))
    while pending:
        token = pending.pop()
        if token.type in ("html_block", "html_inline", "image", "link_open"):
            found.append(f"{token.type}: {token.content or token.attrs}")
        pending += token.children or ()
    return found


def markdown_in(value: Any) -> Iterator[str]:
    """Every Markdown text of an answer."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if one.get("kind") == "markdown":
                yield one["value"]
            pending += one.values()
        elif isinstance(one, list):
            pending += one


def titles_in(lenses: list[dict[str, Any]]) -> Iterator[str]:
    for lens in lenses:
        yield (lens.get("command") or {}).get("title", "")


CAPABILITIES = {
    "workspace": {"workspaceFolders": True},
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"documentationFormat": ["markdown"], "snippetSupport": True}},
        "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown"]}},
    },
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LspClient]:
    running = LspClient([NIRLS, "serve"], tmp_path_factory.mktemp("workspace"))
    running.start(CAPABILITIES)
    yield running
    running.process.kill()
    running.process.wait()


@pytest.mark.parametrize("name", NAMES)
def test_markdown_and_titles(client: LspClient, name: str) -> None:
    text = log_of(name)
    uri = client.open(client.folder / "hostile.log", text)
    document = {"textDocument": {"uri": uri}}
    shown: list[Any] = []
    lines = re.split("\r\n|\r|\n", text)
    first_dump = len(re.split("\r\n|\r|\n", dump_of(name)))
    for line in range(first_dump):
        for column in {
            *range(0, len(lines[line]), 6),
            *(match.start() for match in re.finditer("[%&@]", lines[line])),
        }:
            place = {**document, "position": {"line": line, "character": column + 1}}
            shown.append(client.request("textDocument/hover", place))
        place = {**document, "position": {"line": line, "character": len(lines[line])}}
        shown.append(client.request("textDocument/signatureHelp", place))
        completions = client.request("textDocument/completion", place)
        items = completions["items"] if isinstance(completions, dict) else completions or []
        ours = [item for item in items if name[:4] in json.dumps(item, ensure_ascii=False)]
        shown += [client.request("completionItem/resolve", item) for item in (*ours[:3], *items[:1])]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for hint in client.request("textDocument/inlayHint", {**document, "range": whole})[:10]:
        shown.append(client.request("inlayHint/resolve", hint))
    texts = list(markdown_in(shown))
    assert texts
    for markdown in texts:
        assert live_parts(markdown) == [], markdown
    lenses = [
        client.request("codeLens/resolve", one) for one in client.request("textDocument/codeLens", document)
    ]
    assert lenses
    for title in titles_in(lenses):
        # `$(name)` is an icon in VS Code, and a title has one line.
        assert not re.search(r"\$\(|[\r\n]", title), title
    client.notify("textDocument/didClose", document)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_files_and_pipelines_in_hovers(client: LspClient, tmp_path: Path, name: str) -> None:
    """Hovers say with what a varying is linked and why; the names in that are text."""
    base = "".join(character for character in name if character not in "/\0")[:60]
    texts = {"vert": LINKED_VERTEX, "frag": LINKED_FRAGMENT}
    paths = {stage: tmp_path / f"{base} {stage}.nir" for stage in texts}
    for stage, path in paths.items():
        path.write_text(texts[stage])
    stages = "".join(f"{stage} = {json.dumps(path.name + '#1')}\n" for stage, path in paths.items())
    (tmp_path / "nirls.toml").write_text(f"[[pipeline]]\nname = {json.dumps(name)}\n{stages}")
    folder = {"uri": tmp_path.as_uri(), "name": base}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    shown: list[Any] = []
    uris = [client.open(paths[stage], text) for stage, text in texts.items()]
    for uri, text in zip(uris, texts.values(), strict=True):
        document = {"textDocument": {"uri": uri}}
        for line, content in enumerate(text.split("\n")):
            for column in {0, *(match.start() + 1 for match in re.finditer("[%@]|VARYING", content))}:
                place = {**document, "position": {"line": line, "character": column}}
                shown.append(client.request("textDocument/hover", place))
    hovers = list(markdown_in(shown))
    linked = [markdown for markdown in hovers if "in the FS (" in markdown or "in the VS (" in markdown]
    assert linked, "the stages are not linked"
    for markdown in hovers:
        assert live_parts(markdown) == [], markdown
    for uri in uris:
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})


@pytest.fixture(scope="module")
def hostile_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with all the names: three dumps for each."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.log"
    path.write_bytes("".join(map(log_of, NAMES)).encode())
    return path


def run(path: Path, *arguments: str, only_output: bool = False, statuses: Collection[int] = (0, 1)) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nirls.server", *arguments],
        cwd=path.parent,
        capture_output=True,
        timeout=300,
        check=False,
        env={**ENVIRONMENT, "NO_COLOR": "1", "XDG_CACHE_HOME": str(path.parent / "cache")},
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode in statuses, done.stderr.decode()
    return (done.stdout if only_output else done.stdout + done.stderr).decode()


COMMANDS = (
    ("check", "--verbose", "LOG"),
    ("timeline", "LOG"),
    ("testcase", "LOG"),
    ("pack", "LOG"),
    ("preview", "LOG"),
    ("tcs", "LOG"),
    ("diff", "LOG#1", "LOG#2"),
    ("report", "-o", "page.html", "LOG"),
    ("check", "nothing.nir"),
    ("check", "."),
)


@pytest.fixture(scope="module")
def hostile_names(hostile_log: Path) -> Path:
    """The log in a folder, and below a name, that are hostile themselves, with a project file that is too."""
    folder = hostile_log.with_name("in \x1b]0;owned\x07\n::error::owned ##[error]")
    folder.mkdir()
    path = folder / "::error::owned\x1b[31m.log"
    path.write_bytes(hostile_log.read_bytes())
    (folder / "nothing.nir").write_bytes(b"")
    (folder / "nirls.toml").write_text(
        '[severity]\n"x\\u001b[31m\\n::error::owned" = "hint"\n[passes]\n"\\n##[error]y" = 3\n'
    )
    return path


def steers(text: str) -> list[str]:
    """What of a command's output would do something at a terminal, or in the log of a GitHub job."""
    lines = re.split("\r\n|\r|\n", text)
    return [line for line in lines if CONTROL.search(line) or line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_terminals_and_ci_are_sent_nothing_that_steers_them(
    hostile_names: Path, command: tuple[str, ...]
) -> None:
    arguments = [one.replace("LOG", hostile_names.name) for one in command]
    assert steers(run(hostile_names, *arguments, statuses=(0, 1, 2))) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "command",
    [
        ("check", "LOG"),
        ("print", "LOG"),
        ("opt", "-p", "opt_dce", "LOG"),
        ("opt", "--diff", "-p", "opt_dce", "LOG"),
        ("diff", "LOG#1", "LOG#2"),
        ("timeline", "--shader", "1", "--diff", "2", "LOG"),
    ],
    ids=" ".join,
)
def test_a_terminal_is_sent_colours_only(hostile_log: Path, command: tuple[str, ...]) -> None:
    import pexpect

    path = hostile_log.with_name("terminal.log")
    hostile = [log_of(name) for name in NAMES if CONTROL.search(name)]
    # The last snapshot of each log has another constant, so that there is a difference to show.
    logs = ["0x00000007".join(log.rsplit("0x00000000", 1)) for log in hostile]
    path.write_bytes("".join(logs).encode())
    arguments = [one.replace("LOG", path.name) for one in command]
    shown, status = pexpect.run(
        shlex.join([NIRLS, *arguments]),
        cwd=str(path.parent),
        withexitstatus=True,
        timeout=120,
        env={**ENVIRONMENT, "TERM": "xterm", "XDG_CACHE_HOME": str(path.parent / "cache")},
    )
    text = shown.decode("utf-8", "replace")
    assert status in (0, 1), text
    assert len(text) > 200
    # Colours and the progress bar are ours, and this is the dump's.
    assert "\x1b]0" not in text
    rest = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", text)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", rest), rest


def test_json_says_the_same_without_commands_of_ci(hostile_log: Path) -> None:
    path = hostile_log.with_name("mask.log")
    path.write_bytes(log_of("##[add-mask]e").encode())
    for name in ("json", "sarif"):
        text = run(path, "check", "--format", name, path.name, only_output=True)
        assert "##[" not in text
        assert "##[add-mask]e" in str(json.loads(text))


def test_annotations_of_ci_are_ours(hostile_log: Path) -> None:
    lines = re.split("\r\n|\r|\n", run(hostile_log, "check", "--format", "github", hostile_log.name))
    for line in lines:
        if line.lstrip().startswith("::"):
            assert re.match(r"::(error|warning|notice) file=hostile\.log,", line), line
        assert "\x1b" not in line


def test_sarif_has_plain_text_messages(hostile_log: Path) -> None:
    report = json.loads(
        run(hostile_log, "check", "--format", "sarif", hostile_log.name).split("\nhostile.log")[0]
    )
    (result_run,) = report["runs"]
    assert result_run["results"]
    for result in result_run["results"]:
        # SARIF reads `[text](1)` in a message as a link.
        assert "markdown" not in result["message"]
        assert not re.search(r"(?<!\\)\[[^\]]*\]\(", result["message"]["text"]), result["message"]


def test_html_reports(hostile_log: Path) -> None:
    run(hostile_log, "report", "-o", "report.html", hostile_log.name)
    text = (hostile_log.parent / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "body" in page.tags
    assert not page.tags & {
        "script",
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "base",
        "form",
        "i",
        "b",
        "svg",
    }
    assert not any(name.startswith("on") or name in ("src", "style") for name in page.attributes)
    assert not CONTROL.search(text)


@pytest.mark.parametrize(("kind", "number"), [("cfg", 9), ("values", 12), ("varyings", 13), ("values", 16)])
def test_graphs(hostile_log: Path, kind: str, number: int) -> None:
    from tests.server.ide.graphs.layout import can_lay_out

    path = hostile_log.with_name("one.log")
    path.write_bytes(log_of(NAMES[number]).encode())
    dumps = [f"{path.name}#{one}" for one in ((1, 2) if kind == "varyings" else (1,))]
    dot = run(path, "graph", kind, *dumps)
    assert not CONTROL.search(dot)
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', dot).replace("->", "")
    assert not re.search("[<>]|evil", outside), outside
    if not can_lay_out():
        return
    drawn = run(path, "graph", kind, "--format", "svg", *dumps, only_output=True)
    svg = ElementTree.fromstring(drawn)
    tags = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert not tags & {"script", "image", "foreignObject", "style", "iframe"}
    assert not any(name.startswith("on") for element in svg.iter() for name in element.attrib)
