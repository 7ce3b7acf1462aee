"""The steps of ``globesumm facts`` that ask models, and their options."""

from pathlib import Path
from typing import Any

from globesumm.cli.facts_evaluate import add_evaluate_options
from globesumm.cli.judging import add_entailer_options, add_judge_options

STEPS = {
    "generate": "a summary of every source by one instruction, at temperature 0",
    "evaluate": "the four steps below and the scores in one, also of human references",
    "extract": "the key facts of every source, with a second round of self-review",
    "decompose": "every summary into its facts, invented ones voted out",
    "match": "which sentences of a summary state which key facts",
    "verify": "whether the source supports each fact of a summary",
}


def add_steps(actions: Any) -> None:
    """One parser a step."""
    for name, line in STEPS.items():
        step = actions.add_parser(name, help=line, allow_abbrev=False)
        of_sources = name in ("generate", "extract")
        step.add_argument(
            "file",
            type=Path,
            metavar="SOURCES.jsonl" if of_sources else "SUMMARIES.jsonl",
            nargs="?" if name == "evaluate" else None,
        )
        if name == "evaluate":
            add_evaluate_options(step)
        if name in ("verify", "evaluate"):
            step.add_argument("--sources", type=Path, required=True, metavar="SOURCES.jsonl")
        if name in ("decompose", "evaluate"):
            step.add_argument(
                "--votes", metavar="A,B,C", help="models that vote invented facts out (none)"
            )
        step.add_argument("--out", type=Path, required=True, metavar="DIR")
        step.add_argument("--batch", type=int, default=40, metavar="N", help="facts a call (40)")
        step.add_argument(
            "--piece-words", type=int, metavar="N", help="longest piece of a source (by the judge)"
        )
        step.add_argument("--max-tokens", type=int, metavar="N", help="of one answer")
        step.add_argument(
            "--bounded",
            metavar="ITEMSxCHARACTERS",
            help="for weak judges: servers keep replies to the form asked for, with at most so "
            "many facts of so many characters (6x80)",
        )
        step.add_argument(
            "--context-window", type=int, metavar="N", help="tokens of the model, if not known"
        )
        step.add_argument("--run", type=int, default=0, metavar="N", help="a repeated run (0)")
        step.add_argument("--dry-run", action="store_true", help="say what would be asked")
        if name in ("extract", "evaluate"):
            step.add_argument(
                "--panel", metavar="A,B", help="models that decide what the review did not keep"
            )
            step.add_argument(
                "--labels", type=Path, metavar="FILE.jsonl",
                help="people's answers to to_label.jsonl: key, or not key",
            )  # fmt: skip
        if name in ("extract", "match", "verify", "evaluate"):
            add_entailer_options(step, None)
        if name == "generate":
            step.add_argument("--temperature", type=float, default=0.0, help="of the model (0)")
            add_judge_options(step, "--model", "the model that writes the summaries")
        else:
            add_judge_options(step)
