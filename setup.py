"""The one thing `pyproject.toml` cannot say well: how the grammar's C extension is built, for the stable ABI."""

from setuptools import Extension, setup

GRAMMAR = "ir/grammar"

setup(
    ext_modules=[
        Extension(
            "nirls.ir.grammar._binding",
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
        "nirls.ir.grammar": [
            "*.pyi",
            "grammar.js",
            "tree-sitter.json",
            "queries/*.scm",
            "src/*.c",
            "src/*.json",
            "src/tree_sitter/*.h",
        ]
    },
)
