"""The MultiLing 2011 pilot: news texts with their translations, human and system summaries.

Layout: ``SourceTexts/M<topic><document>.<language>``, ``ModelSummaries/<Language>/M<topic>.*``
and ``Submissions/ID<n>/<Language>/M<topic>`` (Giannakopoulos et al., TAC 2011 MultiLing Pilot
Overview).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.studies.places import locate
from globesumm.errors import UsageError
from globesumm.languages import LANGUAGES
from globesumm.text.clean import decode
from globesumm.values import Document, Event, Rejected
from retrieval.event import event_of
from retrieval.read import read

PLACES = ("", "multiling2011", "events/multiling2011", "TAC 2011 MultiLing Pilot Dataset")
WHAT = "the MultiLing 2011 pilot data set (a folder with SourceTexts and ModelSummaries)"

DEVELOPED_ON = frozenset({"000", "001", "002"})
"""Topics on which the extractive merge, its conflict decision and the lists of details were
developed; results on the others are those to go by.
"""

_DOCUMENT = re.compile(r"M(\d{3})(\d)\.\w+")
_SYSTEM = re.compile(r"ID(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiLing:
    """`texts` maps (topic, document number, language) to the document, all dated alike.

    `rejected` are the texts that could not be read.
    """

    folder: Path
    texts: Mapping[tuple[str, int, str], Document]
    rejected: tuple[Rejected, ...]

    @property
    def topics(self) -> list[str]:
        """Topics in order (``"000"``)."""
        return sorted({topic for topic, _, _ in self.texts})

    @property
    def languages(self) -> list[str]:
        """The languages that any text is in."""
        return sorted({language for _, _, language in self.texts})

    def numbers(self, topic: str) -> list[int]:
        """The numbers of the documents of `topic`."""
        return sorted({number for one, number, _ in self.texts if one == topic})

    def in_languages(self, topic: str, number: int) -> dict[str, Document]:
        """One document in every language it exists in, by code."""
        return {
            language: self.texts[topic, number, language]
            for language in self.languages
            if (topic, number, language) in self.texts
        }

    def events(self) -> list[Event]:
        """Every topic as an event (``"M000"``) of its documents in all languages."""
        return [
            event_of(
                (document for (one, _, _), document in self.texts.items() if one == topic),
                id=f"M{topic}",
            )
            for topic in self.topics
        ]

    def references(self, topic: str, language: str = "en") -> list[str]:
        """The human summaries of `topic` in `language`, by the names of their files."""
        folder = self.folder / "ModelSummaries" / LANGUAGES[language].name
        return [_text(path) for path in sorted(folder.glob(f"M{topic}.*"))]

    def systems(self, language: str = "en") -> list[str]:
        """The systems (``"ID9"``) with summaries in `language`, in order of their numbers."""
        name = LANGUAGES[language].name
        found = [
            path.name
            for path in (self.folder / "Submissions").glob("ID*")
            if _SYSTEM.fullmatch(path.name) and (path / name).is_dir()
        ]
        return sorted(found, key=lambda system: int(system.removeprefix("ID")))

    def submission(self, system: str, topic: str, language: str = "en") -> str | None:
        """The summary of `topic` by `system`, or None where it has none."""
        path = self.folder / "Submissions" / system / LANGUAGES[language].name / f"M{topic}"
        return _text(path) if path.is_file() else None


def load(data: Path | None) -> MultiLing:
    """The data set in `data` or one of `PLACES` beneath it; UsageError if it is not there."""
    folder = locate(data, PLACES, _is_it, WHAT)
    texts: dict[tuple[str, int, str], Document] = {}
    rejected: list[Rejected] = []
    for found in read(folder, format="multiling"):
        if isinstance(found, Rejected):
            rejected.append(found)
            continue
        match = _DOCUMENT.fullmatch(found.id)
        # A file's name states its language more surely than a detector does.
        language = found.language_declared or found.language
        if match is None:
            rejected.append(Rejected(where=found.id, reason="not named M<topic><document>"))
            continue
        texts[match[1], int(match[2]), language] = replace(found, language=language)
    if not texts:
        raise UsageError(
            f"{folder / 'SourceTexts'} holds no text named like M0012.english: "
            "name the data set's folder"
        )
    return MultiLing(folder=folder, texts=texts, rejected=tuple(rejected))


def _is_it(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in ("SourceTexts", "ModelSummaries"))


def _text(path: Path) -> str:
    return decode(path.read_bytes()).text
