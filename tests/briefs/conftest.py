"""A small event in two languages, and the command that tells of it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from globesumm.cli import main

FELL_EN = "At least {} people were killed when the bridge fell, the police said."
FELL_FR = "Au moins {} personnes ont été tuées dans l'effondrement du pont, selon la police."
REPORTS = {
    "a": ("en", "Vale Post", f"The bridge at Vale fell on Monday morning. {FELL_EN.format(3)}"),
    "b": ("fr", "Le Val", f"Le pont de Vale s'est effondré lundi matin. {FELL_FR.format(5)}"),
    "c": ("en", "Hill Herald",
          f"The bridge at Vale, fallen on Monday, was built in 1911. {FELL_EN.format(7)}"),
    "d": ("fr", "Gazette", f"Le maire de Vale a démissionné jeudi. {FELL_FR.format(9)}"),
}  # fmt: skip
"""Id to language, outlet and text; each a day later than the one before."""


def row(name: str, **other: object) -> dict[str, object]:
    """A report of the event as a line of documents; one that is not of it says so in `other`."""
    language, outlet, text = REPORTS.get(name, ("en", "Elsewhere", ""))
    day = 4 + (list(REPORTS).index(name) if name in REPORTS else 1)
    return {
        "id": name,
        "language": language,
        "text": text,
        "title": f"{outlet} on the bridge",
        "source": outlet,
        "published": f"2023-09-{day:02}T10:00:00Z",
        "url": f"https://{name}.example/bridge",
        **other,
    }


def write(path: Path, rows: Sequence[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


Brief = Callable[..., int]


@pytest.fixture
def brief() -> Brief:
    """``globesumm brief ASKED --out RUN …``; reports are compared by quick means."""

    def told(asked: object, out: Path, *more: str) -> int:
        return main(["brief", str(asked), "--out", str(out), "--encoder", "hashed-ngrams", *more])

    return told
