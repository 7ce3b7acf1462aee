"""The data card: README.md with the front matter that the Hugging Face hub reads.

Everything in it is computed.  Names of categories and sites come from other people's pages, so
all are escaped; no title or text is shown.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.languages import LANGUAGES, UNKNOWN
from globesumm.values import Event
from retrieval.dataset.splits import RULE, SPLITS
from retrieval.dataset.statistics import Statistics
from retrieval.dataset.tables import Table, escaped
from retrieval.url import host_of

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "n>1M"
SITES = 20
"""Sites listed at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the card says besides the tables.

    `findings` counts what checks found by kind, `taken` documents that were taken out on
    request by entry; `licence` is an identifier of the hub's list.
    """

    name: str
    licence: str
    seed: int
    links: str
    leaks: int
    columns: Sequence[tuple[str, str]]
    findings: Mapping[str, int]
    taken: int
    plots: Sequence[str] = ()
    has_text: bool = True


def card(facts: Facts, events: Sequence[Event], statistics: Statistics) -> str:
    """The whole file."""
    parts = [
        _front_matter(facts, statistics),
        f"# {escaped(facts.name)}\n",
        _about(facts, statistics),
        _loading(facts),
        "## Statistics\n",
        *(table.markdown() for table in statistics.tables()),
        sites(events).markdown(),
        *(f"![{name}](statistics/{name})\n" for name in facts.plots),
        _splits(facts),
        _columns(facts),
        _care(facts, events),
    ]
    return "\n".join(parts)


def _front_matter(facts: Facts, statistics: Statistics) -> str:
    documents = sum(statistics.documents.values())
    size = next((name for most, name in _SIZES if documents < most), _LARGEST)
    codes = sorted(code for code in statistics.languages if code in LANGUAGES and code != UNKNOWN)
    lines = [
        "---",
        f"pretty_name: {json.dumps(facts.name)}",
        f"license: {json.dumps(facts.licence)}",
        *_listed("language", [json.dumps(code) for code in codes]),
        *_listed("multilinguality", ["multilingual"] if len(codes) > 1 else ["monolingual"]),
        *_listed("task_categories", ["summarization"]),
        *_listed("tags", ["news", "multi-document", "cross-lingual"]),
        *_listed("size_categories", [json.dumps(size)]),
        "configs:",
        "- config_name: default",
        "  data_files:",
    ]
    for name in SPLITS:
        if statistics.events[name]:
            lines += [f"  - split: {name}", f"    path: data/{name}.parquet"]
    return "\n".join([*lines, "---", ""])


def _listed(key: str, values: Sequence[str]) -> list[str]:
    return [f"{key}:", *(f"- {value}" for value in values)] if values else [f"{key}: []"]


def _about(facts: Facts, statistics: Statistics) -> str:
    events, documents = sum(statistics.events.values()), sum(statistics.documents.values())
    what = (
        "News events, each told by several reports in several languages, as one row"
        if facts.has_text
        else "Identifiers, addresses and digests of news reports on events, without their texts; "
        "`globesumm dataset FOLDER --rehydrate --out DIR` fetches the texts and compares digests"
    )
    return (
        f"{what}. {events} events, {documents} documents, {len(statistics.languages)} languages. "
        "The layout and its rules follow GlobeSumm (Ye et al., 2024).\n"
    )


def _loading(facts: Facts) -> str:
    more = (
        " `data/*.jsonl` hold the same events, one a line, as `globesumm summarize` and "
        "`globesumm grid` take them."
        if facts.has_text
        else ""
    )
    return f'`datasets.load_dataset("PATH OF THIS FOLDER")` reads it, offline too.{more}\n'


def _splits(facts: Facts) -> str:
    found = (
        "No two splits share an address, a text, a near-duplicate or a happening"
        if not facts.leaks
        else f"{facts.leaks} links between two splits were found: see `leaks.jsonl`"
    )
    return (
        "## Splits\n\n"
        f"By event, 60 % train, 20 % valid, 20 % test (rule {RULE}, seed {facts.seed}). Related "
        "events form a group, and a group goes into one split; events keep their split when the "
        f"data set grows. {found} (`{facts.links}`).\n"
    )


def _columns(facts: Facts) -> str:
    table = Table(
        name="columns",
        title="One row",
        header=("Column", "Type"),
        rows=tuple(tuple(row) for row in facts.columns),
        notes=("A value that is not known is null, and notes say why.",),
    )
    return f"## Columns\n\n{table.markdown()}"


def _care(facts: Facts, events: Iterable[Event]) -> str:
    notes: Counter[str] = Counter()
    for event in events:
        unverified = any("not verified" in note or "unverified" in note for note in event.notes)
        notes["with documents that nobody verified"] += unverified
    lines = ["## What to know\n"]
    lines += [
        f"- Checks: {count} × {escaped(kind)}." for kind, count in sorted(facts.findings.items())
    ] or ["- Checks found nothing to remark."]
    lines += [f"- {count} events {what}." for what, count in notes.items() if count]
    lines.append(
        f"- {facts.taken} documents were taken out on request. Who holds rights in a text may "
        "ask for its removal; a later build does not bring it back."
    )
    lines.append(
        "- The texts are news reports under their publishers' rights; they name real people, may "
        "be wrong, and contradict one another: that is what the data set is about."
    )
    return "\n".join(lines) + "\n"


def sites(events: Iterable[Event]) -> Table:
    """The sites with the most documents."""
    hosts = Counter(
        host_of(document.url) if document.url else "(no address)"
        for event in events
        for document in event.documents
    )
    ordered = sorted(hosts.items(), key=lambda one: (-one[1], one[0]))
    rows = tuple((host, str(count)) for host, count in ordered[:SITES])
    rest = len(ordered) - len(rows)
    return Table(
        name="sites",
        title="Sites with the most documents",
        header=("Site", "# Docs"),
        rows=rows,
        notes=(f"{rest} more sites.",) if rest else (),
    )
