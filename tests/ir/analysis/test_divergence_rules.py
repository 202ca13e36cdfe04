from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.analysis import divergence_rules
from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_rules import (
    ALWAYS,
    OVERRIDES_22_3,
    RULES,
    Condition,
    is_known,
    named_rule,
    rule_names,
    rule_of,
    system_value_rule,
)
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.stage import Stage
from nirls.ir.tables import intrinsic
from tests.conftest import facts_of

NO_PROMISES = DivergenceOptions()
IN_PRIMITIVE = NO_PROMISES.for_vertices()


def is_divergent(name: str, stage: Stage, options: DivergenceOptions = NO_PROMISES, **indices: int) -> bool:
    rule = rule_of(IntrinsicInstr(name, [], indices), options.release)
    return rule.is_divergent_itself(stage, options)


def test_every_rule_is_of_an_intrinsic_that_exists() -> None:
    rows = rule_names()
    relatives = {name: rule.removeprefix("like ") for name, rule in rows.items() if rule.startswith("like ")}
    assert [name for name in rows if name not in relatives and intrinsic(name) is None] == []
    assert [name for name in relatives.values() if name not in rows or name in relatives] == []
    assert {rule for name, rule in rows.items() if name not in relatives} == set(RULES)


def test_no_intrinsic_has_two_rows() -> None:
    text = Path(divergence_rules.__file__).with_name("divergence.txt").read_text()
    rows = [line.partition("|")[0].split() for line in text.splitlines() if not line.startswith("#")]
    names = [name for row in rows for name in row]
    assert len(names) == len(set(names)) == len(rule_names())


def test_sources_that_count_exist() -> None:
    facts = facts_of("25.0")["intrinsics"]
    for name in rule_names():
        if name not in facts:
            continue
        rule = named_rule(name, Release.MESA_25_0)
        count = len(facts[name]["src_components"])
        numbers = [*(rule.sources or ()), *([] if rule.resource is None else [rule.resource])]
        assert all(number < count for number in numbers), name


@pytest.mark.parametrize("name", ["ssbo_atomic_add", "global_atomic_umax_amd", "atomic_counter_inc"])
def test_atomics_of_all_eras_are_divergent(name: str) -> None:
    assert is_known(name)
    assert is_divergent(name, Stage.COMPUTE)


def test_unheard_of_intrinsics_are_divergent() -> None:
    assert not is_known("load_from_the_future")
    assert named_rule("load_from_the_future", Release.MESA_25_0).own == ALWAYS


def test_condition_is_turned_over_by_any_of_its_options() -> None:
    condition = Condition(True, ("view_index_uniform", "single_prim_per_subgroup"))
    assert condition.holds(NO_PROMISES)
    assert not condition.holds(DivergenceOptions(single_prim_per_subgroup=True))


def test_primitive_id_is_one_for_a_primitive_before_the_fragment_shader() -> None:
    assert is_divergent("load_primitive_id", Stage.GEOMETRY)
    assert not is_divergent("load_primitive_id", Stage.GEOMETRY, IN_PRIMITIVE)
    assert is_divergent("load_primitive_id", Stage.ANY_HIT, IN_PRIMITIVE)


def test_subgroup_operations_are_divergent_between_vertices() -> None:
    assert not is_divergent("ballot", Stage.VERTEX)
    assert is_divergent("ballot", Stage.VERTEX, IN_PRIMITIVE)
    assert not is_divergent("reduce", Stage.VERTEX, cluster_size=0)
    assert is_divergent("reduce", Stage.VERTEX, cluster_size=4)


def test_declared_registers_say_what_they_hold() -> None:
    assert not is_divergent("decl_reg", Stage.VERTEX, divergent=0)
    assert is_divergent("decl_reg", Stage.VERTEX, divergent=1)
    assert is_divergent("decl_reg", Stage.VERTEX)


def test_overrides_of_the_old_release_change_something() -> None:
    options = [DivergenceOptions(release=release) for release in Release]
    for name in OVERRIDES_22_3:
        verdicts = {tuple(is_divergent(name, stage, option) for stage in Stage) for option in options}
        assert len(verdicts) == 2, name


def test_system_values_go_by_the_intrinsic_that_loads_them() -> None:
    def verdict(location: str | None) -> bool:
        rule = system_value_rule(location, Release.MESA_25_0)
        return rule.is_divergent_itself(Stage.VERTEX, NO_PROMISES)

    assert verdict("SYSTEM_VALUE_VERTEX_ID")
    assert not verdict("SYSTEM_VALUE_BASE_INSTANCE")
    assert not verdict("SYSTEM_VALUE_VERTICES_IN")
    assert verdict("SYSTEM_VALUE_BARYCENTRIC_PERSP_PIXEL")
    assert verdict(None)
