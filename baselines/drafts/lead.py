"""Lead: the leading sentences of a task's documents, which every method has to beat."""

from dataclasses import dataclass

from annotation.answers import Answer
from annotation.author import Asked
from baselines.drafts.base import Choice, Draft, Made, Task
from baselines.drafts.drawing import Drawing, failed
from globesumm.text.sentences import split
from globesumm.text.words import count_words

RULE = "leading sentences"


@dataclass(frozen=True, slots=True)
class Lead:
    """The first sentence of each document in turn, then each second one, as far as they fit."""

    @property
    def name(self) -> str:
        return "lead"

    @property
    def signature(self) -> str:
        return "lead: leading sentences of each document in turn"

    def __call__(self, task: Task, drawing: Drawing | None = None) -> Made:
        """No model is asked; raises `StepError` where no sentence fits."""
        del drawing
        held = [split(document.text, document.language) for document in task.documents]
        left, taken = task.max_words, []
        order = [
            (index, place)
            for index in range(max(map(len, held), default=0))
            for place in range(len(held))
            if index < len(held[place])
        ]
        for index, place in order:
            words = count_words(held[place][index], task.documents[place].language)
            if 0 < words <= left:
                taken.append((place, index))
                left -= words
        if not taken:
            raise failed(task, f"no sentence of the documents fits into {task.max_words} words")
        text = " ".join(held[place][index] for place, index in sorted(taken))
        foreign = {document.language for document in task.documents} - {task.target}
        notes = (f"some sentences are not in {task.target}",) if foreign else ()
        asked = Asked(
            value=Answer(items=(text,), notes=notes), text=text, prompt="", conversation=()
        )
        draft = Draft(number=1, text=text, by=RULE, asked=asked)
        return Made(answer=asked, drafts=(draft,), choice=Choice(chosen=1, rule=RULE))
