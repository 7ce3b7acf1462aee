"""Questions about many facts at once, split where the answer to a batch cannot be read."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeVar

from globesumm.errors import UsageError
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.bounded import complete_all
from globesumm.llm.errors import ContextOverrun, CutOff, ModelError
from globesumm.llm.recording import Use, Why
from globesumm.llm.request import Completion, Decoding, Message, Model, Request
from globesumm.prompts import Data, Library
from metrics.base import printable
from metrics.facts.batches import Answer, Batch, Count, Heard, Waiting
from metrics.facts.forms import form_of
from metrics.facts.memory import Memory, key_of
from metrics.facts.noted import Noted
from metrics.facts.replies import Read

V = TypeVar("V")

REPAIR = "facts.repair"
BATCH = 40
"""Facts in one call."""


@dataclass(slots=True)
class Asker:
    """Asks `model`; `run` tells repeated runs apart, which are otherwise answered from memory.
    With `bounds` servers that keep forms are held to replies that can be read.
    """

    model: Model
    prompts: Library = field(default_factory=Library)
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.0, seed=0))
    memory: Memory = field(default_factory=Memory)
    most_at_once: int = 8
    batch: int = BATCH
    run: int = 0
    bounds: Bounds | None = None
    count: Count = field(default_factory=Count)
    noted: Noted = field(default_factory=Noted)

    def request(
        self, prompt: str, values: Mapping[str, str | int | Data], facts: Sequence[str] = ()
    ) -> tuple[str, Request]:
        """The mark of a question, which depends on all that is shown, and the request."""
        shown = {
            name: replace(value, text=printable(value.text)[0])
            if isinstance(value, Data)
            else value
            for name, value in values.items()
        }
        if facts:
            shown["facts"] = Data(label="facts", text=numbered(facts))
            shown["count"] = len(facts)
        texts = [one.text if isinstance(one, Data) else str(one) for one in shown.values()]
        digest = sha256("\0".join([prompt, *texts]).encode("utf-8", errors="replace")).hexdigest()
        mark = f"answer-{digest[:8]}"
        content = self.prompts[prompt].render(**shown, mark=mark)
        request = Request(
            model=self.model.name,
            messages=(Message("user", content),),
            decoding=self.decoding,
            sample=self.run,
            schema=form_of(prompt, mark, shown, self.bounds) if self.bounds else None,
        )
        return mark, request

    def plain(self, prompt: str, values: Mapping[str, str | int | Data]) -> Request:
        """A request whose answer is taken as it is, without a mark."""
        shown = {name: _shown(value) for name, value in values.items()}
        return Request(
            model=self.model.name,
            messages=(Message("user", self.prompts[prompt].render(**shown)),),
            decoding=self.decoding,
            sample=self.run,
        )

    def whole(
        self,
        questions: Sequence[tuple[str, Mapping[str, str | int | Data]]],
        read: Any,
        why: Why = "first",
    ) -> list[Read[Any]]:
        """The answers to questions that cannot be split, each asked once more if unread.

        What is not asked for the first time (`why`) is beyond the plan.
        """
        asked = [self.request(prompt, values) for prompt, values in questions]
        steps = [(prompt, why) for prompt, _ in questions]
        if why == "first":
            self.noted.plan(prompt for prompt, _ in questions)
        found = self._read_all(asked, [read] * len(asked), steps)
        again = [n for n, one in enumerate(found) if one.read.verdicts is None and one.reply]
        mended = self._repaired(asked, found, again, [read] * len(asked))
        return [mended.get(n, one).read for n, one in enumerate(found)]

    def judged(self, batches: Sequence[Batch[V]], why: Why = "first") -> list[list[Answer[V]]]:
        """For each batch the answer on each of its facts; equal ones on one text are asked once.

        What is not asked for the first time (`why`) is beyond the plan.
        """
        found: list[dict[str, Answer[V]]] = [{} for _ in batches]
        waiting: list[Waiting] = []
        asked: dict[bytes, tuple[int, str]] = {}
        doubles: list[tuple[int, str, bytes]] = []
        for place, batch in enumerate(batches):
            keys = {fact: self._key(batch, fact) for fact in batch.facts}
            if why == "first":
                self.noted.plan([batch.prompt] * math.ceil(len(keys) / self.batch))
            known = self.memory.get(list(keys.values()))
            self.noted.uses += self.memory.uses(list(known))
            missing = []
            for fact, key in keys.items():
                if key in known:
                    found[place][fact] = Answer(_revived(batch, known[key]))
                elif key in asked:
                    doubles.append((place, fact, key))
                else:
                    asked[key] = (place, fact)
                    missing.append(fact)
            waiting += [
                Waiting(place, tuple(missing[n : n + self.batch]), why)
                for n in range(0, len(missing), self.batch)
            ]
        while waiting:
            waiting = self._round(batches, waiting, found)
        for place, fact, key in doubles:
            owner, same = asked[key]
            found[place][fact] = found[owner][same]
        return [[found[place][fact] for fact in batch.facts] for place, batch in enumerate(batches)]

    def _round(
        self,
        batches: Sequence[Batch[V]],
        waiting: Sequence[Waiting],
        found: list[dict[str, Answer[V]]],
    ) -> list[Waiting]:
        """Ask about all that waits; returns the halves of what could not be read."""
        whose = [batches[one.place] for one in waiting]
        asked = [
            self.request(batch.prompt, batch.shown, one.facts)
            for batch, one in zip(whose, waiting, strict=True)
        ]
        readers = [
            _reader(batch.read, len(one.facts)) for batch, one in zip(whose, waiting, strict=True)
        ]
        steps = [(batch.prompt, one.why) for batch, one in zip(whose, waiting, strict=True)]
        heard = self._read_all(asked, readers, steps)
        again = [
            n
            for n, one in enumerate(heard)
            if one.read.verdicts is None and one.reply and len(waiting[n].facts) == 1
        ]
        mended = self._repaired(asked, heard, again, readers)
        halves: list[Waiting] = []
        for n, (batch, one) in enumerate(zip(whose, waiting, strict=True)):
            last = mended.get(n, heard[n])
            read, place, facts = last.read, one.place, one.facts
            uses = (*one.before, *dict.fromkeys([heard[n].use, last.use]))
            if read.verdicts is not None:
                said = dict(zip(facts, read.verdicts, strict=True))
                found[place].update((fact, Answer(verdict)) for fact, verdict in said.items())
                kept = {self._key(batch, fact): _kept(v) for fact, v in said.items()}
                self.memory.put(kept, uses)
            elif (
                len(facts) > 1
                and (heard[n].reply or heard[n].crowded)
                and not (read.overrun and batch.divisible)
            ):
                self.count.split += 1
                half, why = len(facts) // 2, _beyond(read)
                halves += [Waiting(place, some, why, uses) for some in (facts[:half], facts[half:])]
            else:
                nothing: Answer[V] = Answer(None, read.reason, read.overrun)
                found[place].update(dict.fromkeys(facts, nothing))
        return halves

    def _read_all(
        self,
        asked: Sequence[tuple[str, Request]],
        readers: Sequence[Any],
        steps: Sequence[tuple[str, Why]],
    ) -> list[Heard]:
        """What each reply says; a failed call is its own reason."""
        found: list[Heard] = []
        requests = (request for _, request in asked)
        answers = complete_all(self.model, requests, most_at_once=self.most_at_once)
        for (mark, request), reader, step, answer in zip(
            asked, readers, steps, answers, strict=True
        ):
            self.count.calls += 1
            use = Use(request.key, *step, answered=isinstance(answer, Completion))
            self.noted.uses.append(use)
            if isinstance(answer, Completion):
                read = reader(answer.text, mark)
                self.count.read += read.verdicts is not None
                found.append(Heard(read, use, answer.text or " "))
                continue
            _stop_at_usage(answer)
            self.count.failed += 1
            overrun = isinstance(answer, ContextOverrun)
            read = Read(None, f"the judge gave no answer: {answer}", overrun)
            found.append(Heard(read, use, crowded=overrun or isinstance(answer, CutOff)))
        return found

    def _repaired(
        self,
        asked: Sequence[tuple[str, Request]],
        heard: Sequence[Heard],
        again: Sequence[int],
        readers: Sequence[Any],
    ) -> dict[int, Heard]:
        """The second replies to those whose first could not be read, by their places."""
        repairs = [
            self._repair(*asked[n], heard[n].reply or "", heard[n].read.reason) for n in again
        ]
        steps: list[tuple[str, Why]] = [(heard[n].use.step, "again") for n in again]
        found = {}
        replies = self._read_all(repairs, [readers[n] for n in again], steps)
        for n, one in zip(again, replies, strict=True):
            self.count.repaired += one.read.verdicts is not None
            first = f"two replies could not be read: {heard[n].read.reason}"
            unread: Read[Any] = Read(None, f"{first}; then: {one.read.reason}")
            found[n] = one if one.read.verdicts is not None else replace(one, read=unread)
        return found

    def _repair(
        self, mark: str, request: Request, reply: str, reason: str | None
    ) -> tuple[str, Request]:
        content = self.prompts[REPAIR].render(reason=reason or "it has another form", mark=mark)
        said = (Message("assistant", printable(reply)[0]), Message("user", content))
        return mark, replace(request, messages=(*request.messages, *said))

    def _key(self, batch: Batch[V], fact: str) -> bytes:
        prompt = self.prompts[batch.prompt].reference
        asked = repr(self.decoding) + (f" {self.bounds}" if self.bounds else "")
        return key_of(self.model.name, prompt, asked, self.run, batch.about, fact)


def _shown(value: str | int | Data) -> str | int | Data:
    return replace(value, text=printable(value.text)[0]) if isinstance(value, Data) else value


def numbered(texts: Sequence[str]) -> str:
    """One text a line, numbered from 1."""
    lines = (" ".join(printable(text)[0].split()) for text in texts)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _beyond(read: Read[Any]) -> Why:
    """Why fewer facts are asked about."""
    return "shortened" if read.overrun else "again"


def _reader(read: Callable[[str, int, str], Read[V]], count: int) -> Callable[[str, str], Read[V]]:
    return lambda reply, mark: read(reply, count, mark)


def _stop_at_usage(error: ModelError) -> None:
    """No key, no such model: what would meet every call ends the command."""
    if isinstance(error, UsageError):
        raise error


def _kept(verdict: Any) -> Any:
    from metrics.facts.replies import Support

    return [verdict.supported, verdict.evidence] if isinstance(verdict, Support) else list(verdict)


def _revived(batch: Batch[V], kept: Any) -> V:
    from metrics.facts.replies import Support

    support = batch.prompt != "facts.match"
    found: Any = Support(bool(kept[0]), kept[1]) if support else tuple(kept)
    verdict: V = found
    return verdict
