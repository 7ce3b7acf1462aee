"""Who wrote a page, as far as it says so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrieval.structured import name_of, plain
from retrieval.title import key

MOST_AUTHORS = 20
_LONGEST_NAME = 80
_FIELDS = (
    "author",
    "article:author",
    "article:author_name",
    "og:article:author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "byl",
)
_NO_NAME = re.compile(r"https?://|www\.|@|[<>{}\\]|\d{3}")
_BY = re.compile(r"^(?:by|von|par|por|di|da|door|av|af|od|автор:?)\s+(?=\S)", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[;|]\s*")


def authors_of(
    tree: Any, meta: Mapping[str, str], about: Mapping[str, Any], site_names: Sequence[str]
) -> tuple[str, ...]:
    """The names of a page's authors, each once, in the order they stand; none is no error.

    They are the JSON-LD article's, else those of the meta elements, else those marked
    ``itemprop="author"`` or ``rel="author"``.  Addresses and the site's own name are no authors.
    """
    sites = {key(name) for name in site_names}
    for found in (_linked(about), _stated(meta), _marked(tree)):
        names: dict[str, str] = {}
        for written in found:
            for part in _BETWEEN.split(written):
                name = _BY.sub("", part).strip(" ,.")
                if 2 < len(name) <= _LONGEST_NAME and not _NO_NAME.search(name):
                    names.setdefault(key(name), name)
        kept = tuple(name for form, name in names.items() if form and form not in sites)
        if kept:
            return kept[:MOST_AUTHORS]
    return ()


def _linked(about: Mapping[str, Any]) -> Iterator[str]:
    stated = about.get("author") or about.get("creator")
    for one in stated if isinstance(stated, list) else [stated]:
        if name := name_of(one):
            yield name


def _stated(meta: Mapping[str, str]) -> Iterator[str]:
    for field in _FIELDS:
        if name := meta.get(field):
            yield name
            return


def _marked(tree: Any) -> Iterator[str]:
    for element in tree.xpath('//*[@itemprop="author"] | //a[@rel="author"]')[:MOST_AUTHORS]:
        inner = element.xpath('.//*[@itemprop="name"]')
        name = plain((inner[0] if inner else element).text_content())
        if name:
            yield name
