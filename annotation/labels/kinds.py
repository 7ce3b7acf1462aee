"""The kinds of tasks: what each shows, asks and takes as an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from annotation.labels import answers, payloads
from annotation.labels.values import Item
from globesumm.errors import DataError, UnknownName
from globesumm.records import from_plain, to_plain

Scale = Literal["nominal", "ordinal", "interval"]

CANNOT = "x"
UNDO = "u"
LATER = "w"
NOTE = "n"
SUBMIT = "Enter"

COMMON = (
    (SUBMIT, "keep the answer and go on"),
    (UNDO, "take back the last answer"),
    (LATER, "put it off: it comes again at the end"),
    (NOTE, "write a note (Esc leaves it)"),
    (CANNOT, "it cannot be judged: say why in the note"),
    ("h", "definitions and the example"),
    ("?", "show or hide the keys"),
)
"""(key, what it does) on every page."""


REVIEW_KEYS = (
    ("y", "the finding is right"),
    ("m", "the finding is mistaken"),
    ("↑ ↓", "go to another finding (also k and j)"),
)
"""The keys of ``issues`` where a model's findings are reviewed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of task.

    `payload` and `answer` are the types of what is shown and answered; `check` raises
    `DataError` for an answer that does not fit the payload and returns its canonical form.
    `template` is the page, `keys` what its own keys do, `scale` the level of measurement at
    which agreement is computed.  Its definitions and worked example are in ``guides/<name>.toml``.
    """

    name: str
    title: str
    payload: type
    answer: type
    check: Callable[[Any, Any], Any]
    keys: tuple[tuple[str, str], ...]
    scale: Scale = "nominal"

    @property
    def template(self) -> str:
        return f"kinds/{self.name}.html.j2"


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="relevance",
            title="Is the report about the event?",
            payload=payloads.Relevance,
            answer=answers.Relevance,
            check=answers.check_relevance,
            keys=(
                ("1", "yes: it describes the same event"),
                ("2", "yes: it is about its causes or consequences"),
                ("3", "yes: it shows another perspective on it"),
                ("0", "no: none of these"),
            ),
        ),
        Kind(
            name="issues",
            title="What do the two lists do to each other?",
            payload=payloads.Issues,
            answer=answers.Issues,
            check=answers.check_issues,
            keys=(
                ("↑ ↓", "go to another sentence"),
                ("← →", "go to the other list"),
                ("Space", "choose the sentence"),
                ("r", "the chosen are a redundancy"),
                ("o", "the chosen are an omission"),
                ("c", "the chosen are a conflict"),
                ("1 to 5", "the cause of the conflict"),
                ("s", "write how the conflict should be settled (Esc leaves it)"),
                ("j k", "go to the next or previous issue"),
                ("d", "remove the issue"),
                ("y m", "in a review of findings: it is right, or mistaken"),
            ),
        ),
        Kind(
            name="key-facts",
            title="Is the fact key?",
            payload=payloads.KeyFact,
            answer=answers.KeyFact,
            check=answers.check_key_fact,
            keys=(("1", "key"), ("0", "not key")),
        ),
        Kind(
            name="fact-support",
            title="Does the source support the fact?",
            payload=payloads.FactSupport,
            answer=answers.FactSupport,
            check=answers.check_fact_support,
            keys=(("1", "supported"), ("0", "not supported")),
        ),
        Kind(
            name="matching",
            title="Which sentences state the fact?",
            payload=payloads.Matching,
            answer=answers.Matching,
            check=answers.check_matching,
            keys=(
                ("1 to 9", "the sentence states it, or does not after all"),
                ("↑ ↓", "go to another sentence"),
                ("Space", "the sentence states it, or does not after all"),
                ("0", "no sentence states it"),
            ),
        ),
        Kind(
            name="key-points",
            title="Which excerpts are key points?",
            payload=payloads.KeyPoints,
            answer=answers.KeyPoints,
            check=answers.check_key_points,
            keys=(
                ("↑ ↓", "go to another sentence"),
                ("← →", "go to another word"),
                ("t", "go to the next text"),
                ("e", "begin an excerpt at the word; the arrows extend it"),
                ("Space", "highlight the excerpt, or the whole sentence"),
                ("d", "remove the highlight under the cursor"),
                ("j k", "go to the next or previous point of the summary"),
                ("1 to 9", "the point of the summary says what that point of a document says"),
                ("l", "the same for any number: type it, then Enter"),
            ),
        ),
        Kind(
            name="preference",
            title="Which summary is better?",
            payload=payloads.Preference,
            answer=answers.Preference,
            check=answers.check_preference,
            keys=(("1", "the first"), ("2", "the second"), ("0", "neither is better")),
            scale="ordinal",
        ),
    )
}
"""Name to kind; pages, tests and agreement go through every row."""


def kind_of(name: str) -> Kind:
    """The kind called `name`; raises `UnknownName` with the nearest one."""
    if name not in KINDS:
        raise UnknownName("kind of task", name, KINDS)
    return KINDS[name]


def payload_of(item: Item) -> Any:
    """What `item` shows, as the kind's type; raises `DataError` where it is something else."""
    return from_plain(kind_of(item.kind).payload, item.payload, f"item {item.id!r}")


def read_answer(item: Item, answer: object) -> dict[str, Any]:
    """The canonical plain form of `answer` to `item`; raises `DataError` where it does not fit."""
    kind = kind_of(item.kind)
    where = f"answer to {item.id!r}"
    given: Any = from_plain(kind.answer, answer, where)
    try:
        plain: dict[str, Any] = to_plain(kind.check(payload_of(item), given))
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    return plain


def check_item(item: Item) -> Item:
    """`item` if its payload, models' answers and gold fit its kind; raises `DataError` if not.

    The answers come back in their canonical form.
    """
    payload_of(item)
    models = {name: read_answer(item, answer) for name, answer in item.models.items()}
    gold = None if item.gold is None else read_answer(item, item.gold)
    return Item(
        id=item.id,
        kind=item.kind,
        payload=item.payload,
        languages=item.languages,
        event=item.event,
        models=models,
        gold=gold,
        source=item.source,
    )
