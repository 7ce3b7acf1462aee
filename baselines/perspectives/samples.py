"""The topics that come with the package, written for it; places and outlets are invented.

Each ``globesumm/samples/perspectives/*.toml`` is one topic with two sides of three or four short
documents, and for every document the key point that it makes: the excerpt, the point in English,
and its reversal.  Two topics are told in several languages.
"""

import tomllib
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from baselines.perspectives.values import KeyPoint, Side, Topic
from globesumm.errors import UnknownName
from globesumm.records import from_plain
from globesumm.values import Document, Outlet


def names() -> list[str]:
    """The topics there are, by id."""
    return sorted(_files())


def load(name: str) -> Topic:
    """The topic called `name`; raises `UnknownName`."""
    if name not in _files():
        raise UnknownName("sample topic", name, names())
    return _topic(tomllib.loads(_files()[name]))


def load_all() -> list[Topic]:
    """Every topic, by id."""
    return [load(name) for name in names()]


@cache
def _files() -> dict[str, str]:
    folder = files("globesumm.samples").joinpath("perspectives")
    return {
        file.name.removesuffix(".toml"): file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }


def _topic(row: dict[str, Any]) -> Topic:
    return Topic(
        id=row["id"],
        topic=row["topic"],
        sides=tuple(_side(side, row["by"]) for side in row["side"]),
    )


def _side(row: dict[str, Any], by: str) -> Side:
    return Side(
        name=row["name"],
        documents=tuple(_document(one, by, row["name"]) for one in row["document"]),
        key_points=tuple(
            from_plain(KeyPoint, one, f"key point of {row['name']}") for one in row["key_point"]
        ),
    )


def _document(row: dict[str, Any], by: str, side: str) -> Document:
    return Document(
        id=row["id"],
        text=row["text"].strip(),
        language=row["language"],
        published=datetime.fromisoformat(row["published"]),
        source=row["outlet"],
        outlet=Outlet(domain=row["domain"], country=row["country"], facts={by: side}),
    )
