"""Which of a page's several titles is the headline, and where the site's name ends it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from retrieval.structured import plain

# Blanks are taken whole from where they begin, so that a title of blanks takes no longer.
_SEPARATOR = re.compile(
    r"(?<!\s)\s++[|–—―·•»›:~*-]++\s++|(?:(?<!\s)\s++)?+[|｜：]\s*+"
    r"|(?:(?<!\s)\s++)?+[-–—]\s*+(?=[^\s-]{1,100}$)"
)
_NEITHER = re.compile(r"[\W_]+")
_CUT_SHORT = ("…", "...")
_MOST_PARTS = 8
"""Parts of a title that are taken away at most; what has more is no title."""


def headline(candidates: Sequence[str], site_names: Sequence[str]) -> str | None:
    """The headline among `candidates` (best first), without a site name before or after it.

    A title that was cut short gives way to a longer one that starts with it.
    """
    titles = [without_site(title, site_names) for title in candidates]
    titles = [title for title in titles if title and key(title) not in map(key, site_names)]
    if not titles:
        return None
    best = titles[0]
    if best.endswith(_CUT_SHORT):
        start = key(best)
        best = next((other for other in titles[1:] if key(other).startswith(start)), best)
    return best


def without_site(title: str, site_names: Sequence[str]) -> str:
    """`title` without leading and trailing parts that are nothing but the site's name."""
    keys = {key(name) for name in site_names} - {""}
    for _ in range(_MOST_PARTS):
        pieces = list(_SEPARATOR.finditer(title))
        if not pieces:
            break
        first, last = pieces[0], pieces[-1]
        if key(title[last.end() :]) in keys:
            title = title[: last.start()]
        elif key(title[: first.start()]) in keys:
            title = title[first.end() :]
        else:
            break
    return title.strip()


def key(text: str) -> str:
    """`text` for comparing: letters and digits alone, case folded."""
    return _NEITHER.sub("", text.casefold())


def site_names(meta: Mapping[str, str], publisher: str | None, url: str | None) -> list[str]:
    """The names a site goes by: og:site_name, publisher, host with and without its ending."""
    names = [meta.get("og:site_name"), publisher, meta.get("application-name")]
    host = urlsplit(url).hostname if url else None
    if host:
        host = host.removeprefix("www.")
        names += [host, host.rsplit(".", 1)[0], f"www.{host}"]
    return [name for name in names if name]


def first_heading(tree: Any) -> str | None:
    """The text of the page's headline element: an h1 in the article, else the first h1."""
    for path in ("//article//h1", "//main//h1", "//h1"):
        for element in tree.xpath(path):
            if text := plain("".join(element.itertext())):
                return text
    return None
