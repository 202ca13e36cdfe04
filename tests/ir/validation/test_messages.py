from __future__ import annotations


def test_error_lines_of_mesa(check) -> None:
    check(
        "mesa-validation",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = fneg %0
        ^^^^^^^^^^^^^^^^^^
        error: src->ssa != NULL (../src/compiler/nir/nir_validate.c:190)
        """,
    )


def test_unreadable_line(check) -> None:
    check(
        "syntax",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        ?? what is this ??
        ^^^^^^^^^^^^^^^^^^
        32    %1 = fneg %0
        """,
    )


def test_unreadable_definition_does_not_cascade(check) -> None:
    check(
        "syntax",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = ?? %0
        ^^^^^^^^^^^^^^^^
        32    %2 = fadd %1, %0
        """,
    )
