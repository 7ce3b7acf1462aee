"""A grid's plan on the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from globesumm.finite import counted
from globesumm.progress import visible

if TYPE_CHECKING:
    from baselines.grid.plan import GridPlan, PlannedRow


def print_plan(plan: "GridPlan") -> None:
    """Cells, calls by model and step, tokens, money, the longest chain and the time."""
    for line in plan_lines(plan):
        print(visible(line))


def plan_lines(plan: "GridPlan") -> Iterator[str]:
    """The lines of `print_plan`."""
    from baselines.grid.plan import METHOD
    from baselines.grid.plan_roles import SECONDS_A_TOKEN, SECONDS_TO_BEGIN

    cells, events = len(plan.cells), plan.events
    yield (
        f"{counted(cells, 'cell')} x {counted(events, 'event')} with "
        f"{counted(plan.documents, 'document')} = "
        f"{counted(cells * events, 'summary')}"
    )
    if not plan.rows:
        yield "0 model calls, no cost"
        return
    width = max(len(row.model) for row in plan.rows) + 2
    yield (
        f"{'model':<{width}}{'step':<24} {'calls':>8} {'tokens in':>12} {'tokens out':>12} "
        f"{plan.currency:>11}"
    )
    for row in plan.rows:
        yield _row(row, width)
    for name in dict.fromkeys(row.model for row in plan.rows):
        yield _total(f"{name}, in all", [r for r in plan.rows if r.model == name], width)
    if len({row.model for row in plan.rows}) > 1:
        yield _total("in all", list(plan.rows), width)
    saved = plan.requests - plan.calls
    yield (f"{counted(plan.calls, 'call')} for summaries; {saved} more if cells shared none")
    if plan.early:
        yield (
            f"of them {plan.early} that are not made where a model finds nothing to change, or "
            "where drafts are one text (<=)"
        )
    if plan.judging:
        yield f"at most {counted(plan.judging, 'call')} of judges: alike summaries are judged once"
    dated = f"prices of {plan.prices_dated}" if plan.prices_dated else "a price list without a date"
    if plan.unpriced:
        known = f"{plan.cost:.2f} {plan.currency} ({dated}) and " if plan.cost else ""
        yield (
            f"cost: {known}unknown for {counted(plan.unpriced, 'call')}, whose models have no price"
        )
    else:
        yield f"cost: {plan.cost:.2f} {plan.currency} ({dated})"
    yield (
        f"longest chain: {counted(plan.chain, 'call')} that wait for each other, about "
        f"{_time(plan.chain_seconds)}; all summaries at best in {_time(plan.seconds)}"
    )
    if plan.tight:
        yield (
            f"{counted(plan.tight, 'call')} estimated to be too long for their model's context: "
            "refused or trimmed, as decoding.overrun says"
        )
    yield METHOD
    yield (
        f"time is estimated from seconds_per_call, or {SECONDS_TO_BEGIN:g} s and "
        f"{1 / SECONDS_A_TOKEN:g} tokens a second"
    )


def _row(row: "PlannedRow", width: int) -> str:
    cost = "unknown" if row.cost is None else f"{row.cost:.2f}"
    most = "<=" if row.at_most or row.early else ""
    return (
        f"{row.model:<{width}}{row.step:<24} {most + str(row.calls):>8} {row.prompt_tokens:>12} "
        f"{row.answer_tokens:>12} {cost:>11}"
    )


def _total(name: str, rows: "list[PlannedRow]", width: int) -> str:
    known = [row.cost for row in rows if row.cost is not None]
    cost = f"{sum(known):.2f}" if len(known) == len(rows) else "unknown"
    if known and len(known) < len(rows):
        cost = f">{sum(known):.2f}"
    calls = sum(row.calls for row in rows)
    most = "<=" if any(row.at_most or row.early for row in rows) else ""
    return (
        f"{name:<{width + 24}} {most + str(calls):>8} {sum(r.prompt_tokens for r in rows):>12} "
        f"{sum(r.answer_tokens for r in rows):>12} {cost:>11}"
    )


def _time(seconds: float) -> str:
    """``3 h 20 min``, ``4 min``, ``12 s``."""
    minutes = round(seconds / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min" if seconds >= 90 else f"{round(seconds)} s"
