"""A summary's sentences and their parts, looked up by the figures that they give."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from baselines.citations.citing import parts
from baselines.ledger.nearness import Said
from baselines.ledger.sides import counted, figure_of, figures_in
from globesumm.text.details import Kind
from globesumm.values import Sentence


class Telling:
    """What one summary tells; places count its sentences from 0."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.parts: dict[Said, list[int]] = defaultdict(list)
        """Each part once, with the places of the sentences that hold it."""
        for place in range(len(sentences)):
            for part in self.of(place):
                self.parts[part].append(place)
        self._giving: dict[Kind, dict[object, list[Said]]] = {}
        self._counting: dict[str, list[tuple[int, int, str]]] | None = None

    def giving(self, kind: Kind, value: str) -> Sequence[Said]:
        """The parts that give `value`, a figure of `kind` (see `sides.readable`)."""
        if kind not in self._giving:
            found: dict[object, list[Said]] = defaultdict(list)
            for part in self.parts:
                for figure in figures_in(*part, None, kind):
                    found[figure].append(part)
            self._giving[kind] = dict(found)
        return self._giving[kind].get(figure_of(kind, value), ())

    def of(self, place: int) -> list[Said]:
        """The parts of the sentence at `place`."""
        one = self.sentences[place]
        return [(part, one.language) for part in parts(one.text)]

    def counting(self, topics: Iterable[str]) -> list[tuple[int, str]]:
        """(place, figure as written) of what is counted of `topics`, in order."""
        if self._counting is None:
            self._counting = defaultdict(list)
            for place, one in enumerate(self.sentences):
                for order, (topic, written) in enumerate(counted(one.text, one.language).items()):
                    self._counting[topic].append((place, order, written))
        rows = sorted(row for topic in topics for row in self._counting.get(topic, ()))
        return [(place, written) for place, _, written in rows]
