"""A request as tokens with its documents marked, whatever the chat template puts around them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from globesumm.llm.pine.blocks import Part, holds, parts
from globesumm.llm.pine.layout import Piece, in_content_order
from globesumm.llm.request import Message
from globesumm.llm.tokenizers import has_chat_template, prompt_text, prompt_tokens, readable

_SPACE = "\u2581"
"""How tokenizers after SentencePiece write a space."""


@dataclass(frozen=True, slots=True)
class Segmented:
    """A prompt in pieces; `note` says what stood in the way of documents or targets, if any."""

    pieces: tuple[Piece, ...]
    note: str | None = None

    @property
    def tokens(self) -> list[int]:
        return [token for piece in self.pieces for token in piece.tokens]


def segmented(
    tokenizer: Any,
    messages: Sequence[Message],
    options: dict[str, Any] | None = None,
    *,
    target: str | None = None,
) -> Segmented:
    """The prompt that `messages` make, with the documents of each series in order of content.

    Every piece is tokenized by itself, so that a document's tokens do not depend on what stands
    beside it; and names of control tokens within a document are text, never control tokens.
    Documents whose label holds `target` (letter case aside) are targets; a note says where
    there is none.  A prompt without a series of documents has the very tokens that it has
    without PINE.
    """
    documents: list[Part] = []
    marked = []
    stem = _unused(messages)
    for message in messages:
        # What a model said is no place for documents, whatever it quotes.
        if message.role == "assistant":
            marked.append(message)
            continue
        first = 1 + max((part.group or 0 for part in documents), default=-1)
        content = ""
        for part in parts(readable(message.content), first, target=target):
            if part.group is None:
                content += part.text
            else:
                content += f"{stem}{len(documents)}\ue001"
                documents.append(part)
        marked.append(replace(message, content=content))
    if not documents:
        return Segmented((Piece(tuple(prompt_tokens(tokenizer, messages, options))),))
    around = _split(prompt_text(tokenizer, marked, options), stem, len(documents))
    if around is None:
        note = "PINE was not applied: the chat template moves, drops or repeats documents"
        return Segmented((Piece(tuple(prompt_tokens(tokenizer, messages, options))),), note)
    special = not has_chat_template(tokenizer)
    pieces = [_text(tokenizer, around[0], special=special)]
    for part, text in zip(documents, around[1:], strict=True):
        tokens = _within(tokenizer, part.text, split_special_tokens=True)
        pieces.append(Piece(tokens, part.group, holds(part.label, target)))
        pieces.append(Piece(_within(tokenizer, text)))
    ordered = in_content_order([piece for piece in pieces if piece.tokens])
    if target is None or any(piece.target for piece in ordered):
        return Segmented(tuple(ordered))
    missed = f"PINE found no target: no document's label holds {target!r}"
    return Segmented(tuple(ordered), missed)


def _text(tokenizer: Any, text: str, *, special: bool) -> Piece:
    if not text:
        return Piece(())
    return Piece(tuple(tokenizer(text, add_special_tokens=special)["input_ids"]))


def _within(tokenizer: Any, text: str, **options: Any) -> tuple[int, ...]:
    """The tokens of `text` where it does not begin a prompt.

    Tokenizers after SentencePiece put a space before whatever they are given, which would stand
    before every document.  They are given a line break to put it before, which is cut off again.
    """

    def ids(some: str) -> list[int]:
        return list(tokenizer(some, add_special_tokens=False, **options)["input_ids"])

    if not text:
        return ()
    begins = tokenizer.convert_ids_to_tokens(ids("~")[:1])
    if begins and str(begins[0]).startswith(_SPACE):
        lead, both = ids("\n"), ids("\n" + text)
        if both[: len(lead)] == lead:
            return tuple(both[len(lead) :])
    return tuple(ids(text))


def _unused(messages: Sequence[Message]) -> str:
    """What no message holds, to stand for documents while the template is filled in."""
    number = 0
    while any(f"\ue000{number}:" in message.content for message in messages):
        number += 1
    return f"\ue000{number}:"


def _split(text: str, stem: str, count: int) -> list[str] | None:
    """What stands around the marks, or None where they are not all there once, in order."""
    around = []
    for number in range(count):
        before, mark, text = text.partition(f"{stem}{number}\ue001")
        if not mark or stem in before:
            return None
        around.append(before)
    return None if stem in text else [*around, text]
