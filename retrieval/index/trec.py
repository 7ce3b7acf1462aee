"""TREC's files: topics in, runs and relevance judgements in and out, measures over them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from globesumm.errors import DataError, MissingPackage, UsageError, cannot_read, nearest_name
from globesumm.values import Rejected
from retrieval.index.bm25 import Hit

_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:)?(.*?)(?=<|$)", re.DOTALL | re.IGNORECASE)

_WHOLE = re.compile(r"[+-]?[0-9]{1,6}")
"""What a C long holds anywhere, and no judge has given more."""

DEFAULT_MEASURES = ("nDCG@10", "RR", "R@100")


def read_topics(path: Path) -> tuple[dict[str, str], list[Rejected]]:
    """Queries by name: TREC's ``<top>`` form, or lines of name, tab and query.

    A topic without a name or words is named; of two with one name the first counts.  Raises
    `DataError` for a file without a topic.
    """
    text = _read(path)
    found = _tops(text, path) if "<top>" in text.lower() else _lines(text, path)
    topics: dict[str, str] = {}
    rejected: list[Rejected] = []
    for one in found:
        if isinstance(one, Rejected):
            rejected.append(one)
        elif one[0] in topics:
            rejected.append(Rejected(where=f"{path}: {one[0]}", reason="the name came before"))
        else:
            topics[one[0]] = one[1]
    if not topics:
        raise DataError(f"{path}: holds no topic: give <top> elements, or name, tab and query")
    return topics, rejected


def run_lines(query: str, hits: Iterable[Hit]) -> Iterator[str]:
    """The lines of a run; blanks in names are written as %20, because blanks part fields."""
    for hit in hits:
        name = quoted(hit.document)
        yield f"{quoted(query)} Q0 {name} {hit.rank} {hit.score:.6f} globesumm"


def qrel_line(query: str, document: str, relevance: int) -> str:
    """One judgement as TREC writes it."""
    return f"{quoted(query)} 0 {quoted(document)} {relevance}"


def quoted(name: str) -> str:
    """`name` without blanks, as a field of these files."""
    return "".join(quote(c) if c.isspace() or c == "%" else c for c in name)


def unquoted(name: str) -> str:
    """The name that `quoted` made a field of."""
    return unquote(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The mean of a measure over the `n` topics with judgements, of `expected` in the run."""

    measure: str
    value: float
    n: int
    expected: int


def measured(
    qrels: Path, run: Mapping[str, Iterable[Hit]], measures: Iterable[str] = DEFAULT_MEASURES
) -> list[Measured]:
    """ir-measures over a run: each measure's mean over the topics that have judgements.

    Topics without judgements are in `expected` alone; a topic without a hit counts with its
    worst value, as trec_eval's ``-c`` does.  Raises `UsageError` for a measure nobody knows and
    `DataError` for judgements that cannot be read (see `read_qrels`).
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingPackage("ir-measures", "measuring a search", "retrieval") from error
    wanted = [_measure(name) for name in measures]
    judged = [ir_measures.Qrel(*row) for row in read_qrels(qrels)]
    topics = {one.query_id for one in judged}
    scored = [
        ir_measures.ScoredDoc(quoted(query), quoted(hit.document), hit.score)
        for query, hits in run.items()
        for hit in hits
    ]
    counted = {quoted(query) for query in run}
    count = len(topics & counted)
    if not count:
        raise UsageError(
            f"{qrels} judges none of the {len(counted)} topics asked: give the judgements of these "
            "topics"
        )
    asked = [one for one in judged if one.query_id in counted]
    try:
        found = ir_measures.calc_aggregate(wanted, asked, scored)
    except Exception as error:
        # Each of its providers refuses what it cannot do in its own way.
        names = ", ".join(map(str, wanted))
        raise UsageError(f"ir-measures cannot compute {names} ({error})") from error
    return [
        Measured(measure=str(one), value=float(found[one]), n=count, expected=len(counted))
        for one in wanted
    ]


def read_qrels(path: Path) -> list[tuple[str, str, int]]:
    """(topic, document, relevance) of each line of TREC's relevance judgements.

    Raises `DataError` for a line that is none, and for a document judged in two ways: a mean over
    a part of the judgements would be another figure under the same name.
    """
    found: dict[tuple[str, str], int] = {}
    for place, line in enumerate(_read(path).removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip():
            continue
        where, fields = f"{path}: line {place}", line.split()
        relevance = _WHOLE.fullmatch(fields[-1])
        if len(fields) != 4 or relevance is None:
            raise DataError(
                f"{where}: {line[:80]!r} is no judgement: write TOPIC 0 DOCUMENT RELEVANCE, "
                "relevance a whole number of at most six digits"
            )
        judged = (fields[0], fields[2])
        if found.setdefault(judged, int(fields[3])) != int(fields[3]):
            raise DataError(f"{where}: {fields[2]!r} was judged otherwise above: keep one line")
    if not found:
        raise DataError(f"{path}: holds no judgement: give lines of topic, 0, document and grade")
    return [(topic, document, relevance) for (topic, document), relevance in found.items()]


def _measure(name: str) -> Any:
    import ir_measures

    error: Exception | None = None
    try:
        measure = ir_measures.parse_measure(name.strip())
    except (NameError, ValueError, SyntaxError, AssertionError, TypeError, KeyError) as refused:
        error = refused
    # trec_eval takes the whole process with it at a cutoff of nothing.
    if error or not all(map(_is_sensible, measure.params.values())):
        known = sorted(ir_measures.measures.registry)
        near = nearest_name(name.partition("@")[0], known)
        hint = f": did you mean {near!r}?" if near else ""
        raise UsageError(f"no measure {name!r}{hint} (for instance nDCG@10, RR, R@100)") from error
    return measure


def _is_sensible(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return not is_number or 0 < value < 1_000_000  # type: ignore[operator]


def _read(path: Path) -> str:
    from globesumm.text.clean import decode

    try:
        return decode(path.read_bytes()).text
    except OSError as error:
        raise UsageError(cannot_read(path, error)) from error


def _tops(text: str, path: Path) -> Iterator[tuple[str, str] | Rejected]:
    for place, top in enumerate(_TOP.findall(text), start=1):
        number, title = _NUMBER.search(top), _TITLE.search(top)
        words = " ".join(unescape(title[1]).split()) if title else ""
        if not number or not words:
            yield Rejected(where=f"{path}: topic {place}", reason="no <num> or no <title>")
        else:
            yield number[1], words


def _lines(text: str, path: Path) -> Iterator[tuple[str, str] | Rejected]:
    for place, line in enumerate(text.splitlines(), start=1):
        name, tab, words = line.partition("\t")
        if not line.strip():
            continue
        if not tab or not name.strip() or not words.strip():
            yield Rejected(where=f"{path}: line {place}", reason="no name, tab and query")
        else:
            yield name.strip(), words.strip()
