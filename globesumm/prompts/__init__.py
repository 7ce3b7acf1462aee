"""Prompts: files with ``$variables``, known by name and digest, with outside text fenced.

A prompt is ``globesumm/prompts/<task>/<variant>.md``, in the syntax of `string.Template`.  Its
reference (``pgp.where#9f2c1a7e``: task, variant, first digits of the file's SHA-256) goes into
results, so that a changed word shows.  A folder of one's own may replace any of them.

Articles, and all that models made of them, are hostile data.  They are given as `Data` and
stand between lines of tildes longer than any run of tildes within, so no text can end its own
block, open another or look like one.  A prompt that shows data must contain ``$fence``, the
line that encloses it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from globesumm.errors import DataError, UnknownName, UsageError, cannot_read
from globesumm.languages import LANGUAGES

SHORTEST_FENCE = 8
LONGEST_FENCE = 64
"""Tildes of a fence; a longer run in the text is shown shortened, which no language misses."""

DIGEST_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Text from outside.  `label` says what it is, in our own words, on the line above it."""

    label: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One prompt file; `source` names it in errors."""

    task: str
    variant: str
    content: bytes
    source: str

    @property
    def name(self) -> str:
        """``task.variant``."""
        return f"{self.task}.{self.variant}"

    @property
    def reference(self) -> str:
        """Name and the first digits of the file's SHA-256: ``pgp.where#9f2c1a7e``."""
        return f"{self.name}#{sha256(self.content).hexdigest()[:DIGEST_DIGITS]}"

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that stand in the file behind a dollar sign."""
        return frozenset(self._template.get_identifiers())

    @cached_property
    def _template(self) -> Template:
        try:
            template = Template(self.content.decode("utf-8-sig").replace("\r\n", "\n").strip())
        except UnicodeDecodeError as error:
            raise DataError(f"{self.source}: not UTF-8 ({error}): save it so") from error
        if not template.is_valid():
            raise DataError(
                f"{self.source}: a '$' that starts no variable; write '$$' for a dollar"
            )
        return template

    def render(self, **values: "str | int | Data | tuple[Data, ...]") -> str:
        """The prompt with its variables replaced; raises `UsageError` for too few or too many.

        ``fence`` is added where some value is data.  Values are not searched for variables.
        """
        data = [part for value in values.values() for part in _data(value)]
        fence = fence_for(part.text for part in data)
        given: dict[str, Any] = {"fence": fence} if data else {}
        for name, value in values.items():
            parts = _data(value)
            shown = "\n\n".join(fenced(part, fence) for part in parts)
            given[name] = shown if isinstance(value, Data | tuple) else str(value)
        if given.keys() != self.variables:
            raise UsageError(f"{self.source}: {_mismatch(self.variables, given.keys())}")
        return self._template.substitute(given)


class Library:
    """The prompts that come with the package, with those in `folder` in their place.

    `folder` has the same layout.  Raises `UsageError` where it is no folder, `UnknownName` for
    a file that replaces nothing, `DataError` for one that has not the same variables.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._own = _own_prompts(folder) if folder else {}

    def __getitem__(self, name: str) -> Prompt:
        """The prompt called ``task.variant``; raises `UnknownName`."""
        shipped = shipped_prompts()
        if name not in shipped:
            raise UnknownName("prompt", name, shipped)
        return self._own.get(name, shipped[name])

    def references(self, names: Iterable[str]) -> str:
        """The references of the prompts called `names`, for the record of a run."""
        return " ".join(self[name].reference for name in sorted(set(names)))


@cache
def shipped_prompts() -> Mapping[str, Prompt]:
    """Every prompt of the package by its name."""
    found = {}
    root = files("globesumm.prompts")
    for task in root.iterdir():
        for file in task.iterdir() if task.is_dir() else ():
            if file.name.endswith(".md"):
                prompt = Prompt(
                    task=task.name,
                    variant=file.name.removesuffix(".md"),
                    content=file.read_bytes(),
                    source=f"prompts/{task.name}/{file.name}",
                )
                found[prompt.name] = prompt
    return dict(sorted(found.items()))


def _own_prompts(folder: Path) -> dict[str, Prompt]:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no folder of prompts there: name one with --prompts")
    shipped, own = shipped_prompts(), {}
    for path in sorted(folder.rglob("*.md")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        if name not in shipped:
            raise UnknownName("prompt", name, shipped, where=str(folder))
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UsageError(cannot_read(path, error)) from error
        task, _, variant = name.partition(".")
        prompt = Prompt(task=task, variant=variant, content=content, source=str(path))
        if prompt.variables != shipped[name].variables:
            wanted = shipped[name].variables
            raise DataError(f"{path}: {_mismatch(prompt.variables, wanted)}")
        own[name] = prompt
    return own


def fence_for(texts: Iterable[str]) -> str:
    """A line of tildes that stands in none of `texts`, after `fenced` has shown them."""
    longest = max((len(run) for text in texts for run in _runs().findall(text)), default=0)
    return "~" * min(max(longest + 1, SHORTEST_FENCE), LONGEST_FENCE)


def fenced(data: Data, fence: str) -> str:
    """`data` between two lines of `fence`, the first of which bears its label."""
    text = _runs().sub(lambda run: run[0][: len(fence) - 1], data.text)
    return f"{fence} {' '.join(data.label.split())}\n{text}\n{fence}"


@cache
def _runs() -> Any:
    """Runs of tildes and of what looks like them, invisible characters between them included."""
    import regex

    return regex.compile(r"[~～∼˜〜](?:\p{Cf}*[~～∼˜〜])*")


def _data(value: "str | int | Data | tuple[Data, ...]") -> tuple[Data, ...]:
    return (value,) if isinstance(value, Data) else value if isinstance(value, tuple) else ()


def _mismatch(wanted: Iterable[str], given: Iterable[str]) -> str:
    missing = sorted(set(wanted) - set(given))
    surplus = sorted(set(given) - set(wanted))
    parts = [f"no value for ${name}" for name in missing]
    parts += [f"${name} is given and does not stand in the prompt" for name in surplus]
    return "; ".join(parts)


def language_name(code: str) -> str:
    """A language by its English and its own name: ``French (français)``."""
    row = LANGUAGES.get(code)
    if row is None:
        return "the language of the report"
    return row.name if row.name == row.own_name else f"{row.name} ({row.own_name})"
