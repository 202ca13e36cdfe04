from __future__ import annotations

from nirls.passes.varyings.dead_io_plan import Action, DemoteAccess, RemoveStore, ReplaceLoad, plan
from nirls.passes.varyings.interface.accesses import Linkage, link, name_of
from tests.passes.shader_text import ONE, ZERO, load, shader, store


def actions(producer: list[str], consumer: list[str], stages: str = "VERTEX FRAGMENT") -> list[Action]:
    first, second = stages.split()
    linkage = link(shader(first, ZERO, ONE, *producer), shader(second, ZERO, *consumer))
    assert isinstance(linkage, Linkage)
    return plan(linkage)


def test_order_is_stores_output_loads_input_loads() -> None:
    found = actions(
        [load(2, "PATCH1", name="load_output"), store("PATCH0")],
        [load(1, "PATCH2")],
        "TESS_CTRL TESS_EVAL",
    )
    assert [(type(action), name_of(action.access)) for action in found] == [
        (RemoveStore, "PATCH0.x"),
        (ReplaceLoad, "PATCH1.x"),
        (ReplaceLoad, "PATCH2.x"),
    ]


def test_readers_of_a_demoted_store_are_named() -> None:
    (action,) = actions([store("CLIP_DIST0", extra="|component=0 buffer=0 offset=0")], [])
    assert isinstance(action, DemoteAccess)
    assert action.readers == ("transform feedback", "fixed hardware")


def test_store_that_only_its_own_shader_reads_is_demoted() -> None:
    own = [store("VAR0", name="store_per_vertex_output"), load(2, "VAR0", name="load_per_vertex_output")]
    for action in actions(own, [], "TESS_CTRL TESS_EVAL"):
        assert isinstance(action, DemoteAccess)
        assert action.readers == ("the shader itself",)


def test_the_tessellator_reads_levels_that_the_shader_loads_too() -> None:
    level = [
        store("TESS_LEVEL_OUTER"),
        load(2, "TESS_LEVEL_OUTER", name="load_output"),
    ]
    found = actions(level, [], "TESS_CTRL TESS_EVAL")
    assert [action.readers for action in found if isinstance(action, DemoteAccess)] == [
        ("the shader itself", "fixed hardware")
    ] * len(found)
    assert found


def test_store_that_has_the_flag_already_is_done() -> None:
    assert actions([store("CLIP_DIST0", extra=" no_varying")], []) == []


def test_flag_on_a_store_without_other_readers_does_not_save_it() -> None:
    (action,) = actions([store("VAR0", extra=" no_varying")], [])
    assert isinstance(action, RemoveStore)


def test_vector_of_texture_coordinates() -> None:
    def vector(component: int, width: int) -> str:
        return load(1, "TEX0", component).replace("32    %1", f"32x{width}  %1")

    (action,) = actions([], [vector(2, 2)])
    assert isinstance(action, ReplaceLoad)
    assert action.values == (0.0, 1.0)
    assert actions([], [vector(1, 2)]) == []
    assert actions([], [vector(0, 4)]) == []


def test_64_bit_component_has_one_value() -> None:
    wide = load(1, "LAYER").replace("32    %1", "64    %1").replace("float32", "float64")
    (action,) = actions([], [wide])
    assert isinstance(action, ReplaceLoad)
    assert action.values == (0.0,)


def test_component_that_only_the_high_half_is_written_of() -> None:
    high = store("VAR0", value="%2", extra=" high_16bits").replace("float32", "float16")
    producer = ["16    %2 = f2f16 %1 (1.000000)", high]
    low_load = load(1, "VAR0").replace("32    %1", "16    %1").replace("float32", "float16")
    assert [type(one) for one in actions(producer, [low_load])] == [RemoveStore, ReplaceLoad]
    assert actions(producer, [load(1, "VAR0")]) == []
