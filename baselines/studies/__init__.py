"""Measured results on public data sets, each a command: ``globesumm study NAME --data PATH``.

`STUDIES` is the table of them; a study's module has ``run(data, seed) -> Page``.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One study: the module that carries it out, a line of help, and the data it needs."""

    module: str
    about: str
    data: str | None


STUDIES: Mapping[str, Study] = {
    "multiling": Study(
        module="baselines.studies.multiling",
        about="mixed-language events into English, beside ten systems and people",
        data="MultiLing 2011 pilot",
    ),
    "backgrounds": Study(
        module="baselines.studies.backgrounds",
        about="every prefix of 14 long-running events against what people wrote at that point",
        data="background-summaries",
    ),
    "conflicts": Study(
        module="baselines.studies.conflicts",
        about="precision and recall of the conflict decision on altered sentence pairs",
        data="MultiLing 2011 pilot",
    ),
    "samples": Study(
        module="baselines.studies.samples",
        about="planted redundancies, omissions and conflicts found in the sample events",
        data=None,
    ),
}
"""All studies by the name they are asked for."""
