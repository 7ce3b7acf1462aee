"""Run folder in, ``report.html`` out."""

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from globesumm.languages import LANGUAGES
from globesumm.records import write_text
from globesumm.report.view import page, score_groups
from globesumm.runs import Run
from globesumm.values import Summary

_SHOWN = ("recipes", "target", "max_words", "seed", "data")
_FACTS = ("globesumm", "started")


def write_report(run: Run, out: Path | None = None) -> Path:
    """Write the report of `run` (to ``RUN/report.html`` unless `out` says otherwise).

    The file asks nothing of the network: styles are inside, there are no scripts, and a content
    security policy forbids both to whatever a document might smuggle in.
    """
    summaries: dict[str, list[Summary]] = {}
    for summary in run.summaries():
        summaries.setdefault(summary.event, []).append(summary)
    record = run.record()
    html = (
        environment()
        .get_template("report.html.j2")
        .render(
            settings=dict.fromkeys(_SHOWN, "not recorded") | record.settings,
            facts=dict.fromkeys(_FACTS, "not recorded") | record.facts,
            pages=[page(event, summaries.get(event.id, [])) for event in run.events()],
            scores=score_groups(run.scores()),
            rejected=run.rejected(),
            failures=run.failures(),
            name_of=lambda code: LANGUAGES[code].name if code in LANGUAGES else code,
        )
    )
    path = out or run.folder / "report.html"
    write_text(path, html)
    return path


def environment() -> Environment:
    """Where templates come from; whatever they print is escaped."""
    return Environment(
        loader=PackageLoader("globesumm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
