"""How a labelling project of 18,787 items (GlobeSumm, 2.2) compares with one of 200.

Opening, the page of an item, the list, keeping an answer, the export of all labels and the report
of progress, each in processor seconds and as the ratio of the large project to the small one.  A
page must not get slower with the size of its project; what goes over all items grows with it.

    python tests/benchmarks/bench_labelling.py
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.applications import Starlette

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from annotation.labels.assignment import assign
from annotation.labels.deciding import settle
from annotation.labels.people import standing
from annotation.labels.project import Project
from annotation.labels.rows import insert_label
from annotation.labels.server import answering, pages
from annotation.labels.server.app import application
from annotation.labels.server.tickets import secret
from annotation.labels.server.visit import Visit
from annotation.labels.values import Item, Label
from globesumm.records import to_compact_json
from tests.labels.served import project_of, ticket_in

LARGE, SMALL = 18_787, 200
NOW = datetime(2026, 5, 1, tzinfo=UTC)
ARTICLE = "The ferry Alma sank off Port Lissa on Monday night. " * 60


@dataclass(frozen=True)
class Measured:
    """Processor seconds of one step in the small and the large project."""

    small: float
    large: float

    @property
    def ratio(self) -> float:
        return self.large / max(self.small, 1e-9)


def article(number: int) -> Item:
    """A report of some 540 words, as many as the paper's have tokens, about one of 2,104 events."""
    return Item(
        id=f"event-{number % 2104}/report-{number}",
        kind="relevance",
        payload={
            "query": {"text": f"Event {number % 2104}", "language": "en"},
            "article": {"text": f"{number} {ARTICLE}", "language": "fr"},
        },
        languages=("fr",),
        event=f"event-{number % 2104}",
        source={"event": f"event-{number % 2104}", "document": f"report-{number}"},
    )


def project(folder: Path, count: int) -> Project:
    """A project of `count` items of which one of five people has answered all."""
    made = project_of(folder, map(article, range(count)), "a b c d e", overlap=1)
    answer = {"relevant": True, "criteria": ["same_event"]}
    with made.store.writing() as connection:
        rows = connection.execute(
            "SELECT id, version, annotator FROM assignments JOIN items ON number = item "
            "WHERE annotator != 'a'"
        ).fetchall()
        for name, version, who in rows:
            insert_label(
                connection,
                Label(
                    id=name, item=name, version=version, kind="relevance", annotator=who,
                    answer=answer, started=NOW, submitted=NOW, seconds=4.0,
                ),
            )  # fmt: skip
        connection.execute("UPDATE assignments SET done = 1 WHERE annotator != 'a'")
    settle(made)
    return made


def steps(made: Project) -> dict[str, Callable[[], object]]:
    """Name to what is measured."""
    key = secret(made.store)

    def visit(**more: object) -> Visit:
        who = made.annotators["a"]
        return Visit(project=made, key=key, token="t", who=who, **more)  # type: ignore[arg-type]

    def opened() -> Starlette:
        again = Project.open(made.folder)
        assign(again)
        return application(again, ["127.0.0.1"])

    def next_item() -> str:
        there = pages.go_on(visit())
        assert isinstance(there, pages.Elsewhere)
        number = int(there.address.rpartition("/")[2])
        page = pages.item_page(visit(number=number))
        assert isinstance(page, pages.Page)
        return page.html

    def keep() -> object:
        number = int(str(getattr(pages.go_on(visit()), "address")).rpartition("/")[2])  # noqa: B009
        page = pages.item_page(visit(number=number))
        assert isinstance(page, pages.Page)
        sent = {
            "ticket": ticket_in(page.html),
            "answer": {"relevant": False, "criteria": []},
        }
        reply = answering.submit(visit(number=number, sent=sent))
        assert reply.status == 200
        return reply

    def export() -> int:
        out = made.folder / "labels.jsonl"
        with out.open("w") as file:
            return sum(file.write(to_compact_json(one)) for one in made.store.labels())

    return {
        "open": opened,
        "page": next_item,
        "list": lambda: pages.mine(visit(page=2)),
        "keep": keep,
        "overview": lambda: pages.home(visit()),
        "progress of all": lambda: [standing(made.store, name) for name in made.annotators],
        "all labels": export,
    }


def best(step: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the fastest of some tries."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        step()
        found.append(time.process_time() - begun)
    return min(found)


def measure(folder: Path, large: int = LARGE, small: int = SMALL) -> dict[str, Measured]:
    """Every step in both projects."""
    of_small = steps(project(folder / "small", small))
    of_large = steps(project(folder / "large", large))
    return {
        name: Measured(small=best(of_small[name]), large=best(of_large[name])) for name in of_small
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    print(f"{'step':<16} {SMALL:>9} {LARGE:>9}  ratio")
    for name, one in found.items():
        print(f"{name:<16} {one.small:>8.4f}s {one.large:>8.4f}s  {one.ratio:>5.1f}")


if __name__ == "__main__":
    main()
