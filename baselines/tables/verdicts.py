"""CRE's verdicts on a run's summaries, from the judge's stored answers; no call is made."""

from collections.abc import Sequence
from pathlib import Path

from baselines.experiment import candidates
from baselines.grid.folder import STORE
from baselines.tables.causes import NO_MODEL, Causes, causes
from baselines.tables.portions import Portion
from globesumm.config import Experiment
from globesumm.llm.call_store import CallStore
from globesumm.llm.request import Decoding
from globesumm.llm.stored import Replay, Stored
from globesumm.values import Event
from metrics.base import Candidate, Signature
from metrics.cre import Cre, Judged
from metrics.cre_conflicts import marked

MARKED = "marked"


def conflict_causes(
    folder: Path,
    found: Sequence[Portion],
    events: Sequence[Event],
    experiment: Experiment | None = None,
) -> tuple[Causes | None, str]:
    """Errors by cause over the models of a run, and a note on where the verdicts are from.

    None where CRE was not computed.  Recipes without a model stand beside them.
    A verdict that cannot be had again is counted with its reason.
    """
    judged: dict[str, list[Judged]] = {}
    signatures: dict[str, None] = {}
    for portion in found:
        if portion.run is None:
            continue
        scored = [one for one in portion.run.scores() if one.metric == "cre"]
        signature = next((one.signature for one in scored if one.value is not None), None)
        if signature is None:
            continue
        signatures[signature] = None
        path = folder / STORE
        if not path.exists():
            path = portion.run.folder / STORE
        model = portion.part.model or NO_MODEL
        recipes = {str(recipe) for recipe in portion.recipes}
        texts = [one for one in candidates(portion.run) if one.recipe in recipes]
        judged.setdefault(model, []).extend(_again(path, signature, texts, events, experiment))
    if not signatures:
        return None, "CRE was not computed, and the verdicts are its ground"
    shown = "; ".join(signatures)
    if len(signatures) > 1:
        shown += " (unequal, so the models are not comparable)"
    return causes(judged), f"verdicts of {shown}"


def _again(
    path: Path,
    signature: str,
    texts: Sequence[Candidate],
    events: Sequence[Event],
    experiment: Experiment | None,
) -> list[Judged]:
    """The verdicts on `texts` by the judge that `signature` names, out of the store at `path`."""
    said = dict(Signature.parse(signature).parts)
    if said.get("conflicts") != MARKED:
        reason = f"its conflicts come from an annotation ({said.get('conflicts')})"
        return _unjudged(texts, reason)
    if not path.exists():
        return _unjudged(texts, "the call store is not there")
    name, temperature = said.get("judge", ""), said.get("temperature", "None")
    rows = experiment.rows.values() if experiment else ()
    reasoning = next((row.reasoning for row in rows if row.asked_as == name), None)
    with_store = Stored(Replay(name), CallStore(path, read_only=True))
    try:
        judge = Cre(
            with_store,
            {event.id: marked(event) for event in events},
            MARKED,
            decoding=Decoding(
                temperature=None if temperature == "None" else float(temperature),
                seed=0,
                reasoning=reasoning,
            ),
        )
        return judge.judged(texts)
    finally:
        with_store.close()


def _unjudged(texts: Sequence[Candidate], reason: str) -> list[Judged]:
    return [Judged(candidate=one, conflicts=(), verdicts=None, reason=reason) for one in texts]
