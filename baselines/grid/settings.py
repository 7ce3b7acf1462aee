"""What decides the results of a grid and of each of its parts: the identity of their folders.

Metrics, judges, limits, prices, addresses and labels decide no summary, and so may change from
one run of the same command to the next.  So may `overrun`: it decides about documents that do
not fit, whose summaries failed or say that they were trimmed, so that failed ones can be taken
up again with another policy.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from annotation.author import Author
from annotation.pipelines import references
from baselines.grid.authors import decoding_of, library
from baselines.grid.cells import NO_MODEL, Part, cells, parts
from baselines.recipes import maker, needs_model
from globesumm.config import Experiment, ModelRow
from globesumm.llm.stored import Replay
from globesumm.records import to_json, to_plain
from globesumm.runs import Setting, digest
from globesumm.values import Event, Recipe


def grid_settings(experiment: Experiment, events: Collection[Event]) -> dict[str, Setting]:
    """The settings of the whole grid; a run folder with others is refused, its fields named."""
    chosen = parts(cells(experiment))
    recipes = dict.fromkeys(recipe for held in chosen.values() for recipe in held)
    decided: dict[str, Setting] = {
        "kind": "grid",
        "recipes": " ".join(map(str, recipes)),
        "targets": " ".join(dict.fromkeys(part.target for part in chosen)),
        "max_words": experiment.max_words,
        "seeds": " ".join(map(str, dict.fromkeys(part.seed for part in chosen))),
        "events": len(events),
        "data": digest(events),
    }
    free = [(one, part.seed) for part, held in chosen.items() if not part.model for one in held]
    if free:
        decided[NO_MODEL] = _makers(free)
    for row in experiment.models:
        asked = dict.fromkeys(
            recipe for part, held in chosen.items() if part.model == row.name for recipe in held
        )
        decided[f"model {row.name}"] = f"{_row(row)} {' '.join(map(str, asked))}"
    return decided | _asking(experiment, [one for one in recipes if needs_model(one)])


def part_settings(
    experiment: Experiment, whole: Mapping[str, Setting], part: Part, recipes: Sequence[Recipe]
) -> dict[str, Setting]:
    """The settings of one part of the grid with the settings `whole`, in the fields of any run."""
    asked = [recipe for recipe in recipes if needs_model(recipe)]
    decided: dict[str, Setting] = {
        "recipes": " ".join(map(str, recipes)),
        "models": part.model or _makers([(one, part.seed) for one in recipes]),
        "target": part.target,
        "max_words": experiment.max_words,
        "seed": part.seed,
        "events": whole["events"],
        "data": whole["data"],
    }
    if part.model is None:
        return decided | {"part": NO_MODEL}
    row = experiment.rows[part.model]
    decided["part"] = part.name
    decided["model"] = _row(row)
    return (
        decided
        | _asking(experiment, asked)
        | {
            "decoding": to_json(decoding_of(experiment, row, part.seed)),
        }
    )


def _makers(free: Sequence[tuple[Recipe, int]]) -> str:
    return " ".join(dict.fromkeys(maker(recipe, seed).name for recipe, seed in free))


def _row(row: ModelRow) -> str:
    """What of a model's row decides its answers, and whether a document is too long for it."""
    said = {"context": row.context, "tokenizer": row.tokenizer, "reasoning": row.reasoning}
    return " ".join([row.asked_as, *(f"{k}={v}" for k, v in said.items() if v is not None)])


def _asking(experiment: Experiment, asked: Sequence[Recipe]) -> dict[str, Setting]:
    """How models are asked, the same for all of them."""
    if not asked:
        return {}
    author = Author(model=Replay("nobody"), prompts=library(experiment.prompts))
    prompts = {name for one in asked for name in references(one, author).split()}
    parted = (name.partition("#") for name in sorted(prompts))
    found: dict[str, Setting] = {f"prompt {name}": digits for name, _, digits in parted}
    decoding = to_plain(replace(experiment.decoding, overrun="refuse"))
    if decoding["bounded"] is None:
        # Runs of earlier versions go on.
        del decoding["bounded"]
    found["decoding"] = to_json(decoding)
    pre = experiment.presteps
    if any(one.drafts for one in asked):
        found |= _drafts(experiment)
    if pre.model is not None:
        found["presteps"] = f"{_row(experiment.rows[pre.model])} carries={pre.carries}"
        found["presteps_seed"] = experiment.seed
    return found


def _drafts(experiment: Experiment) -> dict[str, Setting]:
    """What decides which draft is taken; who the judge is is told by what it is asked as."""
    from baselines.drafts.methods import PROMPTS

    given = experiment.drafts
    told = replace(given, judge=None, same_judge="flag", entailer_weights=None)
    prompts = library(experiment.prompts).references(PROMPTS).split()
    parted = (name.partition("#") for name in prompts)
    found: dict[str, Setting] = {f"prompt {name}": digits for name, _, digits in parted}
    found["drafts"] = to_json(told)
    judge = experiment.rows[given.judge] if given.judge else None
    found["drafts_judge"] = _row(judge) if judge else "the writing model"
    return found
