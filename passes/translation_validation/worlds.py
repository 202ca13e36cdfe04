"""The worlds that shaders are run in: kinds of numbers and API state that take turns from run to run."""

from __future__ import annotations

from dataclasses import dataclass, field

from nirls.ir.evaluate.environment import Environment, PipelineState


@dataclass(frozen=True, slots=True)
class World:
    """What an environment is made of, but for its seed; `name` says it in words."""

    name: str
    special: float = 0.0
    special_memory: bool = False
    state: PipelineState = field(default_factory=PipelineState)

    def environment(self, seed: int) -> Environment:
        """A fresh environment. Both sides of a comparison must use the same object."""
        return Environment(seed, special=self.special, special_memory=self.special_memory, state=self.state)


_FLAT = PipelineState(flat_shade=True, two_side=True, provoking_last=True)
_SPRITES = PipelineState(sprite_coords=0xFF)

WORLDS: tuple[World, ...] = (
    World("plain numbers"),
    World("NaN, infinities and extremes among the inputs, flat colours, two sides", 0.25, False, _FLAT),
    World("NaN, infinities and extremes in memory too", 0.25, True),
    World("plain numbers, sprite coordinates", 0.0, False, _SPRITES),
)


def world_of_run(number: int) -> World:
    """The world of the run with that number, counted from 0."""
    return WORLDS[number % len(WORLDS)]
