"""``globesumm metrics check``: whether metrics order summaries whose truth is known."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.inputs import name_rejected
from globesumm.cli.judging import add_entailer_options, add_judge_options
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.metrics_subjects import Planned, not_run, planned
from globesumm.cli.scores import FORMS, MARKS, print_form, unread
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track, visible
from globesumm.records import to_json, to_plain, write_records
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.truth import Article, Checked, Known

ACROSS = "across languages"

ABOUT = "which metrics order summaries of known coverage and faithfulness rightly"

MORE = """\
Summaries are composed from key points of articles, their reversals and the other side's points;
coverage = key points stated / key points, faithfulness = key points stated / sentences.
ρ is Spearman's over all summaries, winrate the share of pairs of one article ordered rightly.
Under "only" are the pairs of which one summary only states more key points (more), only fewer
unfaithful sentences (cleaner), or as many sentences of which more are key points (swapped).
Chance is 0 for ρ and 0.5 otherwise; a metric orders rightly by coverage if ρ, winrate, more and
swapped are above chance, by faithfulness if ρ, winrate, cleaner and swapped are.

ARTICLES.jsonl holds one's own articles, a line each:
{"id", "language", "excerpts": [...], "text"?, "points": {"en": {"keys": [...], "reversals"?,
"other"?}}}
LABELS.jsonl holds people's labels instead, a line a summary:
{"article", "source", "summary", "language", "summary_language"?, "coverage"?, "faithfulness"?}

Examples:
  globesumm metrics check
  globesumm metrics check --metrics rouge,alignment-vectors --by pair
  globesumm metrics check --judge qwen2.5-7b,mistral-7b --base-url http://127.0.0.1:8000/v1
      --out judged
  globesumm metrics check --articles mine.jsonl --unfaithful reversals --format markdown
  globesumm metrics check --labels people.jsonl
"""


def add_check(actions: Any) -> None:
    parser = actions.add_parser(
        "check",
        help=ABOUT,
        description=f"{ABOUT[0].upper()}{ABOUT[1:]}.\n\n{MORE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--metrics", metavar="NAMES", help="such as rouge,red (all there are)")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--articles", type=Path, metavar="ARTICLES.jsonl", help="(those shipped)")
    given.add_argument("--labels", type=Path, metavar="LABELS.jsonl", help="people's, as truth")
    parser.add_argument("--languages", metavar="PAIRS", help="source-summary, such as de-en,en-en")
    parser.add_argument(
        "--by",
        choices=("kind", "pair", "none"),
        default="kind",
        help="a table for summaries within and across languages, each pair, or all (kind)",
    )
    group = parser.add_argument_group("composing")
    group.add_argument(
        "--unfaithful",
        choices=("both", "reversals", "other"),
        default="both",
        help="reversed points, the other side's, or both (both)",
    )
    group.add_argument("--most-bad", type=int, default=3, metavar="N", help="a summary (3)")
    group.add_argument("--each", type=int, default=30, metavar="N", help="most an article (30)")
    group.add_argument("--save", type=Path, metavar="FILE.jsonl", help="the summaries, with truth")
    parser.add_argument(
        "--ties",
        choices=("half", "wrong"),
        default="half",
        help="a pair that the metric cannot tell apart counts so (half)",
    )
    parser.add_argument("--resamples", type=int, default=500, metavar="N", help="(500)")
    parser.add_argument("--seed", type=int, default=0, help="of composing and the bootstrap (0)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keeps calls and verdicts there")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be judged")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")
    add_entailer_options(parser, None)
    add_judge_options(parser)


def run_check(options: argparse.Namespace) -> int:
    from metrics.truth import check

    _validate(options)
    known, notes, rejected = _known(options)
    if options.save:
        write_records(options.save, known)
        say(f"{counted(len(known), 'summary')} with their truth: {options.save}")
    wanted = planned(options)
    if options.dry_run:
        return _say_plan(options, known, wanted)
    with ExitStack() as within:
        subjects = [one.subject(within) for one in wanted]
        keys: dict[str, Callable[[Known], str]] = {
            "kind": lambda one: one.kind,
            "pair": lambda one: one.pair,
        }
        rows = list(
            check(
                track(subjects, "metrics", len(subjects)),
                known,
                keys.get(options.by, lambda _: "all"),
                ties=options.ties,
                resamples=options.resamples,
                seed=options.seed,
            )
        )
    unavailable = dict(not_run(options, {row.metric for row in rows}))
    if options.format == "jsonl":
        for row in rows:
            print(to_json(to_plain(row) | {"orders_rightly": row.verdict}))
        about = {"summaries": len(known), "notes": notes, "unavailable": unavailable}
        print(to_json({"about": about | {"rejected": len(rejected), "seed": options.seed}}))
    else:
        missing = (f"not run: {k}: {v}" for k, v in unavailable.items())
        _print(rows, known, [*unread(rejected), *notes, *missing], options)
    asked = options.judge or options.entailer
    failed = rejected or (asked and any(row.model and row.n < row.expected for row in rows))
    return DONE_WITH_FAILURES if failed else DONE


def _validate(options: argparse.Namespace) -> None:
    if not 1 <= options.resamples <= 100_000:
        raise UsageError(f"--resamples is {options.resamples}: give a number from 1 to 100000")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    if options.labels and options.unfaithful != "both":
        raise UsageError("--unfaithful is for composing: leave it out with --labels")


def _known(
    options: argparse.Namespace,
) -> "tuple[list[Known], list[str], list[Rejected]]":
    """The summaries, what was amiss in composing them, and lines that could not be read."""
    from metrics.truth.compose import Composition, compose
    from metrics.truth.known import Known, read_labels

    rejected: list[Rejected] = []
    notes: list[str] = []
    if options.labels:
        known: list[Known] = []
        for found in read_labels(options.labels):
            if isinstance(found, Rejected):
                rejected.append(found)
            else:
                known.append(found)
        name_rejected(rejected)
    else:
        how = Composition(
            unfaithful=options.unfaithful,
            most_bad=options.most_bad,
            each=options.each,
            seed=options.seed,
        )
        known, notes = compose(_articles(options, rejected), how)
    pairs = sorted({one.pair for one in known})
    wanted = [code.strip() for code in (options.languages or "").split(",") if code.strip()]
    for pair in wanted:
        if pair not in pairs:
            raise UnknownName("pair of languages", pair, pairs)
    known = [one for one in known if not wanted or one.pair in wanted]
    if not known:
        more = f": {rejected[0].where}: {rejected[0].reason}" if rejected else ""
        raise UsageError(
            f"{options.labels or options.articles} holds nothing to check with{more}; "
            "globesumm metrics check --help says what a line holds"
        )
    return known, notes, rejected


def _articles(options: argparse.Namespace, rejected: list[Rejected]) -> "list[Article]":
    from metrics.truth.articles import read_articles, shipped

    if not options.articles:
        return shipped()
    articles: list[Article] = []
    for found in read_articles(options.articles):
        if isinstance(found, Rejected):
            rejected.append(found)
        else:
            articles.append(found)
    name_rejected(rejected)
    return articles


def _say_plan(
    options: argparse.Namespace, known: "Sequence[Known]", subjects: "Sequence[Planned]"
) -> int:
    """What would be judged, and by how many calls at most."""
    articles = len({one.article for one in known})
    print(f"{_summaries(len(known), articles)}: {', '.join(_counted(known))}")
    for one in subjects:
        calls = f": {counted(len(known), 'call')} at most" if one.calls else ""
        print(f"{one.name}{f' ({one.model})' if one.model else ''}{calls}")
    if options.out:
        print(f"calls and verdicts kept in {options.out} are not asked for again")
    return DONE


def _summaries(summaries: int, articles: int) -> str:
    return f"{counted(summaries, 'summary')} of {counted(articles, 'article')}"


def _counted(known: "Sequence[Known]") -> list[str]:
    pairs = [one.pair for one in known]
    return [f"{pair} {pairs.count(pair)}" for pair in sorted(set(pairs))]


def _print(
    rows: "Sequence[Checked]",
    known: "Sequence[Known]",
    notes: Sequence[str],
    options: argparse.Namespace,
) -> None:
    from metrics.narrowed import within
    from metrics.truth.tables import check_table

    truth = "people's labels" if options.labels else "composed"
    equal = "half" if options.ties == "half" else "wrong"
    # Within one language comes first; pairs go by their names.
    groups = sorted({row.group for row in rows}, key=lambda name: (name == ACROSS, name))
    for place, group in enumerate(groups):
        mine = [row for row in rows if row.group == group]
        articles = {one.article for one in known if group in (one.kind, one.pair, "all")}
        told = (
            f"{group}: {_summaries(mine[0].expected, len(articles))} ({truth}); values "
            "with 95 % intervals, bootstrap over articles, "
            f"{counted(options.resamples, 'resample')}, seed "
            f"{options.seed}; a pair that the metric cannot tell apart counts as {equal}"
        )
        if place:
            print()
        print_form(check_table(mine, (told,)), options.format, narrow=True)
    if notes:
        print()
    for note in notes:
        line = f"{MARKS.get(options.format, '- ')}{visible(note)}"
        print(within(line, indent="  ") if options.format == "table" else line)
