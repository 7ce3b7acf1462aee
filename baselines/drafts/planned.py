"""What methods of drafts will ask, in symbols (`annotation.symbolic`); held against them by tests.

Whether a draft or another is taken is not known before: the text taken is a symbol of its own,
made of the drafts and of everything that decides among them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.ledger import Asked, Ledger, SummaryQuestion, SymbolicWriting, Text, answer_of
from baselines.drafts.drawing import draft_decoding
from baselines.drafts.methods import PROMPTS, asked_proxies, settings_of
from baselines.drafts.proxies import judge_decoding
from globesumm.config import Drafts
from globesumm.llm.request import Decoding
from globesumm.prompts import Library
from metrics.judged.rating import RATINGS

_DIGIT_TOKENS = 2
_CRITIQUE_TOKENS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planning:
    """Who is asked, and how long prompts are without what stands in them."""

    settings: Drafts
    writer: Asked
    judge: Asked
    proxies: tuple[str, ...]
    references: Mapping[str, str]
    fixed: Mapping[str, int]


def drawing_as(asked: Asked, model: str, decoding: Decoding, settings: Drafts) -> Asked:
    """`asked`, the writer called `model`, as who draws drafts."""
    drawn = draft_decoding(decoding, settings.temperature, settings.top_p)
    return replace(asked, identity=(model, drawn))


def rating_as(
    asked: Asked, model: str, reasoning: str | int | None, *, weighted: bool, enforced: bool
) -> Asked:
    """`asked`, the judge called `model`, as who rates drafts."""
    return replace(asked, identity=(model, judge_decoding(reasoning), weighted, enforced))


def symbolic_drafts(
    name: str,
    settings: Drafts,
    writer: Asked,
    judge: Asked,
    prompts: Library,
    *,
    count: Callable[[str], int],
) -> SymbolicWriting:
    """What the method called `name` asks for one summary.

    `writer` is who draws (with the decoding of drafts in its identity), `judge` who rates;
    `count` estimates the tokens of a text.
    """
    planning = _Planning(
        settings=settings_of(name, settings),
        writer=writer,
        judge=judge,
        proxies=asked_proxies(name, settings),
        references={one: prompts[one].reference for one in PROMPTS},
        fixed={one: count(prompts[one].content.decode("utf-8", "replace")) for one in PROMPTS},
    )
    write = next(held for word, held in _WRITINGS.items() if name.startswith(word))

    def written(ledger: Ledger, question: SummaryQuestion) -> Text:
        return write(planning, name, ledger, question)

    return written


def chain_of(name: str, settings: Drafts) -> int:
    """Calls in a row for one summary by the method called `name`."""
    held = settings_of(name, settings)
    if name.startswith("self-refine"):
        return 1 + 2 * held.rounds
    if name.startswith("debate"):
        return held.rounds
    return 1 + bool(asked_proxies(name, settings))


def _drafts(
    planning: _Planning, ledger: Ledger, question: SummaryQuestion, count: int
) -> list[Text]:
    key = question.key(planning.writer.identity)
    found = []
    for sample in range(count):
        own = (*key, "sample", sample) if sample else key
        number, call = ledger.ask(own, "summary", planning.writer, question.tokens, question.after)
        found.append(replace(answer_of(call), symbol=number))
    return found


def _rerank(planning: _Planning, name: str, ledger: Ledger, question: SummaryQuestion) -> Text:
    drafts = _drafts(planning, ledger, question, planning.settings.n)
    if len(drafts) == 1:
        return drafts[0]
    shown = tuple(text.symbol for text in question.sources)
    size = sum(text.tokens for text in question.sources)
    rated: list[Text] = []
    for proxy in planning.proxies:
        prompt = f"judged.{RATINGS[proxy]}"
        for place, draft in enumerate(drafts):
            # A draft that comes twice is rated once.
            twice = place > 0
            key = (planning.references[prompt], planning.judge.identity, shown, draft.symbol)
            tokens = planning.fixed[prompt] + size + draft.tokens, _DIGIT_TOKENS
            _, call = ledger.ask(
                key, f"rating {proxy}", planning.judge, tokens, (draft,), early=twice
            )
            rated.append(answer_of(call))
    kind = name.startswith("rerank-rouge")
    rule: Hashable = (kind, None if kind else repr(planning.settings), planning.judge.identity)
    return _taken(drafts, (*drafts, *rated), ("rerank", rule, shown))


def _refine(planning: _Planning, name: str, ledger: Ledger, question: SummaryQuestion) -> Text:
    del name
    text = _drafts(planning, ledger, question, 1)[0]
    key, identity = question.key(planning.writer.identity), planning.writer.identity
    early = planning.settings.stop
    prompt, answer = question.tokens
    for round_number in range(1, planning.settings.rounds + 1):
        # A revision that repeats the text ends it as well, whatever the critic says.
        maybe = round_number > 1
        tokens = prompt + answer + planning.fixed["drafts.critique"], _CRITIQUE_TOKENS
        asked: tuple[Hashable, ...] = (planning.references["drafts.critique"], key, text.symbol)
        critique, first = ledger.ask(
            asked, "critique", planning.writer, tokens, (text,), early=maybe
        )
        tokens = sum(tokens) + planning.fixed["drafts.revise"], answer
        asked = (planning.references["drafts.revise"], identity, asked, critique)
        revised, second = ledger.ask(
            asked, "revise", planning.writer, tokens, (answer_of(first),), early=early or maybe
        )
        text = replace(answer_of(second), symbol=revised)
    return text


def _debate(planning: _Planning, name: str, ledger: Ledger, question: SummaryQuestion) -> Text:
    del name
    settings = planning.settings
    texts = _drafts(planning, ledger, question, settings.agents)
    key = question.key(planning.writer.identity)
    prompt, answer = question.tokens
    tokens = prompt + settings.agents * answer + planning.fixed["drafts.debate"], answer
    for _ in range(2, settings.rounds + 1):
        made = []
        for agent, own in enumerate(texts):
            others = tuple(text.symbol for text in texts if text is not own)
            asked = (planning.references["drafts.debate"], key, agent, own.symbol, others)
            number, call = ledger.ask(asked, "debate", planning.writer, tokens, texts)
            made.append(replace(answer_of(call), symbol=number))
        texts = made
    if settings.settle == "first":
        return texts[0]
    return _taken(texts, texts, ("debate",))


def _taken(drafts: Sequence[Text], after: Sequence[Text], how: Hashable) -> Text:
    """One of `drafts`, known once all of `after` are there."""
    return replace(
        drafts[0],
        symbol=(how, tuple(draft.symbol for draft in drafts)),
        tokens=max(draft.tokens for draft in drafts),
        depth=max(text.depth for text in after),
        ends=max(text.ends for text in after),
    )


_WRITINGS: Mapping[str, Callable[[_Planning, str, Ledger, SummaryQuestion], Text]] = {
    "rerank": _rerank,
    "self-refine": _refine,
    "debate": _debate,
}
