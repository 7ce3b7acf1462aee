"""Titles of articles as links write them."""

import html
import re
from typing import Literal

from globesumm.text.clean import clean

Kind = Literal["article", "hidden", "other"]

_LONGEST_TITLE = 255
"""Bytes of the longest title that MediaWiki allows."""

_FORBIDDEN = re.compile(r"[<>\[\]{}|\x00-\x1f\x7f\ufffd]")
_HIDDEN = frozenset({"file", "image", "category", "media"})
_NO_ARTICLE = frozenset(
    {
        *(
            "portal",
            "template",
            "user",
            "talk",
            "wikipedia",
            "project",
            "help",
            "special",
            "module",
        ),
        *("draft", "user talk", "template talk", "wikipedia talk", "wp", "mediawiki", "timedtext"),
        *("wikt", "wiktionary", "commons", "c", "d", "wikidata", "n", "wikinews", "q", "wikiquote"),
        *("s", "wikisource", "m", "meta", "species", "voy", "b", "v", "mw", "doi", "phab"),
    }
)
# Interwiki prefixes of Wikipedias; a colon that is part of a title is followed by a blank.
_WIKI_PREFIX = re.compile(r"[a-z]{2,3}(-[a-z]{2,12})*")


def page_of(link: str) -> tuple[str | None, Kind]:
    """The article that a link's target names, and what kind of target it is.

    The section is cut, blanks are made uniform, the first letter is a capital.  Files and
    categories are "hidden": a link to them shows nothing.  What is no article of this
    encyclopedia ("other") has no page.
    """
    title = html.unescape(link).strip()
    shown = title.startswith(":")
    title = title.lstrip(":")
    prefix, colon, rest = title.partition(":")
    space = " ".join(prefix.replace("_", " ").split()).lower()
    if colon and space in {"w", "en"} and rest[:1].strip():
        return page_of(rest)
    if colon and space in _HIDDEN:
        return None, "other" if shown else "hidden"
    if colon and (space in _NO_ARTICLE or (_WIKI_PREFIX.fullmatch(prefix) and rest[:1].strip())):
        return None, "other"
    title = clean(title.partition("#")[0]).text
    title = " ".join(title.replace("_", " ").split())
    if not title or _FORBIDDEN.search(title) or len(title.encode()) > _LONGEST_TITLE:
        return None, "other"
    return title[0].upper() + title[1:], "article"


def name_from(title: str) -> str:
    """What an article is about, without the remark that tells it from others of that name.

    "Mercury (planet)" is "Mercury"; a title that is nothing but brackets stays.
    """
    bare = re.sub(r"(?:(?<!\s)\s++)?+[(（][^()（）]*[)）]$", "", title).strip()
    return bare or title
