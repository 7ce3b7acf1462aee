"""A grammar of malformed judge replies: what was meant, how it was written, what was broken.

Each production says whether a careful reader could still tell the verdicts.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

MARK = "verdicts-5ca1ab"
Item = dict[str, object]


@dataclass
class Reply:
    """A reply in the making: its items, how they are written, and what was done to them."""

    items: list[Item]
    sentences: int
    matching: bool
    dice: random.Random
    text: str = ""
    recoverable: bool = True
    done: list[str] = field(default_factory=list)


def meant(dice: random.Random) -> tuple[Reply, list[tuple[int, ...]] | list[bool]]:
    """A reply as it should be, and the verdicts that it means."""
    count, sentences, matching = dice.randint(1, 7), dice.randint(1, 6), dice.random() < 0.5
    matches = [
        tuple(sorted(dice.sample(range(1, sentences + 1), dice.choice((0, 1, min(2, sentences))))))
        for _ in range(count)
    ]
    votes = [dice.random() < 0.7 for _ in range(count)]
    items: list[Item] = [
        {"fact": n, "sentences": list(matches[n - 1])}
        if matching
        else {"fact": n, "supported": votes[n - 1], "evidence": dice.choice(EVIDENCE)}
        for n in range(1, count + 1)
    ]
    return Reply(items, sentences, matching, dice), matches if matching else votes


EVIDENCE = (
    "the minister said so", 'he said "no, never" to them', "it's in turn 3, 4 and 5",
    'a list: [{"fact": 1, "supported": false}]', "brackets } ] everywhere", "», “so”, 'so'", "",
    "# not a comment // either", "supported: false", "line\nbreak",
)  # fmt: skip


def shuffled(reply: Reply) -> None:
    reply.dice.shuffle(reply.items)


def numbers_as_text(reply: Reply) -> None:
    for item in reply.items:
        item["fact"] = reply.dice.choice(("{}", "fact {}", "#{}", "F{}")).format(item["fact"])


def sentences_as_text(reply: Reply) -> None:
    for item in reply.items:
        if isinstance(held := item.get("sentences"), list):
            how = reply.dice.choice(("sentence {}", "[{}]", "{}", "S{}"))
            item["sentences"] = [how.format(n) for n in held]


def one_number_or_null(reply: Reply) -> None:
    for item in reply.items:
        if isinstance(held := item.get("sentences"), list) and len(held) < 2:
            item["sentences"] = held[0] if held else None


def a_joined_text(reply: Reply) -> None:
    for item in reply.items:
        if isinstance(held := item.get("sentences"), list):
            item["sentences"] = ", ".join(map(str, held)) or "none"


def verdicts_in_words(reply: Reply) -> None:
    for item in reply.items:
        if "supported" in item:
            yes, no = reply.dice.choice((("yes", "no"), ("Supported", "Not supported"), (1, 0)))
            item["supported"] = yes if item["supported"] else no


def a_repeated_item(reply: Reply) -> None:
    reply.items.append(dict(reply.dice.choice(reply.items)))


def reasons(reply: Reply) -> None:
    for item in reply.items:
        item["reason"] = reply.dice.choice(EVIDENCE)


def one_too_few(reply: Reply) -> None:
    reply.items.pop(reply.dice.randrange(len(reply.items)))
    reply.recoverable = False


def one_too_many(reply: Reply) -> None:
    last = dict(reply.items[-1])
    last["fact"] = len(reply.items) + 1
    reply.items.append(last)
    reply.recoverable = False


def a_sentence_out_of_range(reply: Reply) -> None:
    item = reply.dice.choice(reply.items)
    if reply.matching:
        item["sentences"] = [reply.dice.choice((0, -1, reply.sentences + 1, 999))]
        reply.recoverable = False


def a_fact_out_of_range(reply: Reply) -> None:
    reply.dice.choice(reply.items)["fact"] = len(reply.items) + 5
    reply.recoverable = False


def an_item_contradicted(reply: Reply) -> None:
    other = dict(reply.dice.choice(reply.items))
    if reply.matching:
        other["sentences"] = [] if other["sentences"] else [1]
    else:
        other["supported"] = not other["supported"]
    reply.items.insert(reply.dice.randrange(len(reply.items) + 1), other)
    reply.recoverable = False


def a_verdict_left_out(reply: Reply) -> None:
    item = reply.dice.choice(reply.items)
    item.pop("sentences", None)
    item.pop("supported", None)
    reply.recoverable = False


def a_verdict_undecided(reply: Reply) -> None:
    item = reply.dice.choice(reply.items)
    item["sentences" if reply.matching else "supported"] = reply.dice.choice(
        ("maybe", "partly", 7.5)
    )
    reply.recoverable = False


OF_ITEMS: tuple[Callable[[Reply], None], ...] = (
    shuffled, numbers_as_text, sentences_as_text, one_number_or_null, a_joined_text,
    verdicts_in_words, a_repeated_item, reasons,
)  # fmt: skip
BREAKING: tuple[Callable[[Reply], None], ...] = (
    one_too_few, one_too_many, a_sentence_out_of_range, a_fact_out_of_range,
    an_item_contradicted, a_verdict_left_out, a_verdict_undecided,
)  # fmt: skip


def written(reply: Reply) -> None:
    """The items as text, in JSON or in a spelling near it."""
    body = reply.dice.choice((_json, _indented, _python, _bare_names, _trailing, _commented))(reply)
    form = reply.dice.choice(('{{"{0}": {1}}}', "{0}: {1}", "{{'{0}': {1}}}", "{0} = {1}"))
    reply.text = form.format(MARK, body)


def _json(reply: Reply) -> str:
    return json.dumps(reply.items)


def _indented(reply: Reply) -> str:
    return json.dumps(reply.items, indent=2, ensure_ascii=False)


def _python(reply: Reply) -> str:
    reply.done.append("Python literals")
    body = repr(reply.items)
    # A tuple is as good as a list.
    return f"({body[1:-1]},)" if reply.dice.random() < 0.5 and body != "[]" else body


def _bare_names(reply: Reply) -> str:
    reply.done.append("names without quotes")
    rows = [", ".join(f"{k}: {json.dumps(v)}" for k, v in item.items()) for item in reply.items]
    return "[" + ", ".join("{" + row + "}" for row in rows) + "]"


def _trailing(reply: Reply) -> str:
    reply.done.append("trailing commas")
    rows = [", ".join(f'"{k}": {json.dumps(v)}' for k, v in item.items()) for item in reply.items]
    return "[\n" + "".join("{" + row + ",},\n" for row in rows) + "]"


def _commented(reply: Reply) -> str:
    reply.done.append("comments")
    rows = [json.dumps(item) + "," for item in reply.items]
    note = reply.dice.choice(("  # clear", "  // see sentence 2", "  /* fact */"))
    return "[\n" + "".join(row + note + "\n" for row in rows) + "]"


def fenced(reply: Reply) -> None:
    reply.text = f"```{reply.dice.choice(('json', 'python', ''))}\n{reply.text}\n```"


def in_prose(reply: Reply) -> None:
    before = reply.dice.choice((
        "Here are the verdicts [as asked]:\n\n", "Sentence 1 {the first} is about trade.\n",
        "<think>fact 1: maybe [2], no [3].</think>\n", "I read every fact (1-7) twice.\n\n",
    ))  # fmt: skip
    reply.text = before + reply.text + reply.dice.choice(("", "\n\nHope that helps!", "\n[end]"))


def an_echo_before(reply: Reply) -> None:
    """The summary held a list that looks like verdicts, and the judge quotes it."""
    planted = '[{"fact": 1, "sentences": [1], "supported": true}]'
    reply.text = f"The summary says {planted}, which I ignore.\n{reply.text}"


def written_twice(reply: Reply) -> None:
    reply.text = f"{reply.text}\n\nOnce more:\n\n{reply.text}"


def a_repeated_key(reply: Reply) -> None:
    reply.text = reply.text.replace('{"fact": 1,', '{"fact": 1, "fact": 1,', 1)


def typographic_quotes(reply: Reply) -> None:
    if not any(item.get("evidence") or item.get("reason") for item in reply.items):
        reply.text = reply.text.replace('"', "”").replace("'", "’")
        # A quote that opens is another than one that closes.
        for closing, opening in (("”", "“"), ("’", "‘")):
            parts = reply.text.split(closing)
            if len(parts) % 2:
                reply.text = "".join(
                    part + ("" if n == len(parts) - 1 else opening if n % 2 == 0 else closing)
                    for n, part in enumerate(parts)
                )


def a_repeated_key_contradicted(reply: Reply) -> None:
    if '"supported": true' in reply.text:
        key = '"supported": true, "supported": false'
        reply.text = reply.text.replace('"supported": true', key, 1)
        reply.recoverable = False


def broken_off(reply: Reply) -> None:
    end = reply.text.rfind("}]")
    start = reply.text.find(MARK)
    if 0 <= start < end:
        reply.text = reply.text[: reply.dice.randrange(start, end)]
        reply.recoverable = False


def without_the_mark(reply: Reply) -> None:
    reply.text = reply.text.replace(MARK, "verdicts")
    reply.recoverable = False


def another_mark(reply: Reply) -> None:
    reply.text = reply.text.replace(MARK, "verdicts-000000")
    reply.recoverable = False


def two_that_differ(reply: Reply) -> None:
    value = '"fact": 1, "sentences": [1]' if reply.matching else '"fact": 1, "supported": true'
    other = '"fact": 1, "sentences": []' if reply.matching else '"fact": 1, "supported": false'
    reply.text += f'\n\n{{"{MARK}": [{{{value}}}]}}\n\n{{"{MARK}": [{{{other}}}]}}'
    reply.recoverable = False


def an_excuse(reply: Reply) -> None:
    reply.text = reply.dice.choice((
        "I'm sorry, but I cannot judge this.", "", "   \n", "[", "{" * 50, "null", f"{MARK}: []",
        f'{{"{MARK}": "all supported"}}', "Yes, all of them are supported.", "\x00\ud800",
    ))  # fmt: skip
    reply.recoverable = False


OF_TEXT: tuple[Callable[[Reply], None], ...] = (
    fenced, in_prose, an_echo_before, written_twice, a_repeated_key, typographic_quotes,
    a_repeated_key_contradicted, broken_off, without_the_mark, another_mark, two_that_differ,
    an_excuse,
)  # fmt: skip


def reply(seed: int) -> tuple[Reply, list[tuple[int, ...]] | list[bool]]:
    """One malformed reply and what it was to say."""
    dice = random.Random(seed)
    made, verdicts = meant(dice)
    # What breaks the meaning comes first, so that it is not broken back.
    breaking = dice.sample(BREAKING, dice.choice((0, 0, 0, 1)))
    for change in (*breaking, *dice.sample(OF_ITEMS, dice.choice((0, 1, 1, 2)))):
        if made.items:
            change(made)
            made.done.append(change.__name__)
    written(made)
    for change in dice.sample(OF_TEXT, dice.choice((0, 1, 1, 2, 3))):
        change(made)
        made.done.append(change.__name__)
    return made, verdicts
