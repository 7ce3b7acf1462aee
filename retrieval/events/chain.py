"""One chain: its config and folder, the events it is about, and who is asked."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.runs import Run, Setting
from globesumm.values import Rejected
from retrieval.events.asking import Asker
from retrieval.events.layout import Layout
from retrieval.events.pages import Pages
from retrieval.events.queries import Query, have_queries
from retrieval.events.seeds import Seeds, choose, events_at
from retrieval.events.settings import EventsConfig
from retrieval.events.sources import Work


@dataclass(slots=True, kw_only=True)
class Chain:
    """How work is placed (`work`), and who is asked where the config names a model (`asker`).

    `rejected` are rows of people's files that could not be read.
    """

    config: EventsConfig
    layout: Layout
    work: Work = field(default_factory=Work)
    asker: Asker | None = None
    rejected: list[Rejected] = field(default_factory=list)
    _seeds: Seeds | None = None

    def seeds(self) -> Seeds:
        """The events wanted; raises `UsageError` where the portal has not been read."""
        if self._seeds is None:
            where = Path(self.config.portal.events or self.layout.portal)
            self._seeds = choose(events_at(where), self.config.portal)
        return self._seeds

    @property
    def translator(self) -> Asker | None:
        return self.asker if self.config.translates else None

    @property
    def judge(self) -> Asker | None:
        return self.asker if self.config.judges else None

    def queries(self) -> list[Query]:
        """The queries as they stand in the file."""
        return have_queries(
            self.seeds().chosen, self.config.languages, self.layout.queries, self.translator
        )

    def pages(self) -> Pages:
        """The pages that are to be had."""
        return Pages(
            config=self.config,
            layout=self.layout,
            events=self.seeds().chosen,
            queries=self.queries() if self.config.fetch.by_title else (),
        )


def start(chain: Chain) -> None:
    """Claim the folder for these sources.

    Raises `RunMismatch` where it holds what came from others, so that no index mixes them.
    """
    config = chain.config
    settings: dict[str, Setting] = {
        "first": str(config.first) if config.first else None,
        "last": str(config.last) if config.last else None,
        "documents": " ".join(config.documents) or None,
        "portal": config.portal.events or config.portal.saved or config.portal.api,
        "gdelt": None if config.documents else config.gdelt.base,
        "streams": None if config.documents else " ".join(config.gdelt.streams),
    }
    Run.start(chain.layout.out, settings)


def alone(chain: Chain) -> AbstractContextManager[None]:
    """Keep a second process out of the chain's folder."""
    return Run(chain.layout.out).alone()
