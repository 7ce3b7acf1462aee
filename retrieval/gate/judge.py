"""Whether a page is a news report; if not, what it is.

`CHECKS` are asked in their order, the surest first; the first that answers names the page.
They err on the side of a page: where one sign could stand on a report too, a second is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass

from globesumm.languages import UNKNOWN
from globesumm.values import Document
from retrieval.gate import signs
from retrieval.gate.letters import cipher_share
from retrieval.gate.phrases import how_many, is_said, said_share
from retrieval.gate.same_title import is_other_page
from retrieval.page import Page
from retrieval.robots import refresh_target
from retrieval.teasers import teasers

LETTERS_OF_A_WALL = 1200
"""Letters of text from which a page is a report, whatever else it says."""

LETTERS_OF_A_LINE = 400
"""Letters of text below which a page is believed to be the other thing it calls itself."""

LETTERS_OF_A_CHALLENGE = 150
"""Letters of text below which markup of a challenge is believed: ordinary pages carry it too."""

_ENOUGH = 4 * LETTERS_OF_A_WALL

MOSTLY = 0.5
"""Share of a text's letters in sentences with a wall's phrases from which it is that wall."""

TEASERS = 0.8
"""Share of a text in teasers of other pages from which a page is a list of them (measured: a
home page 1.0, reports at most 0.73 with six)."""

FEWEST_TEASERS = 7


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a page is no report: a `kind` of `retrieval.kinds.KINDS`, and what showed it."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page, its `text` and `letters`, and the languages it is said to be in."""

    page: Page
    text: str
    letters: int
    languages: tuple[str, ...]
    fewest_letters: int


def judge(page: Page, document: Document | None, *, fewest_letters: int) -> Verdict | None:
    """What `page` is instead of a news report, or None if it is one.

    `document` is what was extracted from it, None if there is no text.  A report has at least
    `fewest_letters`; Chinese, Japanese and Korean letters count as three.
    """
    text = document.text if document else ""
    said: tuple[str | None, ...] = ()
    if document:
        said = (document.language_detected, document.language_declared, document.language_prior)
    asked = _Asked(
        page=page,
        text=text,
        letters=letters_of(text),
        languages=tuple(dict.fromkeys(code for code in said if code and code != UNKNOWN)),
        fewest_letters=fewest_letters,
    )
    return next((found for check in CHECKS if (found := check(asked))), None)


def letters_of(text: str) -> int:
    """The letters at the start of `text`; one that writes a syllable or a word counts as 3."""
    return sum(
        3 if "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" else 1
        for char in text[:_ENOUGH]
        if char.isalpha()
    )


def _redirect(asked: _Asked) -> Verdict | None:
    target = refresh_target(asked.page.raw.content)
    if target is None or asked.letters >= asked.fewest_letters:
        return None
    return Verdict("redirect-page", f"only points to {target[:200]}")


def _consent(asked: _Asked) -> Verdict | None:
    url = asked.page.raw.url
    if signs.asks_consent(url) and not signs.says_article(asked.page):
        return Verdict("consent-page", f"its address: {url}")
    return _wall(asked, "consent", "consent-page", fewest=2)


def _script(asked: _Asked) -> Verdict | None:
    if found := _wall(asked, "script", "script-wall"):
        return found
    if asked.letters >= LETTERS_OF_A_CHALLENGE or signs.says_article(asked.page):
        return None
    content = asked.page.raw.content[:400_000].lower()
    for mark in signs.marks()["script"]:
        if mark.encode() in content:
            return Verdict("script-wall", f"{asked.letters} letters of text, and {mark!r} in it")
    return None


def _gone(asked: _Asked) -> Verdict | None:
    return _wall(asked, "gone", "soft-404")


def _paywall(asked: _Asked) -> Verdict | None:
    if found := _wall(asked, "paywall", "paywall"):
        return found
    free = asked.page.about.get("isAccessibleForFree")
    closed = str(free).lower() == "false" and asked.letters < LETTERS_OF_A_LINE
    if closed and how_many(asked.text, "paywall"):
        return Verdict("paywall", f"not free by its own account, {asked.letters} letters of text")
    return None


def _wall(asked: _Asked, phrases: str, kind: str, *, fewest: int = 1) -> Verdict | None:
    """`kind` if a title is one of the phrases, or most of a short text says them."""
    if asked.letters >= LETTERS_OF_A_WALL:
        return None
    for title in asked.page.titles:
        if is_said(title, phrases) and not signs.says_article(asked.page):
            return Verdict(kind, f"its title: {title[:120]!r}")
    if asked.letters >= asked.fewest_letters and signs.says_article(asked.page):
        # A report of two sentences may say such a thing of something else, but not twice.
        fewest += 1
    # Most texts say none of it, which is known in less time than how much of a text says it.
    if how_many(asked.text, phrases) < fewest:
        return None
    share = said_share(asked.text, phrases)
    if share >= MOSTLY:
        return Verdict(kind, f"{share:.0%} of its {asked.letters} letters say so")
    return None


def _other_thing(asked: _Asked) -> Verdict | None:
    page = asked.page
    if signs.is_other_address(page.raw.url) or signs.is_other_address(page.url):
        return Verdict("not-an-article", f"by its address: {page.raw.url or page.url}")
    kind = signs.says_other(page)
    if kind and asked.letters < LETTERS_OF_A_LINE and not signs.says_article(page):
        return Verdict("not-an-article", f"calls itself {kind!r}")
    return None


def _home(asked: _Asked) -> Verdict | None:
    page = asked.page
    if signs.is_root(page.raw.url):
        taken_there = page.raw.requested and not signs.is_root(page.raw.requested)
        if taken_there or not page.about:
            return Verdict("home-page", f"by its address: {page.raw.url}")
    if signs.says_article(page) or not signs.roots(page):
        return None
    share, number = teasers(page.tree, asked.text)
    if share >= TEASERS and number >= FEWEST_TEASERS:
        return Verdict("home-page", f"says so, and {share:.0%} of its text is {number} teasers")
    if signs.says_list(page):
        return Verdict("home-page", "says so, and that it is a collection")
    return None


def _section(asked: _Asked) -> Verdict | None:
    page = asked.page
    if page.about or page.meta.get("article:published_time"):
        return None
    share, number = teasers(page.tree, asked.text)
    lists = signs.says_list(page) or signs.is_section(page.raw.url or page.url)
    if share >= (TEASERS / 2 if lists else TEASERS) and number >= (3 if lists else FEWEST_TEASERS):
        return Verdict("section-page", f"{share:.0%} of its text is {number} teasers")
    return None


def _cipher(asked: _Asked) -> Verdict | None:
    share = cipher_share(asked.text, asked.languages)
    if share is None:
        return None
    return Verdict("cipher-text", f"only {share:.0%} of its letter triples occur in a language")


def _wrong(asked: _Asked) -> Verdict | None:
    expected = asked.page.raw.title
    if not expected or not asked.text:
        return None
    if is_said(expected, "consent") or is_said(expected, "gone") or is_said(expected, "script"):
        return None
    alike = is_other_page(expected, asked.page.titles, asked.text)
    if alike is None:
        return None
    return Verdict("wrong-page", f"{alike:.0%} of the title expected, {expected[:120]!r}")


def _short(asked: _Asked) -> Verdict | None:
    if not asked.text or asked.page.raw.picked or asked.letters >= asked.fewest_letters:
        return None
    return Verdict("too-short", f"{asked.letters} letters, at least {asked.fewest_letters} asked")


CHECKS: tuple[Callable[[_Asked], Verdict | None], ...] = (
    _redirect,
    _consent,
    _script,
    _gone,
    _paywall,
    _other_thing,
    _home,
    _section,
    _cipher,
    _wrong,
    _short,
)
"""The checks in the order they are asked."""
