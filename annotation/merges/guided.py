"""Protocol-guided prompting: find the issues, decide on them, summarize accordingly.

Where the issues are and how to settle the conflicts is asked in one conversation; the summary
is asked for in a fresh one, with the rules of the protocol and both answers, of which the
strategies bind (GlobeSumm, 2.3 and table 12).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.answer_forms import issues_form, scripts_for, strategies_form
from annotation.answers import Answer
from annotation.author import Asked, Author, Question
from annotation.findings import (
    Findings,
    Settled,
    read_issues,
    read_strategies,
    with_causes,
)
from annotation.merges.direct import direct_summary
from annotation.merges.rounds import ONE_REPORT, about, ended, untold, with_text
from annotation.merges.writing import Found, Writing, once
from annotation.protocol import Protocol, protocol
from annotation.reports import reports
from annotation.schemas import Context
from annotation.stages import WritingStage
from annotation.window import Step, ask_within
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.request import Message
from globesumm.prompts import Data, language_name
from globesumm.values import IssueKind, Passage, Round


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolMerge:
    """Three calls a merge, and those of `carry`; works for two passages and for many.

    `writing` is how the summary's text is had, once issues and strategies are there.
    Where only one passage has text there is nothing to compare: it is summarized directly.
    """

    author: Author
    carry: tuple[WritingStage, ...] = ()
    rules: Protocol | None = None
    writing: Writing = once

    @property
    def name(self) -> str:
        """The model's name."""
        return self.author.model.name

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        told = with_text(passages)
        if not told:
            return untold(passages, context)
        if len(told) == 1:
            direct = direct_summary(self.author, told, context, self.writing)
            return ended(passages, context, {"summary": direct}, self.carry, notes=(ONE_REPORT,))
        where = self._where(told, context)
        settled = self._strategies(where, context)
        strategies = settled.value.strategies
        issues = with_causes(where.value.issues, strategies)
        found = Found(issues=issues, strategies=strategies)
        summary = self._summary(told, where.text, settled.text, context, found)
        return ended(
            passages,
            context,
            {"where": where, "strategies": settled, "summary": summary},
            self.carry,
            issues=issues,
            strategies=strategies,
            notes=(*where.value.notes, *settled.value.notes),
        )

    @property
    def _protocol(self) -> Protocol:
        return self.rules or protocol()

    def _held(self, context: Context) -> tuple[Bounds | None, tuple[str, ...]]:
        """What forms are held to: the author's bounds, and the scripts of the target language."""
        return self.author.bounds, scripts_for(context.target)

    def _where(self, told: Sequence[Passage], context: Context) -> Asked[Findings]:
        prompt = self.author.prompts["pgp.where"]
        definitions = self._protocol.definitions()

        def messages(shown: Sequence[Passage]) -> tuple[Message, ...]:
            data = reports(shown, context, number=True)
            return (Message("user", prompt.render(definitions=definitions, reports=data)),)

        def reader(shown: Sequence[Passage]) -> Callable[[str], Findings]:
            return lambda text: read_issues(text, shown)

        question = Question(
            step="where",
            about=about(context),
            prompt=prompt,
            schema=issues_form(told, *self._held(context)),
        )
        # The conversation goes on: its second question and answer must fit as well.
        more = self.author.model.count_tokens((self._strategies_message(),)) or 0
        step = Step(question=question, messages=messages, reserve=more + self.author.allowance)
        return ask_within(self.author, step, told, reader)

    def _strategies_message(self) -> Message:
        prompt = self.author.prompts["pgp.strategies"]
        return Message("user", prompt.render(causes=self._protocol.cause_rules()))

    def _strategies(self, where: Asked[Findings], context: Context) -> Asked[Settled]:
        conflicts = sum(one.kind is IssueKind.CONFLICT for one in where.value.issues)
        question = Question(
            step="strategies",
            about=about(context),
            prompt=self.author.prompts["pgp.strategies"],
            schema=strategies_form(conflicts, *self._held(context)),
        )
        return self.author.ask(
            question,
            (*where.conversation, self._strategies_message()),
            lambda text: read_strategies(text, where.value.issues),
        )

    def _summary(
        self,
        told: Sequence[Passage],
        where: str,
        strategies: str,
        context: Context,
        found: Found,
    ) -> Asked[Answer]:
        prompt = self.author.prompts["pgp.summary"]

        def messages(shown: Sequence[Passage]) -> tuple[Message, ...]:
            text = prompt.render(
                target=language_name(context.target),
                max_words=context.max_words,
                rules=self._protocol.rules(),
                reports=reports(shown, context, number=True),
                where=Data(label="notes: where the issues are", text=where.strip()),
                strategies=Data(label="notes: how conflicts are settled", text=strategies.strip()),
            )
            return (Message("user", text),)

        question = Question(
            step="summary", about=about(context), prompt=prompt, text_in=context.target
        )
        return self.writing(
            self.author, Step(question=question, messages=messages), told, context, found
        )
