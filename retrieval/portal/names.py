"""What articles are called in other languages: Wikipedia's language links, kept on disk.

An article is asked for once, with all its languages, so that a further language costs nothing.
The links are the work of people and are better names than any translation of the English one.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import LANGUAGES, UNKNOWN, parse
from globesumm.progress import track
from globesumm.text.clean import clean
from retrieval.portal.batches import batches, final, pages_in, renamed
from retrieval.portal.client import ApiError, Client
from retrieval.portal.titles import name_from

_NO_LANGUAGE = frozenset({"sh"})
"""Wikipedias whose code would read as a language of its own elsewhere (Serbo-Croatian)."""

_TABLE = "CREATE TABLE IF NOT EXISTS pages (title TEXT PRIMARY KEY, page TEXT, links TEXT)"


def wanted_languages(written: str) -> tuple[str, ...]:
    """Languages as a user lists them, canonical and without repetition; "globesumm" is all 26."""
    from globesumm.languages import GLOBESUMM

    found: list[str] = []
    for part in written.replace(",", " ").split():
        if part.casefold() == "globesumm":
            found += GLOBESUMM
        elif parse(part) == UNKNOWN:
            raise UsageError(f"--languages {part}: no language to find names in")
        else:
            found.append(parse(part))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class NameStore:
    """Language links by article, in one SQLite file; any process may read it meanwhile."""

    path: Path

    def lacking(self, titles: Iterable[str]) -> list[str]:
        """The titles of which nothing is known yet, sorted."""
        wanted = set(titles)
        if not self.path.exists():
            return sorted(wanted)
        query = "SELECT 1 FROM pages WHERE title = ?"
        with self._open() as store:
            return sorted(it for it in wanted if store.execute(query, (it,)).fetchone() is None)

    def put(self, found: Mapping[str, tuple[str | None, Mapping[str, str]]]) -> None:
        """Keep (article, links) by title; the article is None where there is none."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows = [
            (title, page, json.dumps(dict(links), ensure_ascii=False, sort_keys=True))
            for title, (page, links) in found.items()
        ]
        with self._open() as store, store:
            store.execute(_TABLE)
            store.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", rows)

    def names(self, titles: Iterable[str], languages: Sequence[str]) -> dict[str, dict[str, str]]:
        """The names of articles in `languages`; those without any are left out.

        Raises `DataError` if nothing is known of one: no name and not asked are two things.
        """
        found: dict[str, dict[str, str]] = {}
        wanted = set(titles)
        unknown = set(self.lacking(wanted))
        if unknown:
            shown = ", ".join(sorted(unknown)[:3]) + (", …" if len(unknown) > 3 else "")
            raise DataError(f"the names of {len(unknown)} articles could not be had: {shown}")
        with self._open() as store:
            for title in sorted(wanted - unknown):
                row = store.execute(
                    "SELECT page, links FROM pages WHERE title = ?", (title,)
                ).fetchone()
                if row[0] is not None and (names := _names(row[0], row[1], languages)):
                    found[title] = names
        return found

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as store:
                yield store
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"{self.path} cannot be used ({error}): remove it to start anew"
            ) from error


def _names(page: str, links: str, languages: Sequence[str]) -> dict[str, str]:
    titles = {"en": page, **json.loads(links)}
    by_language: dict[str, str] = {}
    # A Wikipedia under the language's own code comes before one under another code for it.
    for code in sorted(titles, key=lambda code: code not in LANGUAGES):
        language = _language(code)
        if language is not None and titles[code]:
            by_language.setdefault(language, clean(name_from(titles[code])).text)
    return {language: by_language[language] for language in languages if language in by_language}


def _language(code: str) -> str | None:
    """The language of the Wikipedia of this code, where that is beyond doubt.

    Longer codes are not: "als" is Alemannic there and Tosk Albanian elsewhere.
    """
    if code in LANGUAGES:
        return code
    if len(code) != 2 or code in _NO_LANGUAGE:
        return None
    try:
        return parse(code)
    except UnknownName:
        return None


@dataclass(slots=True)
class Fetched:
    """How many articles are known now, how many of them do not exist, which could not be had."""

    had: int = 0
    absent: int = 0
    failed: list[str] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)


def fetch_names(titles: Sequence[str], store: NameStore, client: Client) -> Fetched:
    """Ask for the language links of articles; what fails is named and the rest goes on."""
    done = Fetched()
    groups = list(batches(list(titles)))
    for group in track(groups, "names of articles"):
        try:
            found = _links(group, client)
        except ApiError as error:
            done.failed += group
            done.causes.append(str(error))
            continue
        store.put(found)
        done.had += len(found)
        done.absent += sum(page is None for page, _ in found.values())
    return done


def _links(
    titles: Sequence[str], client: Client
) -> dict[str, tuple[str | None, Mapping[str, str]]]:
    moves: dict[str, str] = {}
    pages: dict[str, dict[str, Any]] = {}
    links: dict[str, dict[str, str]] = {}
    parameters = {
        "prop": "langlinks",
        "lllimit": "max",
        "redirects": "1",
        "titles": "|".join(titles),
    }
    for answer in client.query(parameters):
        moves |= renamed(answer)
        for page in pages_in(answer):
            title = str(page["title"])
            pages.setdefault(title, page)
            for link in page.get("langlinks") or []:
                if isinstance(link, dict) and link.get("lang") and link.get("title"):
                    links.setdefault(title, {})[str(link["lang"])] = str(link["title"])
    found: dict[str, tuple[str | None, Mapping[str, str]]] = {}
    for title in titles:
        end = final(title, moves)
        mine = pages.get(end, {"missing": True})
        exists = not mine.get("missing") and not mine.get("invalid")
        found[title] = (end, links.get(end, {})) if exists else (None, {})
    return found
