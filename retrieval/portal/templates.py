"""Templates in the text of a bullet: citations, links to other Wikipedias, typography."""

import html
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from globesumm.errors import UnknownName
from globesumm.languages import UNKNOWN, parse
from globesumm.text.clean import clean
from retrieval.portal.outlets import names_in
from retrieval.portal.pieces import Cited, Link, Piece, Text
from retrieval.portal.titles import page_of
from retrieval.portal.values import Source
from retrieval.url import is_web, without_credentials

Walk = Callable[[Any, list[str]], Iterator[Piece]]


@cache
def _table() -> dict[str, Any]:
    source = files("globesumm").joinpath("data", "portal", "templates.toml")
    table: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    lists = {key: frozenset(value) for key, value in table.items() if isinstance(value, list)}
    return table | lists | {"outlet": tuple(table["outlet"])}


def pieces(template: Any, notes: list[str], walk: Walk) -> Iterator[Piece]:
    """What a template shows; one that is in no list shows nothing, and a note names it."""
    name = " ".join(str(template.name).replace("_", " ").split()).lower()
    name = name.removeprefix("template:").strip()
    table = _table()
    if name in table["cite"] or name.startswith("cite "):
        yield from _cited(template, notes, walk)
    elif name in table["first"]:
        yield from _parameter(template, "1", notes, walk)
    elif name in table["second"]:
        yield from _parameter(template, "2", notes, walk)
    elif name in table["interlanguage"]:
        yield from _interlanguage(template, notes, walk)
    elif name in table["measure"]:
        parts = (_shown(template, key, notes, walk) for key in ("1", "2"))
        yield Text(" ".join(part for part in parts if part))
    elif name in table["ship"]:
        ship = _shown(template, "1", notes, walk)
        yield Link(f"{name.upper()} {ship}", page_of(_ship_page(template, name, notes, walk))[0])
    elif name in table["text"]:
        yield Text(table["text"][name])
    elif name in table["before"]:
        yield Text(table["before"][name] + _shown(template, "1", notes, walk))
    elif name not in table["nothing"]:
        notes.append(f"template left out: {clean(name).text[:60]}")


def _parameter(template: Any, key: str, notes: list[str], walk: Walk) -> Iterator[Piece]:
    if template.has(key):
        yield from walk(template.get(key).value, notes)


def _shown(template: Any, key: str, notes: list[str], walk: Walk) -> str:
    shown = (
        piece.label if isinstance(piece, Cited) else piece.text
        for piece in _parameter(template, key, notes, walk)
    )
    return "".join(shown).strip()


def _ship_page(template: Any, name: str, notes: list[str], walk: Walk) -> str:
    hull = _shown(template, "2", notes, walk)
    return f"{name.upper()} {_shown(template, '1', notes, walk)}" + (f" ({hull})" if hull else "")


def _cited(template: Any, notes: list[str], walk: Walk) -> Iterator[Piece]:
    """A citation template as a source with its outlet; it is no part of the sentence."""
    raw = str(template.get("url").value) if template.has("url") else ""
    url: str | None = html.unescape(raw).strip()
    url = f"https:{url}" if url and url.startswith("//") else url
    if url and not is_web(url):
        notes.append(f"no web address, left out: {url[:100]}")
    url = without_credentials(url) if url and is_web(url) else None
    shown = (_shown(template, key, notes, walk) for key in _table()["outlet"])
    outlet, agency = names_in(next((name for name in shown if name), ""))
    agency = names_in(_shown(template, "agency", notes, walk))[0] or agency
    if outlet is None:
        outlet, agency = agency, None
    if url or outlet:
        yield Cited(Source(url=url, outlet=outlet, agency=agency))


def _interlanguage(template: Any, notes: list[str], walk: Walk) -> Iterator[Piece]:
    """{{ill|Title|lang|Title there|…|lt=shown}}: a link that brings names along."""
    title = _shown(template, "1", notes, walk)
    page, _ = page_of(title)
    names: dict[str, str] = {}
    for position in range(2, 20, 2):
        code = _shown(template, str(position), notes, walk)
        if not code:
            break
        there = _shown(template, str(position + 1), notes, walk) or title
        try:
            language = parse(code)
        except UnknownName:
            continue
        if language != UNKNOWN:
            names.setdefault(language, clean(there).text)
    yield Link(_shown(template, "lt", notes, walk) or title, page, names)
