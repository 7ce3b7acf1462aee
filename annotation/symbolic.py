"""A recipe carried out in symbols: every request that it will make, before there is an answer.

A request is known by what its text is made from: the prompt, who is asked and how, the languages,
and the texts that stand in it, with their labels.  A document's text is itself; any other is the
answer to a request, and stands for it as a symbol.  So two requests are one exactly where the
real ones will be, as long as a model answers different requests differently: what cells, recipes
or events share is found once.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from annotation.ledger import (
    Asked,
    Ledger,
    Roles,
    SummaryQuestion,
    SymbolicWriting,
    Text,
    answer_of,
    once,
)
from annotation.passages import passages
from annotation.pipelines import RECURRENT, steps_of
from annotation.protocol import protocol
from annotation.reports import reports
from annotation.schemas import Context
from annotation.stages import OF_THE_SUMMARY, STAGES
from globesumm.prompts import Library, language_name
from globesumm.values import Event, Passage, Recipe

TOKENS_PER_WORD = 1.35
"""English; so a summary of `max_words` words has at most about so many tokens a word."""

_KIS_SHARE = 343 / 913
"""Tokens of a key information list to those of its document (GlobeSumm, tables 2 and 3)."""

_KIS_OF_SUMMARY_SHARE = 1.1
"""A summary holds little that its list could leave out, and the list repeats names."""

_ISSUE_TOKENS, _STRATEGY_TOKENS = 900, 300


class Told:
    """An event as its documents' texts, with the labels that prompts put above them."""

    def __init__(self, event: Event, count: Callable[[str], int]) -> None:
        self.id = event.id
        given = passages(event)
        texts = [passage.text for passage in given]
        self.texts = [
            Text(text or None, count(text) if text else 0, passage.language, place)
            for place, (passage, text) in enumerate(zip(given, texts, strict=True))
        ]
        self._event = event
        self._documents = [passage.documents[0] for passage in given]
        self._labels: dict[tuple[int, str], str] = {}

    def label(self, covers: int, language: str) -> str:
        """How prompts describe a text in `language` about the documents that it `covers`."""
        if (covers, language) not in self._labels:
            named = (
                self._documents[:-covers] if covers < 0 else self._documents[covers : covers + 1]
            )
            bare = Passage(documents=tuple(named), language=language, sentences=())
            context = Context(event=self._event, target=language)
            self._labels[covers, language] = reports((bare,), context)[0].label
        return self._labels[covers, language]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merging:
    """What all merges of one event by one recipe have in common."""

    told: Told
    roles: Roles
    guided: bool
    carry: Sequence[str]
    writing: SymbolicWriting


class Symbolic:
    """Carries out recipes in symbols and enters their requests into `ledger`.

    Another may take its place between two events, where these can have no request in common.
    `count` estimates the tokens of a text.  The requests are those of `annotation.stages`,
    `annotation.merges` and `annotation.schemas`; tests hold the two against each other.
    """

    def __init__(
        self,
        target: str,
        max_words: int,
        prompts: Library,
        count: Callable[[str], int],
        ledger: Ledger,
    ) -> None:
        self._target, self._max_words, self.ledger = target, max_words, ledger
        self._into = language_name(target)
        self._summary_tokens = round(max_words * TOKENS_PER_WORD)
        names = {kind.prompt for kind in STAGES.values()}
        names |= {"direct.two", "direct.many", "pgp.where", "pgp.strategies", "pgp.summary"}
        self._reference = {name: prompts[name].reference for name in names}
        self._fixed = {
            name: count(prompts[name].content.decode("utf-8", "replace")) for name in names
        }
        rules = protocol()
        self._fixed["pgp.where"] += count(rules.definitions())
        self._fixed["pgp.strategies"] += count(rules.cause_rules())
        self._fixed["pgp.summary"] += count(rules.rules())

    def carry_out(
        self, told: Told, recipe: Recipe, roles: Roles, writing: SymbolicWriting = once
    ) -> Text:
        """The last summary of `recipe`; raises `UnknownName` for one that takes no model."""
        pipeline, prompting = steps_of(recipe)
        recurrent = recipe.schema in RECURRENT
        texts = [self._through(pipeline.prepare, text, roles.preparing) for text in told.texts]
        if not any(text.symbol for text in texts):
            return Text(None, 0, self._target, -len(texts))
        merging = _Merging(
            told=told,
            roles=roles,
            guided="where" in prompting.steps,
            carry=pipeline.carry if recurrent else (),
            writing=writing,
        )
        if not recurrent or len(texts) < 2:
            return self._merge(merging, texts, texts)[0]
        carried, summary = texts[0], texts[0]
        for place, text in enumerate(texts[1:], start=2):
            summary, carried = self._merge(merging, (carried, text), texts[:place])
        return summary

    def _through(self, stages: Sequence[str], text: Text, asked: Asked, of: str = "") -> Text:
        for stage in stages:
            kind = STAGES[stage]
            if text.symbol is None or (kind.into_target and text.language == self._target):
                continue
            values: dict[str, Hashable] = {
                "language": language_name(text.language),
                "target": self._into,
                "max_words": self._max_words,
            }
            key = (
                self._reference[kind.prompt],
                asked.identity,
                *(values[name] for name in kind.values),
                text.symbol,
            )
            tokens = self._fixed[kind.prompt] + text.tokens, self._length(stage, text, of)
            number, call = self.ledger.ask(key, stage + of, asked, tokens, (text,))
            text = replace(
                text,
                symbol=number,
                tokens=call.answer_tokens,
                language=self._target if kind.into_target else text.language,
                depth=call.depth,
                ends=call.ends,
            )
        return text

    def _length(self, stage: str, text: Text, of: str) -> int:
        """About how many tokens a stage makes of `text`."""
        if of:
            return round(text.tokens * _KIS_OF_SUMMARY_SHARE)
        made = {"kis": round(text.tokens * _KIS_SHARE), "summarize_source": self._summary_tokens}
        return max(1, min(made.get(stage, text.tokens), text.tokens))

    def _merge(
        self, merging: "_Merging", given: Sequence[Text], sources: Sequence[Text]
    ) -> tuple[Text, Text]:
        """The summary of `given`, and what is carried on of it; `sources` are all so far."""
        covered = len(sources)
        texts = [text for text in given if text.symbol is not None]
        if not texts:
            nothing = Text(None, 0, self._target, -covered)
            return nothing, nothing
        told, asked, ledger = merging.told, merging.roles.writing, self.ledger
        shown = tuple((text.symbol, told.label(text.covers, text.language)) for text in texts)
        size = sum(text.tokens for text in texts)
        common: tuple[Hashable, ...] = (self._into, self._max_words, shown)
        if merging.guided and len(texts) > 1:
            fixed, reference = self._fixed, self._reference
            tokens = fixed["pgp.where"] + size, min(_ISSUE_TOKENS, size)
            key: tuple[Hashable, ...] = (reference["pgp.where"], asked.identity, shown)
            where, first = ledger.ask(key, "where", asked, tokens, texts)
            tokens = sum(tokens) + fixed["pgp.strategies"], _STRATEGY_TOKENS
            key = (reference["pgp.strategies"], asked.identity, where)
            settled, second = ledger.ask(key, "strategies", asked, tokens, (answer_of(first),))
            size += first.answer_tokens + second.answer_tokens
            name, after = "pgp.summary", [answer_of(second)]
            common = (*common, where, settled)
        else:
            name = "direct.two" if len(texts) == 2 else "direct.many"
            after = texts
        question = SummaryQuestion(
            key=lambda identity: (self._reference[name], identity, *common),
            tokens=(self._fixed[name] + size, self._summary_tokens),
            after=after,
            asked=asked,
            sources=[text for text in sources if text.symbol is not None],
            into=self._into,
            max_words=self._max_words,
        )
        written = merging.writing(ledger, question)
        summary = replace(written, language=self._target, covers=-covered)
        carrying = merging.roles.carrying
        return summary, self._through(merging.carry, summary, carrying, OF_THE_SUMMARY)
