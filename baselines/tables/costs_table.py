"""Costs of cells as a table."""

from baselines.recipes import needs_model
from baselines.tables.costs import CellCost, Costs, Spent
from metrics.printed import MISSING, Table

FIGURES = ("calls", "tokens in", "tokens out", "money", "seconds")


def costs_table(found: Costs) -> Table:
    """A row for each cell: all of its calls alone, its share of them, and money a summary.

    The last rows are what belongs to no cell, and all that the store holds.
    """
    money = found.currency or "money"
    figures = [money if name == "money" else name for name in FIGURES]
    several = len({one.who.target for one in found.cells}) > 1
    named = ("recipe", "model", *(["language"] if several else []), "summaries")
    lines: list[tuple[tuple[str, ...], Spent | None, Spent | None, str]] = [
        (
            _names(one, several=several),
            one.alone if _is_known(one) else None,
            one.share if _is_known(one) else None,
            _each(one),
        )
        for one in found.cells
    ]
    blank = ("",) * (len(named) - 1)
    lines.append((("(judging, and calls of no finished summary)", *blank), None, found.nobody, ""))
    lines.append((("(all stored answers)", *blank), None, found.stored, ""))
    rows = tuple(
        (*names, *_shown(alone), *_shown(share), each or MISSING)
        for names, alone, share, each in lines
    )
    ends = (*FIGURES, "uncounted", "unpriced", "untimed")
    return Table(
        header=(*named, *figures, *figures, f"{money} alone"),
        rows=rows,
        notes=tuple(_notes(found)),
        number_header=(
            *named,
            *(f"{which}_{end}".replace(" ", "_") for which in ("alone", "share") for end in ends),
            "alone_money_a_summary",
        ),
        numbers=tuple(
            (*names, *_numbers(alone), *_numbers(share), each)
            for names, alone, share, each in lines
        ),
        named=len(named),
        groups=(("alone", len(figures)), ("share", len(figures)), ("a summary", 1)),
        rules=frozenset([len(found.cells)]),
    )


def _names(one: CellCost, *, several: bool) -> tuple[str, ...]:
    language = [one.who.target] if several else []
    return (str(one.recipe), one.who.label, *language, str(one.summaries))


def _is_known(one: CellCost) -> bool:
    """Whether the calls of every summary were noted; what needs no model makes none."""
    return one.noted == one.summaries


def _each(one: CellCost) -> str:
    if not one.noted or one.alone.unpriced or not _is_known(one):
        return ""
    return f"{one.alone.cost / one.noted:.6f}"


def _shown(spent: Spent | None) -> tuple[str, ...]:
    if spent is None:
        return (MISSING,) * len(FIGURES)
    return (
        f"{spent.calls:g}" if spent.calls == int(spent.calls) else f"{spent.calls:.1f}",
        _partly(f"{spent.prompt_tokens:.0f}", spent.uncounted, spent.calls),
        _partly(f"{spent.completion_tokens:.0f}", spent.uncounted, spent.calls),
        _partly(f"{spent.cost:.4f}", spent.unpriced, spent.calls),
        _partly(f"{spent.seconds:.1f}", spent.untimed, spent.calls),
    )


def _partly(text: str, unknown: float, calls: float) -> str:
    """A sum of which a part is not known: at least that much, or nothing at all."""
    if not unknown:
        return text
    return MISSING if unknown >= calls - 1e-9 else f"≥ {text}"


def _numbers(spent: Spent | None) -> tuple[str, ...]:
    if spent is None:
        return ("",) * (len(FIGURES) + 3)
    sums = (
        (spent.prompt_tokens, spent.uncounted),
        (spent.completion_tokens, spent.uncounted),
        (spent.cost, spent.unpriced),
        (spent.seconds, spent.untimed),
    )
    known = (
        "" if unknown and unknown >= spent.calls - 1e-9 else f"{value:.6f}"
        for value, unknown in sums
    )
    unknown = (spent.uncounted, spent.unpriced, spent.untimed)
    return (f"{spent.calls:.6f}", *known, *(f"{count:.6f}" for count in unknown))


def _notes(found: Costs) -> list[str]:
    notes = [
        "alone: all calls of a cell, as if no other were there",
        "share: each call divided among its cells; with the last row but one they sum to the last",
        "seconds: the calls' time one after another, not the time that passed",
    ]
    if found.unpriced_models:
        notes.append(f"no price is known of {', '.join(found.unpriced_models)}")
    unknown = [one for one in found.cells if not _is_known(one)]
    for one in unknown:
        name = f"{one.recipe} by {one.who.label}"
        notes.append(f"{name}: the calls of {one.noted} of {one.summaries} summaries were noted")
    if any(needs_model(one.recipe) and not one.summaries for one in found.cells):
        empty = [
            f"{one.recipe} by {one.who.label}"
            for one in found.cells
            if needs_model(one.recipe) and not one.summaries
        ]
        notes.append(f"no finished summary, so no cost: {'; '.join(empty)}")
    if found.failed:
        notes.append(f"{found.failed} failed calls are stored beside the answers and not in here")
    if found.lost:
        notes.append(f"{found.lost} calls were noted that the store does not hold")
    for what, count in (("tokens", found.stored.uncounted), ("seconds", found.stored.untimed)):
        if count:
            notes.append(f"{count:g} calls have no {what}; ≥ marks sums that lack some")
    return notes
