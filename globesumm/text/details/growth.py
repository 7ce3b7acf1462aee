"""Whether a word that may mean "up to" says where a growth ended: "выросло до 296".

The same word makes a bound of a number where nothing grew: "до 296 человек".
"""

from globesumm.text.details.reading import Reading

_WITHIN = 12
"""Tokens before the word among which its verb is looked for."""
_SOON_AFTER = 6
_ELIDED = 6
_DASHES = "-–—"
_CLAUSE_ENDS = ",;:()!?…،؛"


def is_goal(reading: Reading, goal: int, number: int, end: int) -> bool:
    """Whether tokens ``[goal, number)`` lead to the value that a verb of change names.

    `end` is the token after the number and its unit.
    """
    word = reading.mark(goal, "goal")
    if word is None or word[2] != number - goal:
        return False
    if _grown_before(reading, goal) or _grown_after(reading, end) or _elided(reading, goal):
        reading.grown = end
        return True
    return False


def _grown_before(reading: Reading, goal: int) -> bool:
    place = goal - 1
    # "выросло на 20, до 296": the comma after the amount of the change ends no clause.
    if reading.is_sign(place, ",") and any(
        reading.tokens[before].kind == "n" for before in range(max(place - 2, 0), place)
    ):
        place -= 1
    while place >= max(goal - _WITHIN, 0):
        if reading.is_sign(place, _CLAUSE_ENDS):
            return False
        if "growth" in reading.marks[place]:
            return True
        place -= 1
    return False


def _grown_after(reading: Reading, end: int) -> bool:
    for place in range(end, min(end + _SOON_AFTER, len(reading.tokens))):
        if reading.is_sign(place, _CLAUSE_ENDS):
            return False
        if "growth_after" in reading.marks[place]:
            return True
    return False


def _elided(reading: Reading, goal: int) -> bool:
    """A second subject without its verb: "выросло до 296, а раненых – до 153"."""
    last = reading.grown
    if last is None or not 0 < goal - last <= _ELIDED:
        return False
    return reading.is_sign(goal - 1, _DASHES) or any(
        "growth_and" in reading.marks[place] for place in range(last, goal)
    )
