"""The list of packages, and how the C extension of the grammar is built."""

import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

PROJECT = Path(__file__).resolve().parent
GRAMMAR = "ir/text/grammar"
FOLDERS = ("ir", "verification", "passes", "server")
"""Each is the package of its name below `nirls`; `api` is `nirls` itself."""


COMPILER_PACKAGES = {
    "apt-get": "gcc libc6-dev",
    "dnf": "gcc",
    "zypper": "gcc",
    "pacman": "gcc",
    "apk": "gcc musl-dev",
    "xcode-select": "the command line tools (xcode-select --install)",
}
"""What has a C compiler, by the package manager that installs it."""

HEADER_PACKAGES = {
    "apt-get": "python3-dev",
    "dnf": "python3-devel",
    "zypper": "python3-devel",
    "apk": "python3-dev",
}
"""What has `Python.h`, likewise."""


def missing(what: str, by_manager: dict[str, str]) -> str:
    """The message about something that the build needs, with the package that has it."""
    manager = next((name for name in by_manager if shutil.which(name)), None)
    package = (
        f"Install {by_manager[manager]}." if manager else "Install the package of your system that has it."
    )
    return f"nirls compiles its grammar, and {what}. {package}"


class BuildGrammar(build_ext):
    """The usual build, which names the package that is missing."""

    def build_extensions(self) -> None:
        """Raises SystemExit without a C compiler or without the headers of Python."""
        command = getattr(self.compiler, "compiler", None)  # only of compilers that are called like cc
        if command and shutil.which(command[0]) is None:
            sys.exit(missing(f"there is no C compiler: {command[0]!r} is not on PATH", COMPILER_PACKAGES))
        try:
            super().build_extensions()
        except CompileError:
            if Path(sysconfig.get_path("include"), "Python.h").is_file():
                raise
            version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
            sys.exit(missing(f"the headers of {version} (Python.h) are not installed", HEADER_PACKAGES))


def packages(project: Path) -> list[str]:
    """`nirls`, and below it every folder with an `__init__.py`."""
    below = (
        ".".join(("nirls", *init.parent.relative_to(project).parts))
        for folder in FOLDERS
        for init in (project / folder).rglob("__init__.py")
    )
    return ["nirls", *sorted(below)]


def configure() -> None:
    """Hand everything to setuptools."""
    setup(
        cmdclass={"build_ext": BuildGrammar},
        packages=packages(PROJECT),
        ext_modules=[
            Extension(
                "nirls.ir.text.grammar._binding",
                sources=[
                    f"{GRAMMAR}/binding.c",
                    f"{GRAMMAR}/src/parser.c",
                    f"{GRAMMAR}/src/scanner.c",
                ],
                include_dirs=[f"{GRAMMAR}/src"],
                depends=[f"{GRAMMAR}/src/tree_sitter/{name}.h" for name in ("alloc", "array", "parser")],
                define_macros=[("Py_LIMITED_API", "0x030B0000"), ("TREE_SITTER_HIDE_SYMBOLS", None)],
                py_limited_api=True,
            )
        ],
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
        # The sources go with the package so that an editor can build the grammar for itself.
        package_data={
            **{package: ["pages/*.md", "*.txt", "*.toml"] for package in packages(PROJECT)},
            "nirls": ["py.typed"],
            "nirls.server.ide.report": ["*.css", "*.j2"],
            "nirls.ir.text.grammar": [
                "*.pyi",
                "grammar.js",
                "tree-sitter.json",
                "queries/*.scm",
                "src/*.c",
                "src/*.json",
                "src/tree_sitter/*.h",
            ],
        },
    )


if __name__ == "__main__":  # also so when setuptools runs it
    configure()
