"""The likeliest tokens at each place of an answer, as OpenAI, vLLM and llama.cpp tell them."""

import math
from typing import Any

from globesumm.llm.request import MOST_LOGPROBS, TokenChoice


def token_choices(told: object) -> tuple[TokenChoice, ...]:
    """The tokens in a choice's ``logprobs``; nothing where a server told none, or nonsense.

    Numbers that are no log probability (above 0, not finite) are left out.
    """
    content = told.get("content") if isinstance(told, dict) else None
    found: list[TokenChoice] = []
    for place in content if isinstance(content, list) else []:
        if not isinstance(place, dict) or not isinstance(place.get("token"), str):
            return ()
        rivals = place.get("top_logprobs")
        listed = rivals if isinstance(rivals, list) else []
        likeliest = [pair for rival in listed[:MOST_LOGPROBS] if (pair := _pair(rival))]
        found.append(TokenChoice(place["token"], tuple(likeliest)))
    return tuple(found)


def _pair(rival: Any) -> tuple[str, float] | None:
    if not isinstance(rival, dict):
        return None
    token, value = rival.get("token"), rival.get("logprob")
    if not isinstance(token, str) or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return (token, float(value)) if math.isfinite(value) and value <= 0 else None
