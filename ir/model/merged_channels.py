"""Merging of an instruction's channels with those of another value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nirls.ir.model.builder import Builder
from nirls.ir.model.values import AluSrc, Def


def merged_channels(
    builder: Builder, made: Def, places: Mapping[int, int], width: int, before: Callable[[], Def]
) -> Def:
    """The value of `width` components whose channel i is component `places[i]` of `made`.

    Channels that `places` does not name are those of `before()`, which is asked for only if there are any.
    What is needed goes to the builder's cursor; `made` itself is returned where it is the whole already.
    """
    if made.num_components == width and all(places.get(channel) == channel for channel in range(width)):
        return made
    rest = before() if len(places) < width else made
    parts = [
        AluSrc(made, (places[channel],)) if channel in places else AluSrc(rest, (channel,))
        for channel in range(width)
    ]
    return builder.alu("mov" if width == 1 else f"vec{width}", parts, width, made.bit_size)
