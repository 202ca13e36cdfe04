"""Results kept by content: worked out once, shared by who waits, dropped where nobody wants them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from nirls.ir.io.urb_maps import UrbMap
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.packing.table import PackingTable, PairPacking
from nirls.server.engine.documents.results_by_content import DumpTexts, ResultsByContent

PAIR = PairPacking(Stage.VERTEX, Stage.FRAGMENT, PackingTable(), PackingTable())


class Worker:
    def __init__(self) -> None:
        self.asked: list[DumpTexts] = []
        self.may_go_on = asyncio.Event()
        self.answer: Sequence[PairPacking] | str | None = [PAIR]

    async def work(self, texts: DumpTexts, options: Mapping[str, object]) -> Sequence[PairPacking] | None:
        self.asked.append(texts)
        await self.may_go_on.wait()
        if self.answer == "fails":
            raise ValueError("no")
        assert not isinstance(self.answer, str)
        return self.answer


async def test_same_texts_are_worked_out_once() -> None:
    worker = Worker()
    results = ResultsByContent(worker.work)
    both = [asyncio.create_task(results.of(DumpTexts((b"a", b"b")), {})) for _ in range(2)]
    await asyncio.sleep(0)
    worker.may_go_on.set()
    assert await asyncio.gather(*both) == [[PAIR], [PAIR]]
    assert await results.of(DumpTexts((b"a", b"b")), {}) == [PAIR]
    assert worker.asked == [DumpTexts((b"a", b"b"))]


async def test_other_texts_and_options_are_other_questions() -> None:
    worker = Worker()
    worker.may_go_on.set()
    results = ResultsByContent(worker.work)
    await results.of(DumpTexts((b"a", b"b")), {})
    await results.of(DumpTexts((b"a", b"c")), {})
    await results.of(DumpTexts((b"a", b"b")), {"pack": False})
    assert len(worker.asked) == 3


async def test_who_does_not_wait_gets_nothing_and_the_work_goes_on() -> None:
    worker = Worker()
    results = ResultsByContent(worker.work)
    assert await results.soon(DumpTexts((b"a",)), {}, 0.001) == ()
    worker.may_go_on.set()
    assert await results.soon(DumpTexts((b"a",)), {}, 10) == [PAIR]
    assert len(worker.asked) == 1


async def test_failure_is_an_empty_answer_and_is_not_tried_again() -> None:
    worker = Worker()
    worker.may_go_on.set()
    worker.answer = "fails"
    results = ResultsByContent(worker.work)
    assert await results.of(DumpTexts((b"a",)), {}) == ()
    assert await results.of(DumpTexts((b"a",)), {}) == ()
    assert len(worker.asked) == 1


async def test_what_nobody_wants_is_not_kept() -> None:
    worker = Worker()
    worker.may_go_on.set()
    worker.answer = None
    results = ResultsByContent(worker.work)
    assert await results.of(DumpTexts((b"a",)), {}) == ()
    worker.answer = [PAIR]
    assert await results.of(DumpTexts((b"a",)), {}) == [PAIR]


async def test_a_cancelled_question_leaves_the_work_to_others() -> None:
    worker = Worker()
    results = ResultsByContent(worker.work)
    first = asyncio.create_task(results.of(DumpTexts((b"a",)), {}))
    second = asyncio.create_task(results.of(DumpTexts((b"a",)), {}))
    await asyncio.sleep(0)
    first.cancel()
    worker.may_go_on.set()
    assert await second == [PAIR]


async def test_other_maps_below_the_dumps_are_another_question() -> None:
    worker = Worker()
    worker.may_go_on.set()
    results = ResultsByContent(worker.work)
    await results.of(DumpTexts((b"a",)), {})
    await results.of(DumpTexts((b"a",), ((UrbMap(True, ()),),)), {})
    assert len(worker.asked) == 2
