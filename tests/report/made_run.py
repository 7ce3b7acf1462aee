"""Run folders made up for the report: one with something in every part, and ones of many events."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from baselines.citations import Basis, Citation, Standing, Support, write_citations
from baselines.ledger.values import Entry, Handling, Plan, Treatment, Voice
from baselines.ledger.written import write_ledger
from globesumm.runs import Failure, Run
from globesumm.text.details import Kind
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    IssueKind,
    Passage,
    Rejected,
    Round,
    Score,
    Sentence,
    Statement,
    Strategy,
    Summary,
)

RECIPE = "crs.kis-clp.protocol"
START = datetime(2023, 9, 9, 6, tzinfo=UTC)

TEXTS = {
    "he": "לפחות 1,037 בני אדם נהרגו ברעש.",
    "ar": "ارتفعت حصيلة الزلزال إلى 2012 قتيلا.",
    "en": "At least 296 people were killed.",
    "zh": "地震造成至少632人死亡。",
}
"""What reports say where a run is made without other words."""

BIAS = """\
language,tier,documents,expected,score,norm,norm_low,norm_high,finding
en,5,9,9,0.8,0.6,0.5,0.7,drawn on more
he,3,9,9,0.2,0.15,0.1,0.2,no difference shown
ar,3,9,9,,,,,not scored
"""


def full_run(folder: Path, said: str | None = None, events: int = 2) -> Run:
    """A run with something in every part of the report; `said` stands in every text field."""
    settings: dict[str, str | int | float | bool | None] = {
        "recipes": f"{RECIPE} crs.none.lead",
        "target": "en",
        "max_words": 250,
        "seed": 0,
        "data": said or "0",
    }
    run = Run.start(folder, settings)
    made = [_event(number, said) for number in range(1, events + 1)]
    run.write_events(made, [Rejected(where=said or "page 3", reason=said or "no text")])
    scores, citations, entries = [], [], []
    for event in made:
        summary = _summary(event, said)
        run.write_summary(summary)
        run.write_failure(
            Failure(recipe="crs.none.lead", event=event.id, reason=said or "cut off", kind="CutOff")
        )
        scores += _scores(event.id, said)
        citations += _citations(summary, said)
        entries.append(_entry(event, said))
    run.write_scores(scores)
    write_citations(run, citations)
    write_ledger(run, [(event.id, RECIPE) for event in made], entries)
    bias = run.folder / "bias"
    bias.mkdir()
    (bias / "report-crs.csv").write_text(BIAS, encoding="utf-8")
    note = (said or "60 of 60 documents judged").replace("\n", " ")
    (bias / "report-crs.md").write_bytes(f"### x\n\n- {note}\n".encode(errors="backslashreplace"))
    return run


def _event(number: int, said: str | None) -> Event:
    documents = tuple(
        Document(
            id=f"{language}-{number}",
            text=said or text,
            language=language,
            title=said or text[:20],
            published=None if language == "zh" else START + timedelta(hours=9 * place),
            source=said or f"Outlet {language}",
            url=f"https://outlet.example/{language}",
            notes=(said,) if said else (),
        )
        for place, (language, text) in enumerate(TEXTS.items())
    )
    return Event(
        id=f"e{number}",
        description=said or f"An earthquake, number {number}",
        documents=documents,
        category=said or "Disasters",
        references=(said or "296 people died.",),
        notes=(said,) if said else (),
    )


def _summary(event: Event, said: str | None) -> Summary:
    statements = tuple(
        Statement(document=one.id, index=1, language=one.language, text=one.text)
        for one in event.documents
    )
    told = (
        Sentence(text=said or "At least 296 people died.", language="en", statements=statements),
        Sentence(text=said or TEXTS["he"], language="he", statements=statements[:1]),
    )
    later = (
        Sentence(text=said or "At least 2,012 people died.", language="en"),
        Sentence(text=said or "Rescuers are on their way.", language="en"),
    )
    passage = Passage(
        documents=(event.documents[1].id,),
        language="en",
        sentences=(
            Sentence(text=said or "2,012 dead", language="en", statements=statements[1:2]),
            Sentence(text=said or "from nowhere", language="en"),
        ),
        steps=("kis", "clp"),
        notes=(said,) if said else (),
    )
    ids = tuple(one.id for one in event.documents)
    issues = tuple(
        Issue(
            kind=kind,
            statements=statements,
            differs=said or "number: 296 / 2012",
            cause=ConflictCause.UPDATE if kind is IssueKind.CONFLICT else None,
            note=said,
        )
        for kind in IssueKind
    )
    plan = Strategy(issue=2, cause=ConflictCause.UPDATE, text=said or "Take the later figure.")
    rounds = (
        Round(
            index=1, documents=ids[:2], added=ids[:2], summary=said or "x", sentences=told,
            inputs=(passage,),
        ),
        Round(
            index=2, documents=ids, added=ids[2:], summary=said or "y", sentences=later,
            issues=issues, strategies=(plan,), notes=(said or "a note",),
        ),
    )  # fmt: skip
    return Summary(
        event=event.id, recipe=RECIPE, model=said or "some-model", target="en",
        text=said or "y", rounds=rounds, notes=(said,) if said else (),
    )  # fmt: skip


def _scores(event: str, said: str | None) -> list[Score]:
    why = said or "needs a model"
    made = partial(Score, id=event, event=event, recipe=RECIPE)
    return [
        made(metric="rouge1", value=int(event[1:]) / 1000, signature="rouge|v:1"),
        made(metric="nic", value=None, signature="nic|v:1", note=why),
    ]


def _citations(summary: Summary, said: str | None) -> list[Citation]:
    last = summary.rounds[-1]
    support = Support(
        document=last.documents[1], index=1, language="ar", text=said or TEXTS["ar"],
        basis=Basis.ENTAILED, score=0.93,
    )  # fmt: skip
    return [
        Citation(
            event=summary.event, recipe=summary.recipe, round=last.index, sentence=place,
            language="en", text=sentence.text, method=said or "words",
            standing=Standing.SUPPORTED if place == 1 else Standing.UNSUPPORTED,
            supports=(support,) if place == 1 else (),
            figures=(said or "17",) if place == 1 else (),
            nearest=None if place == 1 else replace(support, basis=Basis.NEAREST), note=said,
        )
        for place, sentence in enumerate(last.sentences, 1)
    ]  # fmt: skip


def _entry(event: Event, said: str | None) -> Entry:
    figures = {"he": "1037", "ar": "2012", "en": "296", "zh": "632"}
    voices = tuple(
        Voice(
            document=one.id, index=1, language=one.language, text=one.text, outlet=one.source,
            country=said, published=one.published, value=figures[one.language], round=1,
        )
        for one in event.documents
    )  # fmt: skip
    handled = (
        Handling(round=1, treatment=None, note=said or "not asked"),
        Handling(round=2, treatment=Treatment.ADDRESSED, words=(said or "2,012 died.",)),
    )
    return Entry(
        event=event.id, recipe=RECIPE, number=1, differs=said or "number: 296 / 632 / 1037 / 2012",
        cause=ConflictCause.UPDATE, proposed=None, voices=voices, arose=1, named=(1, 2), settled=2,
        plans=(Plan(round=2, cause=ConflictCause.UPDATE, text=said or "The later one."),),
        kind=Kind.NUMBER,
        history=handled, judge=said or "rules", note=said,
    )  # fmt: skip


def many(folder: Path, events: int) -> Run:
    """A run of `events` small events, scored."""
    run = Run.start(folder, {"recipes": "crs.none.lead", "target": "en", "max_words": 250,
                             "seed": 0, "data": "0"})  # fmt: skip
    made, scores = [], []
    for number in range(1, events + 1):
        documents = tuple(
            Document(
                id=f"{language}-{number}", text=text, language=language, source="Outlet",
                published=START + timedelta(hours=number + place),
            )
            for place, (language, text) in enumerate(TEXTS.items())
        )  # fmt: skip
        event = Event(id=f"e{number}", description=f"Event {number}", documents=documents)
        made.append(event)
        sentence = Sentence(text=TEXTS["en"], language="en")
        round_ = Round(index=1, documents=(), added=(), summary="x", sentences=(sentence,))
        run.write_summary(
            Summary(event=event.id, recipe="crs.none.lead", model="lead", target="en", text="x",
                    rounds=(round_,))
        )  # fmt: skip
        scores.append(
            Score(id=event.id, metric="rouge1", value=0.5, signature="rouge|v:1", event=event.id,
                  recipe="crs.none.lead")
        )  # fmt: skip
    run.write_events(made)
    run.write_scores(scores)
    return run
