"""The test sides summarized by the last model, with reranking on top."""

from contextlib import ExitStack

from annotation.author import Author
from baselines.perspectives import running as perspectives
from baselines.perspectives.methods import method
from baselines.perspectives.running import Outcome, Running
from baselines.preference.work import Work, judging_of, served
from globesumm.llm.request import Decoding
from globesumm.runs import Run


def summarizing(work: Work, run: Run, within: ExitStack) -> Outcome:
    """The test sides summarized in `run` by the methods of `final` and the last model."""
    settings = work.settings
    judging = judging_of(work, within)
    model = within.enter_context(served(work, settings.rounds))
    made = {name: method(name, settings.drafts, judging) for name in settings.final}
    author = Author(
        model=model,
        prompts=work.prompts,
        decoding=Decoding(
            temperature=0.0, max_tokens=settings.writing.max_tokens, seed=settings.seed * 1000
        ),
        structured=False,
    )
    running = Running(
        methods=made,
        setting=work.setting,
        author=author,
        drafts=settings.drafts,
        at_once=settings.batch,
    )
    return perspectives.carry_out(run, work.split.test, running)
