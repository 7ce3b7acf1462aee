"""The words that a brief is searched with, language by language."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.errors import UsageError
from globesumm.languages import UNKNOWN, parse
from globesumm.progress import say
from globesumm.runs import BRIEF

if TYPE_CHECKING:
    from baselines.briefs import Request
    from retrieval.events.asking import Asker
    from retrieval.portal.values import PortalEvent

NO_DAY = date(2002, 1, 1)
"""The day of words that are not tied to one; the portal knows none earlier."""


def words_of(words: Sequence[str]) -> dict[str, str]:
    """The query of each language that was given with --words; raises `UsageError`."""
    found: dict[str, str] = {}
    for one in words:
        code, mark, text = one.partition("=")
        if not mark or not any(character.isalnum() for character in text):
            raise UsageError(f"--words {one}: write CODE=WORDS, for instance fr='séisme Maroc'")
        language = parse(code)
        if language == UNKNOWN:
            raise UsageError(f"--words {one}: {code!r} is no language")
        found[language] = text.strip()
    return found


def queries_of(
    options: argparse.Namespace,
    request: "Request",
    there: Sequence[str],
    portal: "PortalEvent | None" = None,
) -> Mapping[str, str]:
    """Words for as many of the languages that are `there` as there are words for.

    They are a person's (--words), the request's own in its own language, the names that the
    portal's event has, or a model's translation, which is kept in ``brief/queries.jsonl`` where
    people may edit it.
    """
    given = words_of(request.words)
    wanted = [one for one in request.languages or there if one in there and one not in given]
    own = _language(request.text, there)
    if own in wanted:
        given[own] = request.text
        wanted.remove(own)
    with ExitStack() as within:
        asker = asker_of(options, within)
        if wanted and (asker is not None or portal is not None):
            given |= _made(options.out, request, portal, wanted, asker)
    return given


def asker_of(options: argparse.Namespace, within: ExitStack) -> "Asker | None":
    """The model of the options, as one that translates queries; None without a model."""
    if not options.model or options.model.casefold() == "extractive":
        return None
    from globesumm.cli.drafting import STORE
    from globesumm.cli.modelling import opened
    from globesumm.prompts import Library
    from retrieval.events.asking import Asker

    model = within.enter_context(opened(options, options.out / BRIEF / STORE))
    prompts = Library(options.prompts) if options.prompts else Library()
    return Asker(model=model, prompts=prompts, most_at_once=options.at_once)


def _made(
    out: Path,
    request: "Request",
    portal: "PortalEvent | None",
    languages: Sequence[str],
    asker: "Asker | None",
) -> dict[str, str]:
    from retrieval.events.queries import have_queries
    from retrieval.portal.values import PortalEvent

    event = portal or PortalEvent(id="asked", date=NO_DAY, description=request.text)
    made = have_queries([event], languages, out / BRIEF / "queries.jsonl", asker)
    for one in made:
        if one.text is None and asker is not None:
            say(f"no words in {one.language}: {one.note}")
    return {one.language: one.text for one in made if one.text and one.searched}


def _language(text: str, there: Sequence[str]) -> str:
    """The language of `text` among those that are there; empty where its words are too few."""
    from retrieval.language import detect

    found = detect(text, there or None, ()).language
    return found if found != UNKNOWN else ""
