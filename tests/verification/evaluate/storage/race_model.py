"""Race detection lane by lane and place by place, as a model of `storage.races`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.storage.races import Fence
from nirls.verification.evaluate.surroundings.launch import Launch


@dataclass
class _Record:
    """The last store to a place and the loads since.

    A writer of None stands for many lanes of `group`, a reader of None for many lanes.
    """

    writer: int | None = -1
    written_at: int = 0
    is_atomic: bool = False
    same: set[int] = field(default_factory=set)
    reader: int | None = -1
    read_at: int = 0
    readers: set[int] = field(default_factory=set)
    is_racing: bool = False
    group: int | None = None


class RaceModel:
    """Accesses by place, each a load or store of one lane."""

    def __init__(self, launch: Launch, subgroup_size: int, mode: str) -> None:
        self.group = launch.group.tolist()
        self.subgroup = (launch.invocation // subgroup_size).tolist()
        self.is_patch = launch.stage is Stage.TESS_CTRL
        self.mode = mode
        self.clock = 0
        self.records: dict[Hashable, _Record] = {}
        self.overtaken: set[int] = set()
        # The clock of the last barrier by kind, scope (whole group or subgroup) and lane.
        self.passed: dict[tuple[str, bool, int], int] = {}

    def barrier(self, lanes: list[int], waits: bool, whole_group: bool, fence: Fence | None) -> None:
        self.clock += 1
        kinds = [("waits", whole_group)] if waits else []
        if fence is not None and self.mode in fence.modes:
            kinds += [("releases", fence.whole_group)] if fence.releases else []
            kinds += [("acquires", fence.whole_group)] if fence.acquires else []
        for kind, whole in kinds:
            for scope in {False, whole}:
                self.passed.update({(kind, scope, lane): self.clock for lane in lanes})

    def load(self, place: Hashable, lane: int) -> bool:
        record = self.records.setdefault(place, _Record())
        if record.read_at != self.clock:
            record.reader, record.readers = -1, set()
        is_shared = record.reader is None or (
            record.reader not in (-1, lane) and self.group[record.reader] == self.group[lane]
        )
        record.reader = None if is_shared else lane
        record.readers.add(lane)
        record.read_at = self.clock
        return not self.follows(record, lane, True) and lane not in record.same

    def store(self, place: Hashable, lane: int, changes: bool, is_atomic: bool) -> bool:
        old = self.records.setdefault(place, _Record())
        new = self.records[place] = _Record(lane, self.clock, is_atomic, set() if is_atomic else {lane})
        race = False
        changes = changes or old.is_racing
        if not self.follows(old, lane, is_atomic):
            both = is_atomic and old.is_atomic
            new.writer, new.group, new.is_atomic = None, self.group[lane], both
            new.same = set() if changes or is_atomic or old.is_atomic else old.same | {lane}
            race = changes and not both
        if changes and not is_atomic and not self.ordered(old.reader, old.read_at, lane, False):
            self.overtaken |= old.readers - {lane}
            race = True
        new.is_racing = race and not is_atomic
        return race

    def follows_last_store(self, place: Hashable, lane: int) -> bool:
        return self.follows(self.records.get(place, _Record()), lane, False)

    def follows(self, record: _Record, lane: int, is_visible: bool) -> bool:
        is_of_other_group = record.group not in (None, self.group[lane])
        return is_of_other_group or self.ordered(record.writer, record.written_at, lane, is_visible)

    def ordered(self, other: int | None, at: int, lane: int, is_visible: bool) -> bool:
        if other in (-1, lane) or (other is not None and self.group[other] != self.group[lane]):
            return True
        scopes = {True, other is None or self.subgroup[other] != self.subgroup[lane]}
        source = lane if other is None else other
        for scope in scopes:
            kinds = [("waits", lane)]
            if is_visible and not self.is_patch:
                kinds += [("releases", source), ("acquires", lane)]
            if all(self.passed.get((kind, scope, who), 0) > at for kind, who in kinds):
                return True
        return False
