"""Key points as Label Studio's highlights, and links between them as its relations."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.labels.values import Item
from globesumm.errors import DataError

Answer = Mapping[str, Any]
Results = list[dict[str, Any]]


def written(_: Item, answer: Answer) -> Results:
    """Highlights and the relations between them."""
    results: Results = []
    for name, spans in (("points", answer["points"]), ("told", answer["told"])):
        for place, span in enumerate(spans):
            to = f"document{span['document']}" if span["document"] else "summary"
            value = {"start": span["start"], "end": span["end"], "text": span["text"]}
            results.append(
                {
                    "id": f"{name}-{place}", "from_name": name, "to_name": to, "type": "labels",
                    "value": {**value, "labels": ["key point"]},
                }
            )  # fmt: skip
    for point, tells in answer["links"]:
        results.append(
            {
                "type": "relation", "from_id": f"points-{point}", "to_id": f"told-{tells}",
                "direction": "right",
            }
        )  # fmt: skip
    return results


def read(item: Item, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer in highlights and relations; raises `DataError` where they are none."""
    spans: dict[str, list[dict[str, Any]]] = {"points": [], "told": []}
    place_of: dict[str, tuple[str, int]] = {}
    for one in results:
        if one.get("type") != "labels":
            continue
        document = _document(item, str(one.get("to_name")))
        name = "points" if document else "told"
        place_of[str(one.get("id"))] = name, len(spans[name])
        spans[name].append(_span(item, one.get("value"), document))
    links = []
    for one in results:
        if one.get("type") == "relation":
            ends = [place_of.get(str(one.get(end)), ("", 0)) for end in ("from_id", "to_id")]
            by_name = dict(ends)
            if by_name.keys() != {"points", "told"}:
                raise DataError("a relation does not join a document and the summary")
            links.append([by_name["points"], by_name["told"]])
    return {**spans, "links": links}


def _document(item: Item, to: str) -> int:
    """The number of the document that a highlight is in; 0: it is in the summary."""
    if to == "summary" and item.payload.get("summary"):
        return 0
    found = re.fullmatch(r"document([1-9]\d{0,5})", to)
    if not found or int(found[1]) > len(item.payload["documents"]):
        raise DataError(f"a highlight is in {to[:40]!r}, and there is no such text")
    return int(found[1])


def _span(item: Item, value: object, document: int) -> dict[str, Any]:
    """The highlight in code points; browsers count letters beyond U+FFFF as two."""
    if not isinstance(value, dict):
        raise DataError("a highlight has no value")
    start, end, said = value.get("start"), value.get("end"), value.get("text")
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(said, str)):
        raise DataError("a highlight needs start, end and text")
    held = item.payload["documents"][document - 1] if document else item.payload["summary"]
    text = held["text"]
    if text[start:end] != said:
        start, end = (
            len(text.encode("utf-16-le", "surrogatepass")[: 2 * one].decode("utf-16-le", "ignore"))
            for one in (start, end)
        )
    return {"start": start, "end": end, "text": said, "document": document}


def shown(item: Item) -> dict[str, Any]:
    """The documents and the summary."""
    texts = {
        f"document{n}": one["text"] for n, one in enumerate(item.payload["documents"], start=1)
    }
    summary = item.payload.get("summary")
    return {**texts, "summary": summary["text"] if summary else ""}
