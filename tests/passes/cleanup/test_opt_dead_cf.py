from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from tests.passes.expectation import assert_becomes, assert_unchanged, assert_valid, parse_body

HEAD = """
block b0:
1     %0 = load_const (true)
1     %1 = load_const (false)
32    %2 = load_const (0x00000000)
1     %3 = @load_front_face
"""


def use(value: str) -> str:
    return f"@store_ssbo ({value}, %2, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)"


BRANCHES = f"""
{HEAD}
if {{condition}} {{{{
    block b1:
    32 %4 = ineg %2
}}}} else {{{{
    block b2:
    32 %5 = inot %2
}}}}
block b3:
32 %6 = phi b1: %4, b2: %5
{use("%6")}
block b4:
"""


@pytest.mark.parametrize(("condition", "taken"), [("%0", "%6 = ineg"), ("%1", "%6 = inot")])
def test_constant_condition(condition: str, taken: str) -> None:
    assert_becomes(
        opt_dead_cf,
        BRANCHES.format(condition=condition),
        f"{HEAD}\n32 {taken} %2\n{use('%6')}\nblock b1:",
    )


def test_undefined_condition_takes_the_else_branch() -> None:
    assert_becomes(
        opt_dead_cf,
        BRANCHES.format(condition="%9").replace("1     %3", "1     %9 = undefined\n1     %3"),
        f"{HEAD.replace('1     %3', '1     %9 = undefined' + chr(10) + '1     %3')}\n32 %6 = inot %2\n"
        f"{use('%6')}\nblock b1:",
    )


def test_condition_that_is_not_known() -> None:
    assert_unchanged(opt_dead_cf, BRANCHES.format(condition="%3"))


def test_if_that_does_nothing() -> None:
    body = BRANCHES.format(condition="%3").replace("32 %6 = phi b1: %4, b2: %5", "").replace("%6", "%2")
    assert_becomes(opt_dead_cf, body, f"{HEAD}\n{use('%2')}\nblock b1:")


def test_if_with_an_effect() -> None:
    assert_unchanged(
        opt_dead_cf,
        f"{HEAD}\nif %3 {{\nblock b1:\n{use('%2')}\n}} else {{\nblock b2:\n}}\nblock b3:\nblock b4:",
    )


def test_load_that_a_barrier_may_be_waiting_for() -> None:
    load = "32 %4 = @load_ssbo (%2, %2) (access={access}, align_mul=4, align_offset=0)"
    body = f"{HEAD}\nif %3 {{{{\nblock b1:\n{load}\n}}}} else {{{{\nblock b2:\n}}}}\nblock b3:\nblock b4:"
    assert_unchanged(opt_dead_cf, body.format(access="none"))
    assert_becomes(opt_dead_cf, body.format(access="reorderable"), f"{HEAD}\nblock b1:")


LOOP = f"""
{HEAD}
loop {{{{
    block b1:
    32 %4 = phi b0: %2, b4: %5
    if %3 {{{{
        block b2:
        break
    }}}} else {{{{
        block b3:
    }}}}
    block b4:
    32 %5 = ineg %4
    {{effect}}
}}}}
block b5:
{{behind}}
block b6:
"""


def test_loop_that_does_nothing() -> None:
    assert_becomes(opt_dead_cf, LOOP.format(effect="", behind=use("%2")), f"{HEAD}\n{use('%2')}\nblock b1:")


def test_loop_whose_value_is_read() -> None:
    assert_unchanged(opt_dead_cf, LOOP.format(effect="", behind=use("%4")))
    assert_unchanged(opt_dead_cf, LOOP.format(effect="", behind="32 %7 = phi b2: %4"))
    assert_unchanged(opt_dead_cf, LOOP.format(effect=use("%5"), behind=""))


def test_condition_behind_a_loop_reads_its_value() -> None:
    assert_unchanged(
        opt_dead_cf,
        f"""
        {HEAD}
        loop {{
            block b1:
            1 %4 = inot %3
            if %4 {{
                block b2:
                break
            }} else {{
                block b3:
            }}
            block b4:
        }}
        block b5:
        if %4 {{
            block b6:
            {use("%2")}
        }} else {{
            block b7:
        }}
        block b8:
        block b9:
        """,
    )


def test_if_that_leaves_a_loop_is_not_dead() -> None:
    assert_unchanged(
        opt_dead_cf,
        LOOP.format(effect=use("%5"), behind=""),
    )


def test_code_behind_two_jumps() -> None:
    assert_becomes(
        opt_dead_cf,
        f"""
        {HEAD}
        loop {{
            block b1:
            if %3 {{
                block b2:
                {use("%2")}
                break
            }} else {{
                block b3:
                continue
            }}
            block b4:
            32 %4 = ineg %2
            if %3 {{
                block b5:
                {use("%4")}
            }} else {{
                block b6:
            }}
            block b7:
        }}
        block b8:
        block b9:
        """,
        f"""
        {HEAD}
        loop {{
            block b1:
            if %3 {{
                block b2:
                {use("%2")}
                break
            }} else {{
                block b3:
                continue
            }}
            block b4:
        }}
        block b8:
        block b9:
        """,
    )


def test_branch_that_ends_in_a_jump() -> None:
    assert_becomes(
        opt_dead_cf,
        f"""
        {HEAD}
        loop {{
            block b1:
            32 %4 = phi b0: %2, b4: %5
            {use("%4")}
            if %0 {{
                block b2:
                break
            }} else {{
                block b3:
            }}
            block b4:
            32 %5 = ineg %4
        }}
        block b5:
        block b6:
        """,
        f"""
        {HEAD}
        loop {{
            block b1:
            32 %4 = phi b0: %2
            {use("%4")}
            break
        }}
        block b5:
        block b6:
        """,
    )


@pytest.mark.sweep
def test_deep_nesting() -> None:
    depth = 5_000
    lines = ["block b0:", "1 %0 = @load_front_face"]
    for level in range(depth):
        lines += ["if %0 {", f"block b{level + 1}:", f"1 %{level + 1} = inot %{level}"]
    for level in range(depth):
        lines += ["} else {", f"block b{depth + 2 * level + 1}:", "}", f"block b{depth + 2 * level + 2}:"]
    lines.append(f"block b{3 * depth + 2}:")
    shader = parse_body("\n".join(lines), valid=False)
    assert opt_dead_cf(shader)
    assert [type(node) for impl in shader.impls() for node in impl.cf_nodes()] == [Block]


@pytest.mark.parametrize(
    "unreachable",
    [
        "block b4:\n    32 %6 = iadd %2, %2",
        "block b4:\n    if %3 {\n        block b5:\n    } else {\n        block b6:\n    }\n    block b7:",
    ],
)
def test_phi_of_a_loop_keeps_a_source_from_its_unreachable_end(unreachable: str) -> None:
    """The end of a loop's body leads to its start even where nothing leads to that end."""
    last = "b7" if "b7" in unreachable else "b4"
    carried = "%6" if "%6" in unreachable else "%2"
    shader = parse_body(f"""
{HEAD}
loop {{
    block b1:
    32 %4 = phi b0: %2, {last}: {carried}
    {use("%4")}
    if %3 {{
        block b2:
        halt
    }} else {{
        block b3:
        break
    }}
    {unreachable}
}}
block b8:
{use("%2")}
block b9:
""")
    assert opt_dead_cf(shader)
    assert_valid(shader)
    assert not opt_dead_cf(shader)


def test_jump_that_is_never_reached_leaves_an_edge_that_phis_know() -> None:
    shader = parse_body(f"""
{HEAD}
if %3 {{
    block b1:
    if %3 {{
        block b2:
        {use("%2")}
        return
    }} else {{
        block b3:
        halt
    }}
    block b4:
    32 %4 = ineg %2
    halt
}} else {{
    block b5:
    32 %5 = ineg %2
}}
block b6:
32 %6 = phi b5: %5
{use("%6")}
block b7:
""")
    assert opt_dead_cf(shader)
    assert_valid(shader)
    assert not opt_dead_cf(shader)


def test_continue_that_is_never_reached_takes_its_edge_with_it() -> None:
    shader = parse_body(f"""
{HEAD}
loop {{
    block b1:
    32 %4 = phi b0: %2, b5: %6, b7: %7
    {use("%4")}
    if %3 {{
        block b2:
        if %3 {{
            block b3:
            halt
        }} else {{
            block b4:
            break
        }}
        block b5:
        32 %6 = ineg %4
        continue
    }} else {{
        block b6:
    }}
    block b7:
    32 %7 = inot %4
}}
block b8:
{use("%2")}
block b9:
""")
    assert opt_dead_cf(shader)
    assert_valid(shader)
    assert not opt_dead_cf(shader)
