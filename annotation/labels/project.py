"""A labelling project: a folder with ``project.toml``, which people edit, and ``labels.sqlite``."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from annotation.labels.kinds import KINDS, kind_of
from annotation.labels.store import Store
from annotation.labels.values import Annotator, Prelabels
from globesumm.errors import DataError, UnknownName, UsageError, cannot_read
from globesumm.languages import parse
from globesumm.records import from_plain, write_text

SETTINGS, DATABASE = "project.toml", "labels.sqlite"

Groups = Literal["any", "one", "each"]
Order = Literal["events", "given", "shuffled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What ``project.toml`` says.

    `overlap` people answer each item: of all, or with `groups` of ``"one"`` group (an item goes to
    one group as a whole) or of ``"each"`` group.  `rules` by kind settle what they answered (see
    `annotation.labels.results.decide`); `second_round` asks the same people again about a matching
    on which three disagree completely.  `batch` items are
    followed by a pause, and hold `gold_per_batch` items with a known answer.  `order` keeps the
    items of an event together (``"events"``, events shuffled), as ``"given"``, or ``"shuffled"``;
    shuffles depend on `seed` and the person.  `prelabels` says when answers of `prelabel_model`
    (the first one's, where it is not named) are shown; `verdicts` allows to ask for the verdicts
    of at least three models, which is logged.  `pay_per_label` and `pay_per_hour` are in
    `currency`.  `consent` is what people agree to before the first item.
    """

    title: str = "Labelling"
    overlap: int = 3
    groups: Groups = "any"
    rules: Mapping[str, str] = field(default_factory=dict, hash=False)
    second_round: bool = True
    batch: int = 50
    gold_per_batch: int = 2
    order: Order = "events"
    seed: int = 0
    prelabels: Prelabels = Prelabels.HIDDEN
    prelabel_model: str | None = None
    verdicts: bool = False
    pay_per_label: float | None = None
    pay_per_hour: float | None = None
    currency: str = "USD"
    consent: str | None = None
    annotators: tuple[Annotator, ...] = ()

    def __post_init__(self) -> None:
        for name, least in (("overlap", 1), ("batch", 1), ("gold_per_batch", 0)):
            if not least <= getattr(self, name) <= 10_000:
                raise ValueError(f"{name} is {getattr(self, name)}: give {least} to 10000")
        if self.gold_per_batch >= self.batch:
            raise ValueError("gold_per_batch leaves no place for other items in a batch")
        for name in ("pay_per_label", "pay_per_hour"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 1e6:
                raise ValueError(f"{name} is {value}: give an amount from 0 up")
        for kind in self.rules:
            if kind not in KINDS:
                raise ValueError(f"rules: there is no kind of task {kind!r}")
        names = [one.name for one in self.annotators]
        for name in names:
            if not name.strip() or len(name) > 100 or not name.isprintable():
                raise ValueError(f"{name[:100]!r} is no name of an annotator")
            if names.count(name) > 1:
                raise ValueError(f"two annotators are called {name!r}")


class Project:
    """One project; `settings` are read once, when it is opened."""

    def __init__(self, folder: Path, settings: Settings, store: Store) -> None:
        self.folder, self.settings, self.store = folder, settings, store

    @classmethod
    def create(cls, folder: Path, settings: Settings) -> "Project":
        """A new project in `folder`; raises `UsageError` where one is.

        The database comes last: with it the project is there.
        """
        database, path = folder / DATABASE, folder / SETTINGS
        content = written(settings)
        if database.exists():
            raise UsageError(f"{database} is there already")
        if path.exists() and path.read_bytes() != content.encode("utf-8", "backslashreplace"):
            raise UsageError(
                f"{path} is there and says something else: take another folder, or remove it"
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, content)
        return cls(folder, settings, Store.create(database))

    @classmethod
    def open(cls, folder: Path) -> "Project":
        """The project in `folder`; raises `DataError` where there is none or it cannot be read."""
        store = Store.open(folder / DATABASE)
        return cls(folder, read_settings(folder / SETTINGS), store)

    @cached_property
    def annotators(self) -> dict[str, Annotator]:
        """Annotators by name."""
        return {one.name: one for one in self.settings.annotators}


def read_settings(path: Path) -> Settings:
    """``project.toml``; raises `DataError` that names what is wrong there."""
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not TOML ({error}): correct it there") from error
    settings = from_plain(Settings, plain, str(path))
    try:
        return replace(settings, annotators=tuple(map(_known, settings.annotators)))
    except UnknownName as error:
        raise DataError(f"{path}: annotators: {error}") from error


def annotator(text: str, *, adjudicator: bool = False) -> Annotator:
    """``NAME``, ``NAME:en,fr`` or ``NAME:en,fr@GROUP`` as given on the command line."""
    rest, _, group = text.partition("@")
    name, _, languages = rest.partition(":")
    codes = tuple(code.strip() for code in languages.split(",") if code.strip())
    return _known(
        Annotator(
            name=name.strip(),
            languages=codes,
            group=group.strip() or "1",
            adjudicator=adjudicator,
        )
    )


def _known(one: Annotator) -> Annotator:
    for kind in one.kinds:
        kind_of(kind)
    return replace(one, languages=tuple(parse(code) for code in one.languages))


def written(settings: Settings) -> str:
    """`settings` as a TOML file with a word on each."""
    rules = ", ".join(f"{_text(kind)} = {_text(rule)}" for kind, rule in settings.rules.items())
    lines = [
        "# What is edited here counts when the project is served again (docs/labelling.md).",
        _row("title", settings.title),
        _row("overlap", settings.overlap, "people an item"),
        _row("groups", settings.groups, "any, one (an item goes to one group) or each"),
        f"rules = {{{rules}}}  # by kind: majority, strict-majority, unanimous, groups",
        _row("second_round", settings.second_round, "of a matching on which three disagree"),
        _row("batch", settings.batch, "items before a pause"),
        _row("gold_per_batch", settings.gold_per_batch, "with a known answer"),
        _row("order", settings.order, "events, given or shuffled"),
        _row("seed", settings.seed),
        _row("prelabels", settings.prelabels.value, "a model's answer: hidden, after or first"),
        _row("prelabel_model", settings.prelabel_model, "whose"),
        _row("verdicts", settings.verdicts, "at least three models' on request, logged"),
        _row("pay_per_label", settings.pay_per_label),
        _row("pay_per_hour", settings.pay_per_hour),
        _row("currency", settings.currency),
        _row("consent", settings.consent),
    ]
    for one in settings.annotators:
        lines += ["", "[[annotators]]", _row("name", one.name)]
        lines += [_row("languages", list(one.languages), "none: all")]
        lines += [_row("kinds", list(one.kinds))] if one.kinds else []
        lines += [_row("group", one.group)]
        lines += [_row("adjudicator", one.adjudicator)] if one.adjudicator else []
    return "\n".join(lines) + "\n"


EXAMPLES = {
    "prelabel_model": '"gpt-4o"',
    "pay_per_label": "0.10",
    "pay_per_hour": "8.0",
    "consent": '"What people agree to."',
}
"""What a key that is not set could look like."""


def _row(name: str, value: str | float | bool | Sequence[str] | None, note: str = "") -> str:
    """One key; TOML's strings, numbers, booleans and lists of strings are written as JSON's."""
    remark = f"  # {note}" if note else ""
    if value is None:
        return f"# {name} = {EXAMPLES[name]}{remark}"
    return f"{name} = {_text(value)}{remark}"


def _text(value: str | float | bool | Sequence[str]) -> str:
    # TOML has no DEL in a string; JSON has.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
