"""Everything that one look for a brief sees: from an index, the web, GDELT, or files at hand."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.brief_pages import fetched, named_event, portal_row, read_source
from globesumm.cli.brief_words import NO_DAY, queries_of
from globesumm.errors import UsageError
from globesumm.values import Document, Event, Rejected

if TYPE_CHECKING:
    from baselines.briefs import Request
    from baselines.briefs.choosing import Fate
    from baselines.briefs.searching import Lack, Seen
    from baselines.briefs.story import Stories
    from retrieval.portal.values import PortalEvent


@dataclass(slots=True, kw_only=True)
class Gathered:
    """What one look saw: reports of the event, `aside` those of others, what is missing.

    `description` and `event` are those of whoever named it, None where nobody did.
    """

    seen: "list[Seen]" = field(default_factory=list)
    aside: "list[Fate]" = field(default_factory=list)
    lacks: "list[Lack]" = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    description: str | None = None
    event: Event | None = None

    @property
    def documents(self) -> list[Document]:
        return [one.document for one in self.seen]


def gather(
    options: argparse.Namespace, request: "Request", stories: "Stories", held: Sequence[Document]
) -> Gathered:
    """Everything that the request may take.

    `held` are the documents that the event has already: what nobody named must tell their story.
    Raises `UsageError` where the request cannot be carried out at all.
    """
    return _Gatherer(options, request, stories, held).gathered()


class _Gatherer:
    """One look."""

    def __init__(
        self,
        options: argparse.Namespace,
        request: "Request",
        stories: "Stories",
        held: Sequence[Document],
    ) -> None:
        self._options, self._request, self._stories = options, request, stories
        self._held = list(held)
        self._found = Gathered()

    def gathered(self) -> Gathered:
        from baselines.briefs import Kind

        request, found = self._request, self._found
        if request.kind is Kind.WORDS:
            found.description = request.text
            self._search(None)
        elif request.kind is Kind.PORTAL:
            from baselines.briefs.asked import portal_event

            self._portal(portal_event(request.text, request.since or NO_DAY))
        elif request.kind is Kind.ADDRESSES:
            self._fetch([{"url": one.strip()} for one in request.inputs], "named")
        else:
            self._at_hand()
        for source in request.also:
            self._also(source)
        return found

    def _portal(self, event: "PortalEvent") -> None:
        self._found.description = event.description
        rows = [{"url": one.url, "outlet": one.label} for one in event.sources if one.url]
        if rows:
            self._fetch(rows, "cited by the portal")
        if self._request.index or self._request.gdelt:
            self._request = replace(self._request, inputs=(event.description,))
            self._search(event)
        elif not rows:
            raise UsageError("the portal's event has no source with an address: add --index INDEX")

    def _fetch(self, rows: Sequence[Mapping[str, str | None]], how: str) -> None:
        from baselines.briefs.searching import Seen

        documents, rejected = fetched(self._options, rows, again=bool(self._held))
        self._found.seen += [Seen(document=one, how=how, named=True) for one in documents]
        self._found.rejected += rejected

    def _at_hand(self) -> None:
        from baselines.briefs.searching import Seen
        from globesumm.cli.experiment_events import holds_events, read_events

        (source,) = self._request.inputs
        if (event := portal_row(source, self._request.event)) is not None:
            self._portal(event)
            return
        if holds_events(source):
            events, self._found.rejected = read_events((source,))
            chosen = named_event(events, self._request.event, source)
            self._found.event, self._found.description = chosen, chosen.description
            documents = list(chosen.documents)
        else:
            documents, self._found.rejected = read_source(self._options, source)
        self._found.seen += [
            Seen(document=one, how=f"named: {source}", named=True) for one in documents
        ]

    def _also(self, source: str) -> None:
        from baselines.briefs.searching import Seen

        documents, rejected = read_source(self._options, source)
        self._found.rejected += rejected
        seen = [Seen(document=one, how=f"--also {source}") for one in documents]
        self._take(seen)

    def _search(self, portal: "PortalEvent | None") -> None:
        from baselines.briefs.searching import around, languages_in, search

        folder = self._index(portal)
        queries = queries_of(self._options, self._request, languages_in(folder), portal)
        hits, lacks = search(folder, self._request, queries)
        self._take(hits)
        story = [*self._held, *self._found.documents]
        known = [*(one.id for one in story), *(one.document.id for one in hits)]
        near, more = around(folder, self._request, story, known)
        # What merely lies near in time is no report of another event that anybody asked for.
        self._take(near, account=False)
        had = {one.language for one in self._found.documents}
        self._found.lacks += [*(one for one in lacks if one.what not in had), *more]

    def _index(self, portal: "PortalEvent | None") -> Path:
        request = self._request
        if request.gdelt:
            from globesumm.cli.brief_live import live_index

            return live_index(self._options, request, portal)
        if request.index:
            return Path(request.index)
        raise UsageError(
            "words are looked for in an index, and none is named: --index INDEX (globesumm index "
            "makes one), or --gdelt FIRST..LAST where there is a network; or name addresses, or "
            "a file of documents"
        )

    def _take(self, seen: "Sequence[Seen]", *, account: bool = True) -> None:
        """Keep what tells of the event; the others go to the account."""
        from baselines.briefs.choosing import OTHER, fate

        documents = [one.document for one in seen]
        anchors = [*self._held, *self._found.documents]
        if anchors:
            every = [*anchors, *documents]
            story = self._stories.of_the_story({one.id for one in anchors}, every)
        else:
            story = set(self._stories.asked_for(documents, self._request.text))
        self._found.seen += [one for one in seen if one.document.id in story]
        if account:
            why = "stands in another cluster of reports"
            self._found.aside += [
                fate(one, OTHER, why) for one in seen if one.document.id not in story
            ]
