"""Rerank, self-refine, debate, the ROUGE control and lead: what they ask, take and keep."""

import json
import threading
from collections.abc import Callable

import pytest

from annotation.author import StepError
from baselines.drafts.debate import agreements
from baselines.drafts.drawing import SEEDS_APART, draft_decoding
from baselines.drafts.lead import Lead
from baselines.drafts.methods import METHODS, make_method, parse_method
from baselines.drafts.proxies import PROXIES, Judging, RougeProxy, objectives
from baselines.drafts.record import choice_of, drafts_of
from baselines.drafts.writing import task_of
from baselines.recipes import Drafting, maker
from baselines.recipes import parse_recipe as parse
from baselines.summarize import summarize
from globesumm.config import Drafts
from globesumm.errors import UnknownName, UsageError
from globesumm.llm.errors import CutOff, ServerFault
from globesumm.llm.request import Completion, Decoding, Request
from globesumm.values import Document, Round, Summary
from tests.drafts.conftest import Writer, event
from tests.drafts.test_draft_choice import drafts, task


def written(
    writer: Writer, method: str, *, base: str = "sts.none.direct", **settings: object
) -> Summary:
    drafting = Drafting(settings=Drafts(**settings))  # type: ignore[arg-type]
    recipe = parse(f"{base}.{method}")
    by = maker(recipe, 0, writer.author(), drafting=drafting)
    return summarize(event(3), recipe, by=by)


def one_round(summary: Summary) -> Round:
    (made,) = summary.rounds
    return made


def numbered(request: Request) -> str:
    """A draft that says which sample it is."""
    return f"Draft {request.sample + 1} tells of the ferry."


def by_number(**digits: int) -> Callable[[str, str], str]:
    """A judge that rates draft n of `numbered` as `digits` say (d1, d2, ...)."""
    return lambda _, text: str(digits[f"d{text.split()[1]}"])


def test_rerank_takes_the_draft_that_both_proxies_like_best_and_keeps_all_of_them() -> None:
    writer = Writer(by_number(d1=2, d2=5, d3=3), numbered)
    made = one_round(written(writer, "rerank-3"))
    assert made.summary == "Draft 2 tells of the ferry."
    assert [one.text for one in drafts_of(made)] == [
        f"Draft {number} tells of the ferry." for number in (1, 2, 3)
    ]
    choice = choice_of(made)
    assert choice is not None
    assert (choice.chosen, choice.rule, choice.tied) == (2, "mean", ())
    assert [one.values["llm-coverage"] for one in choice.scored] == [0.25, 1.0, 0.5]
    assert choice.scored[1].notes["llm-faithfulness"] == "rated 5 of 5"
    assert "draft 2 of 3 taken (mean)" in " ".join(made.notes)


def test_drafts_share_their_prompt_and_differ_in_sample_and_seed_at_the_stated_temperature() -> (
    None
):
    writer = Writer(drafts=numbered)
    written(writer, "rerank-4", temperature=0.9, top_p=0.8)
    asked = writer.of("direct.many")
    assert len({request.messages for request in asked}) == 1
    assert sorted(request.sample for request in asked) == [0, 1, 2, 3]
    assert {request.decoding.temperature for request in asked} == {0.9}
    assert {request.decoding.top_p for request in asked} == {0.8}
    assert {request.decoding.temperature for request in writer.of("judged.coverage")} == {0.0}


def test_repeats_with_other_seeds_share_no_draft() -> None:
    seeds = [
        (draft_decoding(Decoding(seed=seed), 0.7, None).seed or 0) + sample
        for seed in range(4)
        for sample in range(100)
    ]
    assert len(set(seeds)) == len(seeds)
    assert SEEDS_APART >= 100


def test_only_the_summary_is_drafted_and_what_is_handed_on_is_made_of_the_one_taken() -> None:
    writer = Writer(by_number(d1=1, d2=2, d3=5), numbered)
    found = written(writer, "rerank-3", base="crs.kis.protocol")
    steps = [step for step, _ in writer.asked]
    assert steps.count("pgp.where") == steps.count("pgp.strategies") == 2
    assert steps.count("pgp.summary") == 6
    # Three documents and two summaries are listed.
    assert steps.count("kis.default") == 5
    listed = [request.messages[-1].content for request in writer.of("kis.default")]
    assert sum("Draft 3 tells of the ferry." in text for text in listed) == 2
    assert {made.summary for made in found.rounds} == {"Draft 3 tells of the ferry."}


def test_drafts_are_held_against_all_documents_so_far_each_once() -> None:
    writer = Writer(drafts=numbered)
    written(writer, "rerank-2", base="crs.none.direct")
    shown = [request.messages[-1].content for request in writer.of("judged.coverage")]
    assert sum("source 3 of 3" in text for text in shown) == 2
    assert sum("source 2 of 2" in text for text in shown) == 2


def test_one_draft_is_taken_without_asking_a_judge() -> None:
    writer = Writer(drafts=numbered)
    made = one_round(written(writer, "rerank-1"))
    assert len(writer.asked) == 1
    assert "one draft: there is nothing to choose" in " ".join(made.notes)


def test_all_drafts_are_rated_by_all_proxies_at_the_same_time() -> None:
    together = threading.Barrier(3 * 2, timeout=20)

    def rate(_: str, text: str) -> str:
        together.wait()
        return text.split()[1]

    assert one_round(written(Writer(rate, numbered), "rerank-3")).summary.startswith("Draft 3")


def test_identical_drafts_are_rated_once() -> None:
    writer = Writer(drafts=lambda _: "The same text.")
    made = one_round(written(writer, "rerank-5"))
    assert len({request.key for request in writer.of("judged.coverage")}) == 1
    assert "all 5 drafts are one text: there is nothing to choose" in made.notes


def test_a_judge_that_always_says_5_is_said_to_give_no_information() -> None:
    made = one_round(written(Writer(lambda *_: "5", numbered), "rerank-3"))
    assert made.summary == "Draft 1 tells of the ferry."
    assert "llm-coverage gave every draft 1 (rated 5 of 5): no information" in made.notes
    assert "nothing tells the drafts apart: the first was taken" in made.notes


def test_a_judge_without_a_digit_leaves_the_draft_unscored_with_the_reason() -> None:
    def rate(_: str, text: str) -> str:
        return "It is a fine text, 5/5." if "Draft 2" in text else "3"

    choice = choice_of(one_round(written(Writer(rate, numbered), "rerank-3")))
    assert choice is not None
    assert choice.chosen == 1
    assert choice.scored[1].values == {"llm-coverage": None, "llm-faithfulness": None}
    assert "no number from 1 to 5" in choice.scored[1].notes["llm-coverage"]
    assert "not every proxy scored drafts 2: they cannot be compared" in choice.notes


def cut_off(*samples: int) -> Callable[[Request], object]:
    def draft(request: Request) -> object:
        if request.sample in samples:
            return CutOff("the answer was cut off", Completion(text="The fer"))
        return numbered(request)

    return draft


def test_a_draft_that_failed_is_kept_by_name_and_the_rest_go_on() -> None:
    writer = Writer(drafts=cut_off(0))  # type: ignore[arg-type]
    made = one_round(written(writer, "rerank-3"))
    assert made.summary == "Draft 2 tells of the ferry."
    assert drafts_of(made)[0].reason == "the answer was cut off"
    assert "draft 1 has no text: the answer was cut off" in made.notes


@pytest.mark.parametrize("method", ["rerank-2", "rerank-rouge-2", "self-refine", "debate-2x2"])
def test_where_every_draft_failed_the_summary_fails_with_the_reason(method: str) -> None:
    with pytest.raises(StepError, match="the answer was cut off"):
        written(Writer(drafts=cut_off(0, 1)), method)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_server_that_fails_for_now_fails_the_summary_so_that_it_is_made_later(
    method: str,
) -> None:
    def failing(request: Request) -> object:
        return ServerFault("busy") if request.sample == 0 else numbered(request)

    with pytest.raises(StepError, match="busy"):
        written(Writer(drafts=failing), method)  # type: ignore[arg-type]


def test_a_judge_that_fails_for_now_fails_the_summary_too() -> None:
    def rate(step: str, _: str) -> object:
        return ServerFault("busy") if step == "judged.faithfulness" else "4"

    with pytest.raises(StepError, match=r"rating by llm-faithfulness of round 1.*busy"):
        written(Writer(rate, numbered), "rerank-2")  # type: ignore[arg-type]


def test_self_refine_criticises_and_rewrites_so_often_from_the_latest_text_alone() -> None:
    writer = Writer(critique="The crew is missing.")
    made = one_round(written(writer, "self-refine"))
    steps = [step for step, _ in writer.asked]
    assert steps == ["direct.many", *("drafts.critique", "drafts.revise") * 3]
    held = drafts_of(made)
    assert [one.by for one in held] == ["first draft", "revision 1", "revision 2", "revision 3"]
    assert made.summary == held[-1].text
    last = writer.of("drafts.revise")[-1]
    assert [message.role for message in last.messages] == ["user", "assistant"] * 2 + ["user"]
    assert last.messages[1].content == held[-2].text
    assert json.loads(made.answers["summary.critiques"]) == ["The crew is missing."] * 3


@pytest.mark.parametrize("said", ["NO CHANGE", "no change.", "**No changes**"])
def test_self_refine_ends_where_the_critic_finds_nothing(said: str) -> None:
    writer = Writer(critique=said)
    made = one_round(written(writer, "self-refine"))
    assert len(writer.asked) == 2
    assert "ended in round 1: the critic found nothing to change" in made.notes
    writer = Writer(critique=said)
    written(writer, "self-refine", stop=False)
    assert len(writer.asked) == 7


def test_words_that_only_mention_no_change_do_not_end_it() -> None:
    writer = Writer(critique="There is no change of tone, but the toll is missing: no change?")
    written(writer, "self-refine-2")
    assert len(writer.asked) == 5


def test_a_revision_that_cannot_be_had_leaves_the_latest_text_and_says_so() -> None:
    writer = Writer(critique=CutOff("the answer was cut off"))
    made = one_round(written(writer, "self-refine"))
    assert len(drafts_of(made)) == 1
    assert any("ended in round 1" in note and "cut off" in note for note in made.notes)


def test_a_debate_shows_each_agent_the_others_and_no_one_its_own_twice() -> None:
    writer = Writer()
    made = one_round(written(writer, "debate"))
    held = drafts_of(made)
    assert [one.by for one in held] == [
        f"agent {agent}, round {number}" for number in (1, 2, 3) for agent in (1, 2, 3)
    ]
    asked = writer.of("drafts.debate")
    assert len(asked) == 6
    for request in asked:
        own = request.messages[1].content
        shown = request.messages[-1].content
        assert own not in shown
        assert shown.count("summary by writer") == 2
        assert len(request.messages) == 3
    choice = choice_of(made)
    assert choice is not None
    assert choice.chosen in (7, 8, 9)


def test_the_text_most_like_the_others_settles_a_debate() -> None:
    texts = ["The ferry sank near the coast.", "The ferry sank near the port.", "A goat won."]

    def draft(request: Request) -> str:
        return texts[(request.sample + 1) % 3]

    made = one_round(written(Writer(drafts=draft), "debate-3x1"))
    choice = choice_of(made)
    assert choice is not None
    assert made.summary in texts[:2]
    assert [one.values["agreement"] for one in choice.scored] == agreements(
        [texts[1], texts[2], texts[0]], "en"
    )
    first = one_round(written(Writer(drafts=draft), "debate-3x1", settle="first"))
    assert first.summary == texts[1]


def test_an_agent_that_fails_keeps_its_text_before_and_one_alone_ends_the_debate() -> None:
    writer = Writer(drafts=cut_off(1))  # type: ignore[arg-type]
    made = one_round(written(writer, "debate-2x3"))
    assert made.summary == "Draft 1 tells of the ferry."
    assert "agent 2 takes no part: the answer was cut off" in made.notes
    assert "ended before round 2: one agent is no debate" in made.notes


def test_the_rouge_control_takes_what_shares_most_words_with_the_sources_and_asks_no_judge() -> (
    None
):
    def draft(request: Request) -> str:
        return "Nothing alike." if request.sample != 2 else event(3).documents[0].text

    writer = Writer(drafts=draft)
    made = one_round(written(writer, "rerank-rouge-3"))
    assert {step for step, _ in writer.asked} == {"direct.many"}
    choice = choice_of(made)
    assert choice is not None
    assert choice.chosen == 3


def test_the_rouge_proxy_is_the_mean_of_precision_and_recall_of_three_types() -> None:
    held = task()
    from dataclasses import replace

    sources = (Document(id="a", text="the ferry sank on monday", language="en"),)
    found = RougeProxy().score(replace(held, documents=sources), drafts("the ferry sank"))
    # ROUGE-1 and L: P 3/3, R 3/5; ROUGE-2: P 2/2, R 2/4.
    assert found[0].value == pytest.approx((1 + 0.6 + 1 + 0.5 + 1 + 0.6) / 6)
    foreign = (Document(id="b", text="le bac a coulé", language="fr"),)
    assert RougeProxy().score(replace(held, documents=foreign), drafts("x"))[0].value is None
    both = RougeProxy().score(replace(held, documents=sources + foreign), drafts("the ferry sank"))
    assert both[0] == type(both[0])(found[0].value, "1 of 2 sources are in en")


def test_lead_takes_leading_sentences_of_each_document_in_turn() -> None:
    from dataclasses import replace

    documents = tuple(
        Document(id=name, text=f"{name} one here. {name} two here.", language="en")
        for name in ("Ada", "Bob")
    )
    made = Lead()(replace(task(), documents=documents, max_words=9))
    assert made.answer.value.items == ("Ada one here. Ada two here. Bob one here.",)
    with pytest.raises(StepError, match="no sentence of the documents fits"):
        Lead()(replace(task(), documents=documents, max_words=1))


@pytest.mark.parametrize("name", sorted(PROXIES))
def test_every_proxy_says_what_it_is_and_scores_a_draft_or_says_why_not(name: str) -> None:
    judging = Judging(model=Writer().model())
    (proxy,) = objectives(Drafts(proxies=(name,)), judging)
    assert proxy.name
    assert proxy.signature
    if name.startswith("red"):
        return  # An encoder of its own, tested with the metric.
    from dataclasses import replace

    held = replace(task(), documents=event(2).documents, originals=event(2).documents)
    (found,) = proxy.score(held, drafts("The ferry sank. It was night."))
    assert found.value is not None or found.note


def test_a_proxy_that_asks_needs_a_judge_and_an_unknown_one_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match="name a judge"):
        objectives(Drafts(proxies=("llm-coverage",)))
    with pytest.raises(UnknownName, match="'llm-coverage'"):
        objectives(Drafts(proxies=("llm-covrage",)))


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_has_a_signature_that_tells_its_settings_apart(name: str) -> None:
    judging = Judging(model=Writer().model())
    plain = make_method(name, Drafts(), judging)
    others = [
        make_method(name, one, judging) for one in (Drafts(n=4, rounds=2), Drafts(n=5, rounds=4))
    ]
    assert len({plain.signature, *(one.signature for one in others)}) == 3


def test_methods_bring_their_own_numbers_in_one_spelling() -> None:
    assert parse_method("debate-09x004") == "debate-9x4"
    assert parse_method("rerank") == "rerank"
    made = make_method("debate-9x4", Drafts())
    assert "agents 9; rounds 4" in made.signature
    for wrong in ("debate-3", "rerank-0", "rerank-101", "self-refine-2x2", "debate-1x3"):
        with pytest.raises(UsageError):
            parse_method(wrong)
    for unknown in ("rerank-", "reranking", "", "rerank-x", "lead", "rerank--3"):
        with pytest.raises(UnknownName):
            parse_method(unknown)


def test_a_task_of_a_merge_holds_prepared_sources_and_untouched_originals() -> None:
    from annotation.merges.writing import Found
    from annotation.passages import passages
    from annotation.schemas import Context

    happening = event(3)
    sources = tuple(passages(happening))
    context = Context(event=happening, target="en", index=1, sources=sources[:2])
    made = task_of(task().step, sources[:2], context, Found())
    assert [one.id for one in made.documents] == ["ferry0", "ferry1"]
    assert made.originals == happening.documents[:2]
    assert made.event == happening
