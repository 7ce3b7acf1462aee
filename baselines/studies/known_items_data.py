"""Queries with one right document each, from public data sets and from texts written for it.

A question's paragraph (XQuAD), the rest of a news text after its lead sentence (MultiLing 2011),
the body of a saved page by its title (fundus), a title by every second of its words (GDELT), and
where those leave a language short, invented local news by its title (``data/known_items``).
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from baselines.studies import multiling_data
from baselines.studies.xquad_data import read_questions
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import GLOBESUMM, parse
from globesumm.text.sentences import split
from globesumm.text.words import words
from retrieval.gdelt.articles import articles
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.rows import Tally
from retrieval.language import detect

WANTED = 50
"""Documents of a language from which its texts are not added to."""

XQUAD, MULTILING, FUNDUS, GDELT, OWN = "XQuAD", "MultiLing", "fundus", "GDELT titles", "own"
SOURCES = (XQUAD, MULTILING, FUNDUS, GDELT, OWN)

_FEWEST_WORDS = 3
"""A query with fewer says too little to have one right answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A query and the one document that it was taken from; `source` is one of `SOURCES`."""

    id: str
    language: str
    source: str
    query: str
    text: str


def load(data: Path | None) -> dict[str, list[Item]]:
    """The items of each of the 26 languages, by code, in the order of `SOURCES`.

    Of equal names, queries or texts in a language the first counts.  Raises `UsageError` where
    `data` holds none of the data sets.
    """
    if data is None or not data.exists():
        raise UsageError(
            f"--data {data} does not exist: name the folder that holds xquad, multiling2011, "
            "fundus and GDELT's rows (one of them, or several beneath it)"
        )
    found = [*_xquad(data), *_multiling(data), *_fundus(data), *_gdelt(data)]
    if not found:
        raise UsageError(f"--data {data} holds no XQuAD, MultiLing, fundus or GDELT files")
    items = {code: _distinct(one for one in found if one.language == code) for code in GLOBESUMM}
    for code, held in items.items():
        if len(held) < WANTED:
            items[code] = _distinct([*held, *own(code)])
    return items


def own(language: str) -> list[Item]:
    """The texts written for this in `language`, none where there is no need of them.

    Raises `DataError` for a line that is not a title, a tab and a text.
    """
    file = resources.files("globesumm").joinpath(f"data/known_items/{language}.tsv")
    if not file.is_file():
        return []
    made = []
    for place, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        title, _, text = line.partition("\t")
        if not title.strip() or not text.strip():
            raise DataError(f"known_items/{language}.tsv, line {place}: not title, tab and text")
        made.append(_item(OWN, str(place), language, title, text))
    return made


def counted(items: Sequence[Item]) -> str:
    """How many items each source gave: ``XQuAD 240, MultiLing 60``."""
    counts = Counter(item.source for item in items)
    return ", ".join(f"{source} {counts[source]}" for source in SOURCES if counts[source])


def _item(source: str, name: str, language: str, query: str, text: str) -> Item:
    short = source.split(maxsplit=1)[0].lower()
    return Item(
        id=f"{short}-{name}",
        language=language,
        source=source,
        query=_plain(query),
        text=_plain(text),
    )


def _plain(text: str) -> str:
    # Java's strings cannot hold a lone surrogate, and pyserini does not see to it.
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _distinct(items: Iterator[Item] | Sequence[Item]) -> list[Item]:
    names: set[str] = set()
    queries: set[str] = set()
    texts: set[str] = set()
    kept = []
    for item in items:
        few = len(words(item.query, item.language)) < _FEWEST_WORDS
        known = item.id in names or item.query in queries or item.text in texts
        if few or known or not item.text:
            continue
        names.add(item.id)
        queries.add(item.query)
        texts.add(item.text)
        kept.append(item)
    return kept


def _xquad(data: Path) -> Iterator[Item]:
    """The first question about each paragraph."""
    for path in sorted(data.rglob("xquad.*.json*")):
        asked = read_questions(str(path))
        for paragraph in asked.paragraphs:
            if asked.language in GLOBESUMM and paragraph.questions:
                query = paragraph.questions[0].text
                yield _item(XQUAD, paragraph.name, asked.language, query, paragraph.context)


def _multiling(data: Path) -> Iterator[Item]:
    """The lead sentence of each text, and what follows it."""
    try:
        pilot = multiling_data.load(data)
    except UsageError:
        return
    for (topic, number, language), document in sorted(pilot.texts.items()):
        sentences = split(document.text, language)
        if len(sentences) > 1 and language in GLOBESUMM:
            name = f"{topic}{number}.{language}"
            yield _item(MULTILING, name, language, sentences[0], " ".join(sentences[1:]))


def _fundus(data: Path) -> Iterator[Item]:
    """The title and the body of each saved page that people read."""
    folders = {path.parent.parent for path in data.rglob("meta.info")}
    for path in sorted(file for folder in folders for file in folder.glob("*/*.json")):
        try:
            versions = json.loads(path.read_text("utf-8"))
            pages = {
                v: (p.get("title") or "", _body(p.get("body") or {}))
                for v, p in sorted(versions.items())
            }
        except (ValueError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path}: not the versions of a page in JSON ({error}): take the file anew"
            ) from error
        for version, (title, text) in pages.items():
            language = detect(f"{title}\n{text}").language
            if language in GLOBESUMM and text:
                name = f"{path.parent.name}-{path.stem}-{version}"
                yield _item(FUNDUS, name, language, title, text)


def _body(body: dict[str, Any]) -> str:
    found: list[str] = [*(body.get("summary") or ())]
    for section in body.get("sections") or ():
        found += [*(section.get("headline") or ()), *(section.get("paragraphs") or ())]
    return "\n".join(found)


def _gdelt(data: Path) -> Iterator[Item]:
    """Every second word of each title that the Global Knowledge Graph has."""
    for name, stream in (("gkg.csv", Stream.ENGLISH), ("gkgT.csv", Stream.TRANSLATED)):
        for path in sorted(data.rglob(name)):
            tally = Tally(name, Product.GKG)
            for place, article in enumerate(articles([path.read_bytes()], stream, tally)):
                try:
                    language = parse(article.language)
                except UnknownName:
                    continue
                if article.title and language in GLOBESUMM:
                    half = " ".join(article.title.split()[::2])
                    yield _item(GDELT, f"{stream}-{place}", language, half, article.title)
