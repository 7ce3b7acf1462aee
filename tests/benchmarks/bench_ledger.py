"""How the time of a conflict ledger grows with its conflicts: 1 is as they do, 4 as their square.

``python tests/benchmarks/bench_ledger.py`` prints a Markdown table: processor seconds for a
thousand conflicts over those for a quarter of them, divided by four.  Each conflict is named in
three rounds; the summaries tell all of them (figures) or twenty (words; whether a sentence is
near a statement in words must be asked of each pair).
"""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from baselines.ledger import Nearness, ledger
from globesumm.values import Document, Event, Issue, IssueKind, Round, Sentence, Statement, Summary
from metrics.entailment import LexicalStandIn

CONFLICTS, ROUNDS, TOLD = 1000, 3, 20
BEGUN = datetime(2024, 5, 1, tzinfo=UTC)
DOCUMENTS = tuple(
    Document(id=f"d{at}", language="en", text="x", published=BEGUN + timedelta(hours=at))
    for at in range(20)
)
EVENT = Event(id="e", description="An event.", documents=DOCUMENTS)


def said(at: int, by: int, text: str, more: str = "") -> Statement:
    return Statement(document=f"d{(at + by) % 20}{more}", index=at, language="en", text=text)


def toll(at: int, more: int = 0) -> str:
    return f"{1000 + 2 * at + more} people were killed in the village of Name{at}."


def of_figures(at: int, number: int) -> Issue:
    del number
    statements = (said(at, 0, toll(at)), said(at, 7, toll(at, 1)))
    differs = f"number: {1000 + 2 * at} / {1001 + 2 * at}"
    return Issue(kind=IssueKind.CONFLICT, statements=statements, differs=differs)


def gate(at: int, did: str = "opened") -> str:
    return f"The mayor of Name{at} {did} the gate."


def of_words(at: int, number: int) -> Issue:
    del number
    statements = (said(at, 0, gate(at)), said(at, 7, gate(at, "shut")))
    differs = sha256(str(at).encode()).hexdigest()  # no two are said alike
    return Issue(kind=IssueKind.CONFLICT, statements=statements, differs=differs)


def carried(at: int, number: int) -> Issue:
    """In words of which a later round says that the summary so far disagrees."""
    first = of_words(at, number)
    if number == 1:
        return first
    text = f"The gate of Name{at} was opened in round {number}."
    return Issue(kind=first.kind, statements=(said(at, 0, text, " + d19"),), differs=first.differs)


SHAPES: dict[str, tuple[Callable[[int, int], Issue], Callable[[int], str]]] = {
    "figures, all told": (of_figures, toll),
    "words, 20 told": (of_words, gate),
    "words, carried on by the summary so far": (carried, gate),
}


def seconds(name: str, conflicts: int) -> float:
    """Processor seconds of one ledger."""
    issue, tells = SHAPES[name]
    told = conflicts if issue is of_figures else TOLD
    sentences = tuple(Sentence(text=tells(at), language="en") for at in range(told))
    rounds = tuple(
        Round(
            index=number, documents=tuple(one.id for one in DOCUMENTS), added=(), summary="",
            sentences=sentences, issues=tuple(issue(at, number) for at in range(conflicts)),
        )
        for number in range(1, ROUNDS + 1)
    )  # fmt: skip
    summary = Summary(
        event="e", recipe="crs.none.direct", model="m", target="en", text="", rounds=rounds
    )
    began = time.process_time()
    found = ledger(summary, EVENT, Nearness(LexicalStandIn(0.5)))
    used = time.process_time() - began
    assert [len(one.named) for one in found] == [ROUNDS] * conflicts
    return used


def main() -> None:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print("| conflicts | seconds for a thousand | growth |")
    print("| --- | ---: | ---: |")
    for name in SHAPES:
        seconds(name, 10)
        few, many = seconds(name, CONFLICTS // 4), seconds(name, CONFLICTS)
        print(f"| {name} | {many:.1f} | {many / few / 4:.2f} |", flush=True)


if __name__ == "__main__":
    main()
