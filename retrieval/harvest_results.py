"""What the shards of a harvest found, as files for people and for the next step."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.languages import UNKNOWN
from globesumm.records import read_own_records, to_json, write_text
from globesumm.shards import finished
from globesumm.text.cells import sheet_cell
from globesumm.unfinished import new_file
from globesumm.values import Document, Rejected
from retrieval.finish import with_own_ids
from retrieval.gate.counts import Counts
from retrieval.harvest import RETRIED, SUFFIX, Found, Part
from retrieval.harvest_archives import Archive
from retrieval.url import host_of
from retrieval.wanted import REPEATED, Wanted

DOCUMENT = "document"


@dataclass(slots=True)
class Account:
    """How many pages became what, by (host, language, what); `what` is `DOCUMENT` or a kind.

    `counts` are those of the pages alone, for alarms; rows that name no page are not in them.
    """

    rows: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    counts: Counts = field(default_factory=Counts)

    def add(self, one: Document | Rejected) -> None:
        """Count a document, or a rejection under its kind."""
        what = DOCUMENT if isinstance(one, Document) else one.kind or "other"
        self.rows[host_of(one.url or ""), one.language or UNKNOWN, what] += 1
        if one.url and what != REPEATED:
            self.counts.add(one)

    def by_kind(self) -> Counter[str]:
        """How many became what, over all hosts and languages."""
        kinds: Counter[str] = Counter()
        for (_, _, what), count in self.rows.items():
            kinds[what] += count
        return kinds

    def languages(self) -> Counter[str]:
        """Documents of each language."""
        found: Counter[str] = Counter()
        for (_, language, what), count in self.rows.items():
            if what == DOCUMENT:
                found[language] += count
        return found

    def table(self) -> str:
        """Tab-separated lines with a header, the hosts in order."""
        rows = [(*key, str(count)) for key, count in sorted(self.rows.items())]
        lines = [
            "\t".join(map(sheet_cell, row))
            for row in [("host", "language", "what", "pages"), *rows]
        ]
        return "\n".join(lines) + "\n"


def again(folder: Path, parts: Iterable[Part | Archive], *, retry: bool, refetch: bool) -> None:
    """Make the shards undone that have something to ask for again, so that they are run."""
    if not (retry or refetch) or not folder.is_dir():
        return
    from globesumm.shards.folder import ShardFolder

    kept = ShardFolder(folder, SUFFIX)
    for part in parts:
        counts = kept.counts(part.name)
        if counts is not None and (refetch or counts.get(RETRIED)):
            kept.result(part.name).unlink()


def write_results(
    parts: Sequence[Part | Archive],
    results: Path,
    refused: Iterable[Rejected],
    out: Path,
    complete: Callable[[Document], Document] = lambda document: document,
) -> Account:
    """``documents.jsonl``, ``rejected.jsonl`` and ``drops.tsv`` in `out`, whole or not at all.

    Made of the finished shards among `parts` in `results`; `complete` is applied to each
    document.  Ids are unique over all shards.
    """
    account = Account()
    done = {shard.name: shard.source for shard in finished(results, SUFFIX)}
    paths = [Path(done[part.name]) for part in parts if part.name in done]

    def found() -> Iterator[Document | Rejected]:
        yield from refused
        for path in paths:
            for row in read_own_records(path, Found):
                one = row.document or row.rejected
                if one is not None:
                    yield one

    with (
        new_file(out / "documents.jsonl") as documents,
        new_file(out / "rejected.jsonl") as rejected,
    ):
        for one in with_own_ids(found()):
            account.add(one)
            line = complete(one) if isinstance(one, Document) else one
            file = documents if isinstance(one, Document) else rejected
            file.write((to_json(line) + "\n").encode())
    write_text(out / "drops.tsv", account.table())
    return account


def hosts(pages: Iterable[Wanted]) -> Mapping[str, int]:
    """How many pages are asked of each host, the most first."""
    return dict(Counter(host_of(page.url) for page in pages).most_common())
