"""What two rounds of preference tuning teach a toy model, over several seeds.

    python tests/benchmarks/bench_preference.py [SEEDS]

Each seed draws, pairs and trains anew from one toy model; held-out sides are never trained on.
"""

import sys
import tempfile
from pathlib import Path

import torch

from baselines.preference import rounds
from baselines.preference.apart import Split
from baselines.preference.settings import Lora, PairSettings, Preference, Training, Writing
from baselines.preference.toy import make
from baselines.preference.work import Work
from globesumm.config import Drafts
from globesumm.prompts import Library
from tests.preference.conftest import PROMPT, WORDS, topics


def main(seeds: int) -> None:
    torch.set_num_threads(1)
    home = Path(tempfile.mkdtemp())
    toy = make(home / "toy", WORDS, longest=60)
    prompts = home / "prompts" / "perspective"
    prompts.mkdir(parents=True)
    (prompts / "sentence.md").write_text(PROMPT, encoding="utf-8")
    print("seed  held-out pairs  rewarded after round 1, 2  rouge of held-out drafts before, 1, 2")
    for seed in range(seeds):
        settings = Preference(
            train=("train",), test=("test",), model=str(toy), rounds=2, seed=seed, batch=8,
            drafts=Drafts(n=8, temperature=1.0, proxies=("rouge",)),
            pairs=PairSettings(rule="top-bottom", k=3),
            training=Training(learning_rate=5e-3, gradient_checkpointing=False),
            writing=Writing(shown="own", max_tokens=30),
            lora=Lora(rank=8, alpha=16), final=(),
        )  # fmt: skip
        work = Work(
            settings=settings,
            folder=home / f"run-{seed}",
            base=toy,
            split=Split(
                train=tuple(topics(4, seed=1, name="train")),
                test=tuple(topics(4, seed=2, name="test")),
            ),
            prompts=Library(home / "prompts"),
        )
        made = rounds.carry_out(work)
        held = [one.held_out for one in made]
        rewarded = "  ".join(f"{100 * (one.accuracy.rewarded or 0):6.2f}" for one in held[1:])
        rouge = "  ".join(
            f"{100 * (one.drafts.mean['rouge'] or 0):6.2f}" for one in held if one.drafts
        )
        print(f"{seed:>4}  {held[0].accuracy.pairs:>14}  {rewarded:>25}  {rouge:>38}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
