"""The five questions of fact-level evaluation, put to a model (OmniCSEval, 3.3, D.1 and D.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from globesumm.llm.recording import Why
from globesumm.prompts import Data, language_name
from globesumm.text.sentences import SPLITTER, split
from globesumm.text.words import count_words
from globesumm.values import KeyFact
from metrics.entailment.chunks import Chunks, chunks
from metrics.facts.asking import Asker, numbered
from metrics.facts.batches import Answer, Batch
from metrics.facts.consensus import Filtered, consensus
from metrics.facts.listed import read_facts
from metrics.facts.replies import SUPPORT, Read, Sentences, Support, read_matches, read_support
from metrics.facts.sources import Part, Source

PROMPTS = tuple(f"facts.{name}" for name in ("extract", "review", "decompose", "vote", "match"))
PIECE_WORDS = 12_000
"""Words of a source that go into one call where the judge's context is not known."""

FEWEST_WORDS = 25
"""A piece is not cut below this."""

TOKENS_A_WORD = 3
"""A careful guess over languages, so that a piece fits the context of a judge."""

KEEP = dict(SUPPORT) | {"keep": True, "key": True, "reject": False, "notkey": False, "drop": False}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a part that goes into one call; `note` says what had to be cut for it."""

    part: Part
    text: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The key facts of one part of a source.

    `rejected` were proposed and not kept in the self-review, each with the reason; people or a
    panel decide about them.  `reason` says why there are none at all.
    """

    part: str
    accepted: tuple[KeyFact, ...] = ()
    rejected: tuple[tuple[KeyFact, str], ...] = ()
    reason: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One fact against one source: `supported` None where not judged, then with the `reason`.

    `by_part` holds the verdict on each part by its id; a fact is supported if one part supports
    it.  `evidence` is what the judge gave for it, `pieces` how many pieces the parts were read in.
    """

    supported: bool | None
    by_part: dict[str, bool | None] = field(default_factory=dict)
    evidence: str | None = None
    pieces: int = 1
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactJudge:
    """A model asked through `asker`.  `piece_words` bounds a piece of a source (None: by the
    context of the model).
    """

    asker: Asker
    piece_words: int | None = None

    @property
    def identity(self) -> str:
        """What decides verdicts, for signatures: model, prompts, splitter and pieces."""
        references = self.asker.prompts.references((*PROMPTS, "facts.verify"))
        digests = "+".join(one.partition("#")[2] for one in references.split())
        held = self.asker.bounds
        bounded = f"/bounded:{held.items}x{held.characters}" if held else ""
        return f"{self.asker.model.name}/{digests}/{SPLITTER}/{self._budget}w{bounded}"

    @property
    def _budget(self) -> int:
        window = self.asker.model.context_window
        if self.piece_words is not None:
            return self.piece_words
        if window is None:
            return PIECE_WORDS
        return max(50, (window * 2 // 3) // TOKENS_A_WORD)

    def extract(self, source: Source) -> list[Extraction]:
        """Key facts of each part, proposed in one round and reviewed in a second."""
        pieces = self._all_pieces(source)
        known: dict[Piece, Read[str]] = {}
        while new := [piece for piece in pieces if piece not in known]:
            known |= zip(new, self._proposed(new, "shortened" if known else "first"), strict=True)
            pieces = smaller(pieces, [known[piece].overrun for piece in pieces])
        proposed = [known[piece] for piece in pieces]
        reviews = self.asker.judged(
            [
                Batch(
                    prompt="facts.review",
                    facts=read.verdicts or (),
                    shown={"source": Data(label="source", text=piece.text)},
                    read=_read_keep,
                    about=(piece.text,),
                )
                for piece, read in zip(pieces, proposed, strict=True)
            ]
        )
        return [_extraction(part, pieces, proposed, reviews) for part in source.parts]

    def review(self, facts: Sequence[str], source: Source) -> list[bool | None]:
        """Whether each fact is key to the source: to some piece of it; None without an answer."""
        answers = self.asker.judged(
            [
                Batch(
                    prompt="facts.review",
                    facts=tuple(facts),
                    shown={"source": Data(label="source", text=piece)},
                    read=_read_keep,
                    about=(piece,),
                )
                for part in source.parts
                for piece in self._pieces(part).texts
            ]
        )
        return [_any([held[place].verdict for held in answers]) for place in range(len(facts))]

    def decompose(self, summary: str) -> Read[str]:
        """The facts of a summary; an empty one has none."""
        if not any(char.isalnum() for char in summary):
            return Read(())
        question = ("facts.decompose", {"summary": Data(label="summary", text=summary)})
        (read,) = self.asker.whole([question], read_facts)
        return read

    def votes(self, facts: Sequence[str], summary: str) -> list[bool | None]:
        """Whether the summary itself states each fact, for the consensus filter."""
        answers = self.asker.judged([_support_batch("facts.vote", facts, summary, "summary")])[0]
        return [None if one.verdict is None else one.verdict.supported for one in answers]

    def match(self, key_facts: Sequence[str], sentences: Sequence[str]) -> list[Answer[Sentences]]:
        """For each key fact the sentences, from 1, that state it; none without sentences."""
        if not sentences:
            return [Answer(()) for _ in key_facts]
        count, shown = len(sentences), numbered(sentences)
        batch = Batch(
            prompt="facts.match",
            facts=tuple(key_facts),
            shown={"summary": Data(label="summary", text=shown), "sentences": count},
            read=lambda reply, facts, mark: read_matches(reply, facts, count, mark),
            about=(shown,),
        )
        return self.asker.judged([batch])[0]

    def verify(self, facts: Sequence[str], source: Source) -> list[Checked]:
        """Each fact against each piece of each part; one that supports it is enough."""
        pieces, cut = self._all_pieces(source), None
        while pieces != cut:
            # What has a verdict is not asked about again.
            answers = self.asker.judged(
                [_support_batch("facts.verify", facts, piece.text, "source") for piece in pieces],
                "first" if cut is None else "shortened",
            )
            cut, pieces = (
                pieces,
                smaller(pieces, [any(one.overrun for one in held) for held in answers]),
            )
        owners = [piece.part.id for piece in pieces]
        return [checked(owners, [held[place] for held in answers]) for place in range(len(facts))]

    def _proposed(self, pieces: Sequence["Piece"], why: Why) -> list[Read[str]]:
        questions: list[tuple[str, dict[str, str | int | Data]]] = []
        for piece in pieces:
            language = piece.part.language
            named = language_name(language) if language != "und" else "the language of the source"
            text = Data(label="source", text=piece.text)
            questions.append(("facts.extract", {"source": text, "language": named}))
        return self.asker.whole(questions, read_facts, why)

    def _all_pieces(self, source: Source) -> list["Piece"]:
        return [
            Piece(part, text, held.note)
            for part in source.parts
            for held in [self._pieces(part)]
            for text in held.texts
        ]

    def _pieces(self, part: Part) -> Chunks:
        language = part.language
        return chunks(part.text, language, self._budget, lambda text: count_words(text, language))


def checked(owners: Sequence[str], answers: Sequence[Answer[Support]]) -> Checked:
    """The verdict on one fact from those on the pieces; `owners` are the parts they belong to."""
    by_part: dict[str, bool | None] = {}
    for part in dict.fromkeys(owners):
        mine = [a.verdict for owner, a in zip(owners, answers, strict=True) if owner == part]
        by_part[part] = _any(mine)
    supported = _any([a.verdict for a in answers])
    evidence = next(
        (a.verdict.evidence for a in answers if a.verdict and a.verdict.supported), None
    )
    reason = next((a.reason for a in answers if a.verdict is None), None)
    return Checked(
        supported=supported,
        by_part=by_part,
        evidence=evidence,
        pieces=len(answers),
        reason=reason if supported is None else None,
    )


def smaller(pieces: Sequence[Piece], overrun: Sequence[bool]) -> list[Piece]:
    """`pieces` with those that overran the judge's context cut into halves, down to a few words.

    The context of many servers is not known before they refuse a question.
    """
    found: list[Piece] = []
    for piece, over in zip(pieces, overrun, strict=True):
        language = piece.part.language
        half = count_words(piece.text, language) // 2
        if not over or half < FEWEST_WORDS:
            found.append(piece)
            continue
        cut = chunks(piece.text, language, half, partial(count_words, language=language))
        found += [Piece(piece.part, text, piece.note or cut.note) for text in cut.texts]
    return found


def filtered(facts: Sequence[str], summary: str, judges: Sequence[FactJudge]) -> Filtered:
    """The facts that the judges' votes leave (OmniCSEval: three judges)."""
    every = [judge.votes(facts, summary) for judge in judges]
    return consensus([tuple(votes) for votes in zip(*every, strict=True)])


def sentences_of(summary: str, language: str) -> list[str]:
    """The sentences that conciseness counts."""
    return split(summary, language)


def _any(verdicts: Sequence[Support | None]) -> bool | None:
    if any(one is not None and one.supported for one in verdicts):
        return True
    return None if not verdicts or any(one is None for one in verdicts) else False


def _support_batch(prompt: str, facts: Sequence[str], text: str, label: str) -> Batch[Support]:
    return Batch(
        prompt=prompt,
        facts=tuple(facts),
        shown={"source": Data(label=label, text=text)},
        read=read_support,
        about=(text,),
        divisible=prompt == "facts.verify",
    )


def _read_keep(reply: str, count: int, mark: str) -> Read[Support]:
    return read_support(reply, count, mark, KEEP)


def _extraction(
    part: Part,
    pieces: Sequence[Piece],
    proposed: Sequence[Read[str]],
    reviews: Sequence[Sequence[Answer[Support]]],
) -> Extraction:
    accepted: dict[str, KeyFact] = {}
    rejected: dict[str, tuple[KeyFact, str]] = {}
    mine = [n for n, piece in enumerate(pieces) if piece.part.id == part.id]
    for n in mine:
        for text, review in zip(proposed[n].verdicts or (), reviews[n], strict=True):
            fact = KeyFact(text=text, language=part.language, documents=(part.id,))
            if review.verdict is not None and review.verdict.supported:
                accepted[text] = fact
            else:
                said = review.verdict.evidence if review.verdict else review.reason
                rejected[text] = (fact, said or "no reason given")
    failed = [proposed[n].reason for n in mine if proposed[n].verdicts is None]
    notes = [f"read in {len(mine)} pieces"] if len(mine) > 1 else []
    notes += [note for n in mine if (note := pieces[n].note)]
    if failed and len(failed) < len(mine):
        notes.append(f"{len(failed)} of {len(mine)} pieces gave no key facts: {failed[0]}")
    return Extraction(
        part=part.id,
        accepted=tuple(accepted.values()),
        rejected=tuple(one for text, one in rejected.items() if text not in accepted),
        reason=failed[0] if len(failed) == len(mine) and failed else None,
        notes=tuple(dict.fromkeys(notes)),
    )
