"""Wikipedia's API in its own shape: revisions, parse, language links, continuation, lag.

Only ``formatversion=2`` and ``format=json``, as today's clients ask.  An answer to more than 50
titles, or to a client whose User-Agent names no contact, is the refusal that Wikimedia gives.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.retrieval.mirror.replies import Reply, status

if TYPE_CHECKING:
    from tests.retrieval.mirror.web_server import Asking

MOST_TITLES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    page: int
    title: str
    revision: int
    timestamp: str
    wikitext: str


class Wiki:
    """Pages with their revisions, redirects and language links.

    `links_an_answer` and `pages_an_answer` are how much fits into one answer before the client
    must continue (Wikipedia: 500 links; as many pages as 12 MB hold).
    """

    def __init__(self) -> None:
        self.api = ""
        self.pages: dict[str, list[Revision]] = {}
        self.redirects: dict[str, str] = {}
        self.languages: dict[str, dict[str, str]] = {}
        self.links_an_answer = 500
        self.pages_an_answer = MOST_TITLES
        self._lagging = 0
        self._lag_seconds, self._retry_after = 7.3, "1"

    def add(
        self, title: str, wikitext: str, *, revision: int, timestamp: str = "2023-12-18T05:27:25Z"
    ) -> None:
        """A further revision of `title`; the last one added is the current one."""
        number = 1000 + (list(self.pages).index(title) if title in self.pages else len(self.pages))
        self.pages.setdefault(title, []).append(
            Revision(
                page=number, title=title, revision=revision, timestamp=timestamp, wikitext=wikitext
            )
        )

    def load(self, folder: Path) -> list[str]:
        """Add the saved pages of ``portal/wikitext`` under their titles and revisions."""
        titles = []
        for facts_path in sorted(folder.glob("*.json")):
            facts = json.loads(facts_path.read_text(encoding="utf-8"))
            text = facts_path.with_suffix(".wiki").read_bytes().decode()
            self.add(
                facts["page"],
                text,
                revision=facts["revision_id"],
                timestamp=facts["revision_timestamp"],
            )
            titles.append(facts["page"])
        return titles

    def lag(self, answers: int, seconds: float = 7.3, retry_after: str = "1") -> None:
        """Refuse the next `answers` that state a maxlag below `seconds`, with HTTP 200."""
        self._lagging, self._lag_seconds, self._retry_after = answers, seconds, retry_after

    def answer(self, asking: "Asking") -> Reply:
        asked = asking.parameters
        agent = asking.headers.get("User-Agent", "")
        if "@" not in agent and "http" not in agent:
            return status(403, "Please set a user-agent and respect our robot policy. See T400119.")
        if asked.get("format") != "json" or asked.get("formatversion") != "2":
            return status(400, "this mirror speaks format=json&formatversion=2")
        if self._lagging and float(asked.get("maxlag", "inf")) < self._lag_seconds:
            self._lagging -= 1
            reply = _error("maxlag", f"Waiting for db1: {self._lag_seconds} seconds lagged.")
            return replace(reply, headers={"Retry-After": self._retry_after, "X-Database-Lag": "7"})
        match asked.get("action"):
            case "query":
                return self._query(asked)
            case "parse":
                return self._parse(asked)
            case other:
                return _error("badvalue", f'Unrecognized value for parameter "action": {other}.')

    def _query(self, asked: dict[str, str]) -> Reply:
        titles = [title for title in asked.get("titles", "").split("|") if title]
        wanted = [number for number in asked.get("revids", "").split("|") if number]
        if len(titles) + len(wanted) > MOST_TITLES:
            return _error("toomanyvalues", f"Too many values: the limit is {MOST_TITLES}.")
        query: dict[str, Any] = {}
        found: list[tuple[str, Revision | None]] = []
        for title in titles:
            canonical = title.replace("_", " ").strip()
            canonical = canonical[:1].upper() + canonical[1:]
            if canonical != title:
                pair = {"fromencoded": False, "from": title, "to": canonical}
                query.setdefault("normalized", []).append(pair)
            if "redirects" in asked and canonical in self.redirects:
                target = self.redirects[canonical]
                query.setdefault("redirects", []).append({"from": canonical, "to": target})
                canonical = target
            if canonical not in dict(found):
                found.append((canonical, self._current(canonical)))
        by_number = {str(it.revision): it for kept in self.pages.values() for it in kept}
        for number in wanted:
            if number in by_number:
                found.append((by_number[number].title, by_number[number]))
            else:
                query.setdefault("badrevids", {})[number] = {"revid": int(number), "missing": True}
        pages = [self._page(title, revision) for title, revision in found]
        answer: dict[str, Any] = {"batchcomplete": True, "query": {**query, "pages": pages}}
        properties = asked.get("prop", "").split("|")
        if "revisions" in properties:
            self._add_revisions(answer, found, asked)
        if "langlinks" in properties:
            self._add_links(answer, found, asked)
        return _json(answer)

    def _current(self, title: str) -> Revision | None:
        kept = self.pages.get(title)
        return kept[-1] if kept else None

    def _page(self, title: str, revision: Revision | None) -> dict[str, Any]:
        namespace = 100 if title.startswith("Portal:") else 0
        if revision is None and title not in self.languages:
            return {"ns": namespace, "title": title, "missing": True}
        number = revision.page if revision else 9000 + list(self.languages).index(title)
        return {"pageid": number, "ns": namespace, "title": title}

    def _add_revisions(
        self,
        answer: dict[str, Any],
        found: list[tuple[str, Revision | None]],
        asked: dict[str, str],
    ) -> None:
        wanted = asked.get("rvprop", "ids|timestamp").split("|")
        begun = int(asked.get("rvcontinue", "0").partition("|")[0])
        for place, (_, revision) in enumerate(found):
            if revision is None or place < begun:
                continue
            if place >= begun + self.pages_an_answer:
                _continue(answer, {"rvcontinue": f"{place}|{revision.revision}"})
                return
            entry: dict[str, Any] = {}
            if "ids" in wanted:
                entry |= {"revid": revision.revision, "parentid": revision.revision - 1}
            if "timestamp" in wanted:
                entry["timestamp"] = revision.timestamp
            if "content" in wanted:
                main = {
                    "contentmodel": "wikitext",
                    "contentformat": "text/x-wiki",
                    "content": revision.wikitext,
                }
                entry |= {"slots": {"main": main}} if "rvslots" in asked else main
            answer["query"]["pages"][place]["revisions"] = [entry]

    def _add_links(
        self,
        answer: dict[str, Any],
        found: list[tuple[str, Revision | None]],
        asked: dict[str, str],
    ) -> None:
        limit = asked.get("lllimit", "10")
        most = min(500 if limit == "max" else int(limit), self.links_an_answer)
        links = [
            (place, language, title)
            for place, (page, _) in enumerate(found)
            for language, title in sorted(self.languages.get(page, {}).items())
            if asked.get("lllang", language) == language
        ]
        begun = asked.get("llcontinue")
        if begun is not None:
            place_text, _, language_begun = begun.partition("|")
            links = [it for it in links if it[:2] >= (int(place_text), language_begun)]
        for place, language, title in links[:most]:
            page = answer["query"]["pages"][place]
            page.setdefault("langlinks", []).append({"lang": language, "title": title})
        if len(links) > most:
            place, language, _ = links[most]
            _continue(answer, {"llcontinue": f"{place}|{language}"})

    def _parse(self, asked: dict[str, str]) -> Reply:
        title = asked.get("page", "").replace("_", " ")
        if "redirects" in asked:
            title = self.redirects.get(title, title)
        kept = [it for revisions in self.pages.values() for it in revisions]
        if "oldid" in asked:
            found = next((it for it in kept if str(it.revision) == asked["oldid"]), None)
            code, says = "nosuchrevid", f"There is no revision with ID {asked['oldid']}."
        else:
            found = self._current(title)
            code, says = "missingtitle", "The page you specified doesn't exist."
        if found is None:
            return _error(code, says)
        parsed: dict[str, Any] = {"title": found.title, "pageid": found.page}
        wanted = asked.get("prop", "").split("|")
        if "revid" in wanted or not asked.get("prop"):
            parsed["revid"] = found.revision
        if "wikitext" in wanted:
            parsed["wikitext"] = found.wikitext
        return _json({"parse": parsed})


def _continue(answer: dict[str, Any], where: dict[str, str]) -> None:
    answer.pop("batchcomplete", None)
    answer.setdefault("continue", {"continue": "||"}).update(where)


def _json(value: object) -> Reply:
    body = json.dumps(value, ensure_ascii=False).encode()
    return Reply(body=body, kind="application/json; charset=utf-8")


def _error(code: str, info: str) -> Reply:
    """The API's own errors come with HTTP 200."""
    return _json({"error": {"code": code, "info": info}, "servedby": "mirror"})
