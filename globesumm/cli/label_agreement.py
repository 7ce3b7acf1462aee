"""How far people agree: kappas and alphas with intervals, issues, highlights, checks, drift.

By kind of task and language.  What is undefined (one answer throughout, nothing that two people
answered) has no value, and a note says why.  Kappa and agreement of issues are laid out as in
GlobeSumm's table 4.

Examples:
  globesumm label agreement study
  globesumm label agreement study --format html > agreement.html
  globesumm label agreement study --kind matching --resamples 0

"""

import argparse
from pathlib import Path

from globesumm.cli.main import DONE
from globesumm.errors import UsageError
from globesumm.records import to_json, to_plain

FORMS = ("table", "markdown", "html", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("--kind", metavar="KIND", help="only tasks of this kind")
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="(1000; 0: none)")
    parser.add_argument("--seed", type=int, default=0, help="of bootstrap and chance (0)")
    parser.add_argument(
        "--window", type=int, default=50, metavar="N", help="labels a figure of drift rests on (50)"
    )
    parser.add_argument(
        "--match", default="overlap", metavar="RULE",
        help="marks are the same issue: overlap, exact (overlap)",
    )  # fmt: skip
    parser.add_argument(
        "--shared", default="words", metavar="WHAT",
        help="highlights match by common words, substring or characters (words)",
    )  # fmt: skip
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run(options: argparse.Namespace) -> int:
    from annotation.labels.agreement.overlap import SHARED
    from annotation.labels.agreement.report import report
    from annotation.labels.kinds import kind_of
    from annotation.labels.project import Project
    from annotation.labels.results.held import held_by
    from baselines.labels.issues import marks
    from baselines.labels.tables import agreement_page
    from baselines.labels.written import written
    from globesumm.errors import UnknownName
    from metrics.where_gold import MATCHES, agreement

    for name, least, most in (("resamples", 0, 1_000_000), ("window", 1, 1_000_000)):
        if not least <= getattr(options, name) <= most:
            raise UsageError(f"--{name}: give a number from {least} to {most}")
    if options.seed < 0:
        raise UsageError("--seed: give a number from 0 up")
    if options.shared not in SHARED:
        raise UnknownName("common subsequence", options.shared, SHARED)
    if options.match not in MATCHES:
        raise UnknownName("setting of match", options.match, MATCHES)
    project = Project.open(options.project)
    held = held_by(project)
    if options.kind:
        held = held.of_kind(kind_of(options.kind).name)
    if not held.labels:
        of = f" of kind {options.kind!r}" if options.kind else ""
        raise UsageError(
            f"{options.project}: nobody has labelled anything{of} yet: globesumm label serve "
            f"{options.project} is where people do"
        )
    found = report(
        held,
        resamples=options.resamples,
        seed=options.seed,
        window=options.window,
        shared=options.shared,
    )
    marked = marks(held, rule=options.match)
    if options.format == "json":
        issues = agreement(marked.people, options.match) if marked.people else []
        print(to_json({**to_plain(found), "issues": to_plain(issues)}))
        return DONE
    page = agreement_page(found, marked, options.match, project.settings.title)
    print(written(page, options.format), end="")
    return DONE
