"""Forms of a fact judge's replies: whatever fits one can be read, and answers what is asked."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.request import Completion, Request
from globesumm.llm.scripted import Scripted
from globesumm.prompts import Data
from metrics.facts.asking import Asker
from metrics.facts.batches import Batch
from metrics.facts.forms import form_of
from metrics.facts.judge import KEEP, FactJudge
from metrics.facts.listed import read_facts
from metrics.facts.replies import SUPPORT, read_matches, read_support

MARK = "answer-0a1b2c3d"
TEXTS = ("The ferry sank.", "Паром затонул.", "渡轮沉没了。", "غرقت العبارة.", "7 + 4")


def drawn(schema: dict[str, Any], draw: st.DataObject) -> Any:
    """A value that the schema allows."""
    kind = schema["type"]
    if kind == "object":
        return {name: drawn(part, draw) for name, part in schema["properties"].items()}
    if kind == "array" and "prefixItems" in schema:
        return [drawn(part, draw) for part in schema["prefixItems"]]
    if kind == "array":
        count = draw.draw(st.integers(schema.get("minItems", 0), min(4, schema["maxItems"])))
        return [drawn(schema["items"], draw) for _ in range(count)]
    if kind == "boolean":
        return draw.draw(st.booleans())
    if kind == "integer":
        return draw.draw(st.sampled_from(schema["enum"]))
    found = re.fullmatch(r"\^\[(.*)\]\[(.*)\]\{0,(\d+)\}\$", schema["pattern"])
    assert found
    return draw.draw(st.sampled_from([found[1][0], found[1][0] + " 7."[: int(found[3])]]))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(TEXTS), st.integers(1, 5), st.integers(1, 9))
def test_every_reply_that_fits_its_form_is_read_with_a_verdict_for_each_fact(
    draw: st.DataObject, text: str, count: int, sentences: int
) -> None:
    shown: dict[str, str | int | Data] = {
        "source": Data(label="source", text=text), "count": count, "sentences": sentences,
    }  # fmt: skip
    for name in ("extract", "decompose", "review", "vote", "verify", "match"):
        form = form_of(f"facts.{name}", MARK, shown, Bounds(4, 20))
        assert form is not None
        reply = json.dumps(drawn(json.loads(form), draw))
        if name in ("extract", "decompose"):
            assert read_facts(reply, MARK).verdicts
        elif name == "match":
            read = read_matches(reply, count, sentences, MARK)
            assert read.verdicts is not None, read.reason
            assert len(read.verdicts) == count
        else:
            told = read_support(reply, count, MARK, KEEP if name == "review" else SUPPORT)
            assert told.verdicts is not None, told.reason
            assert len(told.verdicts) == count


def test_a_prompt_without_a_mark_has_no_form() -> None:
    assert form_of("facts.summarize", MARK, {}, Bounds(4, 20)) is None


@pytest.mark.parametrize("bounds", [None, Bounds(3, 40)])
def test_bounds_ask_for_a_form_and_their_verdicts_are_other_ones(bounds: Bounds | None) -> None:
    asked: list[Request] = []

    def script(request: Request) -> Completion:
        asked.append(request)
        mark = re.findall(r"answer-[0-9a-f]{8}", request.messages[-1].content)[-1]
        return Completion(text=json.dumps({mark: [{"fact": 1, "supported": True}]}))

    asker = Asker(model=Scripted(script, "tiny"), bounds=bounds)
    batch = Batch(
        prompt="facts.vote",
        facts=("The ferry sank.",),
        shown={"source": Data(label="summary", text="The ferry sank.")},
        read=read_support,
        about=("x",),
    )
    [[answer]] = asker.judged([batch])
    assert answer.verdict is not None
    assert (asked[0].schema is not None) == (bounds is not None)
    # What a bounded judge said is not taken for what the same judge says freely.
    other = Asker(model=Scripted(script, "tiny"), memory=asker.memory)
    other.judged([batch])
    assert len(asked) == (1 if bounds is None else 2)
    assert ("bounded:3x40" in FactJudge(asker=asker).identity) == (bounds is not None)
