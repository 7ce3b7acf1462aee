"""The last two stages: verdicts on the candidates, and the events they make."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import read_own_records, write_records
from globesumm.values import Document
from retrieval.events.candidates import Candidate
from retrieval.events.chain import Chain
from retrieval.events.choosing import Choice, Surplus, choose, surplus_of
from retrieval.events.judging import Verdict, judge
from retrieval.events.layout import Row
from retrieval.events.verdicts import Judged, hand_out, people_in


def _read_candidates(chain: Chain) -> tuple[list[Candidate], dict[str, Document]]:
    from retrieval.index.texts import Texts

    candidates = list(read_own_records(chain.layout.candidates, Candidate))
    documents: dict[str, Document] = {}
    for language in sorted({one.language for one in candidates}):
        texts = Texts(chain.layout.index / language / "documents.sqlite")
        for one in candidates:
            if one.language == language and one.document not in documents:
                found = texts.get(one.document)
                if found is None:
                    raise DataError(
                        f"{chain.layout.index / language} lacks {one.document!r}, which "
                        f"{chain.layout.candidates} names: repeat the index stage"
                    )
                documents[one.document] = found
        texts.close()
    return candidates, documents


def _people(chain: Chain) -> Judged:
    own = [chain.layout.judgements] if chain.layout.judgements.exists() else []
    return people_in([*map(Path, chain.config.verify.judgements), *own])


def verified(chain: Chain) -> Row:
    """The verdict that counts on each candidate: people's where there is one, else the model's."""
    layout, config = chain.layout, chain.config
    candidates, documents = _read_candidates(chain)
    events = {event.id: event for event in chain.seeds().chosen}
    people = _people(chain)
    chain.rejected += people.rejected
    surplus = surplus_of(candidates, documents, config.keep.per_story)
    write_records(layout.stories, surplus)
    pairs = {(one.event, one.document) for one in candidates}
    by_people = {key: one for key, one in people.verdicts.items() if key in pairs}
    by_model: dict[tuple[str, str], Verdict] = {}
    if chain.judge is not None:
        # Copies are not taken whatever they say: nobody need judge them.
        settled = {*by_people, *((one.event, one.document) for one in surplus)}
        asked = [
            (events[one.event], documents[one.document])
            for one in candidates
            if (one.event, one.document) not in settled
        ]
        said = judge(asked, chain.judge, config.verify.most_characters)
        by_model = {(one.event, one.document): one for one in said}
    verdicts = {**by_model, **by_people}
    ordered = [verdicts[key] for key in sorted(pairs) if key in verdicts]
    write_records(layout.verdicts, ordered)
    descriptions = {name: event.description for name, event in events.items()}
    hand_out(layout.judgements, candidates, descriptions, by_model)
    return _verified_row(candidates, verdicts, people, by_people, chain)


def _verified_row(
    candidates: Sequence[Candidate],
    verdicts: Mapping[tuple[str, str], Verdict],
    people: Judged,
    by_people: Mapping[tuple[str, str], Verdict],
    chain: Chain,
) -> Row:
    decided = sum(one.relevant is not None for one in verdicts.values())
    failed = sum(one.relevant is None and key not in by_people for key, one in verdicts.items())
    divided = sum(one.relevant is None for one in by_people.values())
    left = {
        "no usable answer": failed,
        "people divided": divided,
        "not judged": len(candidates) - len(verdicts),
    }
    relevant = sum(bool(one.relevant) for one in verdicts.values())
    notes = [f"{relevant} relevant", f"{len(by_people)} by people"]
    if other := len(people.verdicts) - len(by_people):
        notes.append(f"{other} judgements are of no candidate")
    if not decided and candidates and chain.config.verify.unjudged == "leave-out":
        notes.append(
            f"name a model, fill in {chain.layout.judgements}, or set verify.unjudged = 'keep'"
        )
    return Row(
        stage="verified",
        what="candidates",
        n=decided,
        of=len(candidates),
        left={reason: count for reason, count in left.items() if count},
        note="; ".join(notes),
        failed=failed,
    )


def kept(chain: Chain) -> Row:
    """The events that have enough, and what became of each candidate."""
    layout = chain.layout
    candidates, documents = _read_candidates(chain)
    verdicts = {
        (one.event, one.document): one for one in read_own_records(layout.verdicts, Verdict)
    }
    choice = choose(
        chain.seeds().chosen,
        candidates,
        documents,
        verdicts,
        chain.config.keep,
        surplus=read_own_records(layout.stories, Surplus),
        unjudged=chain.config.verify.unjudged == "keep",
    )
    write_records(layout.decisions, choice.decisions)
    write_records(layout.left_out, choice.left_out)
    write_records(layout.events, choice.events)
    return _events_row(choice)


def _events_row(choice: Choice) -> Row:
    taken = sum(len(event.documents) for event in choice.events)
    kinds = Counter(one.kind for one in choice.decisions if not one.taken)
    untaken = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    shared = Counter(one.id for event in choice.events for one in event.documents)
    notes = [f"{taken} documents of {len(choice.decisions)} candidates"]
    notes += [f"not taken: {untaken}"] if untaken else []
    if several := sum(count > 1 for count in shared.values()):
        notes.append(f"{several} documents are in several events")
    return Row(
        stage="events",
        what="events",
        n=len(choice.events),
        of=len(choice.events) + len(choice.left_out),
        left=dict(Counter(one.reason for one in choice.left_out).most_common()),
        note="; ".join(notes),
    )
