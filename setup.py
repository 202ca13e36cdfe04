"""What `pyproject.toml` cannot say well: the list of packages, and how the grammar's C extension is built."""

from pathlib import Path

from setuptools import Extension, setup

GRAMMAR = "ir/text/grammar"
FOLDERS = ("ir", "passes", "server")
"""Each is the package of its name below `nirls`; `api` is `nirls` itself."""


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
        packages=packages(Path(__file__).resolve().parent),
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
            "nirls": ["py.typed"],
            "nirls.server.ide": ["rules/*.md"],
            "nirls.server.ide.report": ["*.css", "*.j2"],
            "nirls.ir.tables": ["*.txt", "*.toml"],
            "nirls.ir.effects": ["*.txt"],
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
