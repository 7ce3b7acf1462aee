"""Measured results on public data sets, each a command: ``globesumm study NAME --data PATH``.

`STUDIES` is the table of them; a study's module has ``run(data, seed) -> Page``, and where it
draws from its data ``run(data, seed, size) -> Page``.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One study: the module that carries it out, a line of help, and the data it needs.

    `sized` says what its size counts, with the default; None where nothing is drawn.  One that
    `asks` can be given a model: its ``run`` takes ``model`` too.
    """

    module: str
    about: str
    data: str | None
    sized: str | None
    asks: bool = False


STUDIES: Mapping[str, Study] = {
    "multiling": Study(
        module="baselines.studies.multiling",
        about="mixed-language events into English, beside ten systems and people",
        data="MultiLing 2011 pilot",
        sized="draws of the languages a topic (5)",
    ),
    "backgrounds": Study(
        module="baselines.studies.backgrounds",
        about="prefixes of 14 long-running events against what people wrote at that point",
        data="background-summaries",
        sized="prefixes a timeline (8; 200 are all)",
    ),
    "clustering": Study(
        module="baselines.studies.clustering",
        about="own clusters of mixed texts against their topics: B-cubed, NMI, ARI",
        data="MultiLing 2011 pilot",
        sized="draws of one language a text (5)",
    ),
    "conflicts": Study(
        module="baselines.studies.conflicts",
        about="precision and recall of the conflict decision on altered sentence pairs",
        data="MultiLing 2011 pilot",
        sized="altered pairs, and as many others (200)",
    ),
    "known-items": Study(
        module="baselines.studies.known_items",
        about="the document that a query was taken from, 26 languages, beside pyserini's defaults",
        data="XQuAD, MultiLing 2011, fundus, GDELT rows",
        sized=None,
    ),
    "reranking": Study(
        module="baselines.studies.reranking",
        about="choosing among drafts of made-up events with known points, for one aim and several",
        data=None,
        sized="events (200)",
    ),
    "highlights": Study(
        module="baselines.studies.highlights",
        about="overlap of people's highlights, human coverage and faithfulness, as published",
        data="the perspective paper's released annotations",
        sized=None,
    ),
    "planted": Study(
        module="baselines.studies.planted",
        about="how far planted orders and verdicts move judges and summaries, and are flagged",
        data=None,
        sized="attacks (all)",
        asks=True,
    ),
    "samples": Study(
        module="baselines.studies.samples",
        about="planted redundancies, omissions and conflicts found in the sample events",
        data=None,
        sized=None,
    ),
}
"""All studies by the name they are asked for."""
