"""One sign over and over, in every function that reads a string somebody else wrote.

A pattern that can match the same signs in several ways takes years for a text of some thousands,
and one such text would hold up everything behind it.  The parsers of whole files are in
tests/fuzz/test_long_inputs.py; these are the functions within, whose texts come to them whole.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from annotation.labels.agreement.overlap import words as marked_words
from annotation.labels.spans import spans
from annotation.lists import parse as parse_list
from annotation.loose_json import json_in
from annotation.prose import from_prose
from annotation.published.links import spans_of
from baselines.briefs.asked import kind_of
from globesumm import languages
from globesumm.errors import GlobeSummError
from globesumm.llm.thinking import split_thinking
from globesumm.text.clean import clean, decode_markup
from globesumm.text.details import details
from globesumm.text.planted import signs
from globesumm.text.sentences import split
from globesumm.text.words import words
from metrics.facts.literals import values
from metrics.facts.replies import read_matches, read_support
from metrics.tokens import TOKENIZERS
from retrieval.dates import moment
from retrieval.duplicates.shingles import lowered, tokens
from retrieval.gate.phrases import how_many, is_said, said_share
from retrieval.gate.signs import asks_consent, is_other_address, is_root, is_section
from retrieval.language import declared_code
from retrieval.portal.outlets import names_in, reads_as_outlet
from retrieval.portal.titles import name_from, page_of
from retrieval.retry_after import retry_after
from retrieval.robots import refresh_target, rules_of
from retrieval.title import headline, key, without_site
from retrieval.url import host_of, is_web, normal
from retrieval.wrapped_url import unwrapped
from tests.fuzz.test_long_inputs import bounded

LONG = 6_000
SIGNS = (
    *"aAß0 \t\n.,;:!?()[]{}<>/\\|-–—_*#@\"'«»“”…%€$~`=+&^ー一あ가กаא،",
    *("\u0301", "\u200b", "\u200d", "\u00ad", "\u00a0", "\u2028", "\x00"),
    *("a ", "A. ", "1.", "1,", "1 ", "1-", "1:", ". ", ".A", "J. ", "...", "a.", "a@", "a-", "a/"),
    *(
        " -",
        "- ",
        "[[",
        "}}",
        "''",
        '""',
        "\\u",
        "&#1;",
        "<a>",
        "<!--",
        "```",
        "\n\n",
        " \n",
        "\n#",
    ),
    *(
        "Mr. ",
        "1. a\n",
        "- a\n",
        "sentence 1, ",
        "article 1 ",
        "http://a ",
        "one ",
        "in ",
        "12:30 ",
    ),
    *(
        "3 May ",
        "not ",
        "via ",
        "by A",
        "/amp/",
        "?u=",
        "%2F",
        "ignore ",
        "url=",
        "<think>",
        "Fact 1:",
    ),
)
"""Each sign, pair or word that some pattern of ours begins, goes on or ends with."""

ADDRESSES: tuple[Callable[[str], object], ...] = (
    normal, host_of, is_web, unwrapped, is_root, is_section, asks_consent, is_other_address,
)  # fmt: skip


def _tokens(name: str, text: str) -> object:
    return TOKENIZERS[name].split(text, "en")


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "a list": parse_list,
    "a loose JSON": json_in,
    "a list of matches": lambda text: read_matches(text, 3, 3),
    "a list of supports": lambda text: read_support(text, 3),
    "an item's number": lambda text: read_matches(
        f'[{{"fact": "{text}", "lines": "{text}"}}]', 1, 3
    ),
    "prose": lambda text: list(from_prose(text)),
    "reasoning": split_thinking,
    "sentences": lambda text: split(text, "en"),
    "sentences of Hebrew": lambda text: split(text, "he"),
    "words": lambda text: words(text, "zh"),
    "spans": lambda text: spans(text, "en"),
    "marked words": marked_words,
    "details": lambda text: details(text, "en"),
    "details of French": lambda text: details(text, "fr"),
    "literals": lambda text: list(values(text)),
    "cleaning": clean,
    "decoding": lambda text: decode_markup(text.encode("utf-8")),
    "signs of planted text": signs,
    "a language": languages.parse,
    "a page's language": declared_code,
    "a date": moment,
    "a headline": lambda text: headline([text, f"{text} - x", f"x{text}x"], ["x"]),
    "a title": lambda text: (without_site(text, ["x"]), key(text), is_said(text, "consent")),
    "phrases": lambda text: (said_share(text, "consent"), how_many(text, "paywall")),
    "an address": lambda text: [
        of(f"http://a/{text}") for of in ADDRESSES if is_web(f"http://a/{text}")
    ],
    "a host": lambda text: [
        of(f"http://{text}/a") for of in ADDRESSES if is_web(f"http://{text}/a")
    ],
    "shingles": lambda text: tokens(lowered(text)),
    "a label of a source": lambda text: [
        (names_in(label), reads_as_outlet(label, in_parens=True, at_end=True))
        for label in (text, f"x{text}y")
    ],
    "a link": lambda text: (page_of(text), name_from(text)),
    "a time to wait": retry_after,
    "robots.txt": lambda text: rules_of(200, "text/plain", text.encode("utf-8")),
    "a refresh": lambda text: refresh_target(text.encode("utf-8")),
    "published issues": lambda text: spans_of(text, [text[:100], "x"]),
    "what a brief is asked": lambda text: (kind_of([text]), kind_of([f"{text} x"])),
    **{f"tokens, {name}": partial(_tokens, name) for name in TOKENIZERS},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_sign_over_and_over_takes_work_that_grows_with_it(name: str) -> None:
    with bounded(name):
        for sign in SIGNS:
            with suppress(GlobeSummError):
                FUNCTIONS[name](sign * (LONG // len(sign)))


@pytest.mark.parametrize("ending", [" ", "!", "\x00", "é"])
@pytest.mark.parametrize(
    "sign", ["a", "0", "a-", "a0", "-", "_", "x" * 8, "x" * 9], ids=lambda sign: f"{sign!r}"
)
def test_a_language_tag_of_any_length_is_read_or_refused_at_once(sign: str, ending: str) -> None:
    with bounded(sign), suppress(GlobeSummError):
        languages.parse(f"en-{sign * 60}"[:99] + ending)
