"""Many calls without an order, handed over as files: OpenAI's ``/v1/files`` and ``/v1/batches``.

Servers answer batches within a day and at a lower price.  `Batches.answer` submits requests,
waits or comes back later, and puts each answer into the call store, where the ordinary run
finds it; what expired or failed is redone.
"""

from globesumm.llm.batch.batches import Batches
from globesumm.llm.batch.collecting import Collecting, Deferred, in_waves
from globesumm.llm.batch.jobs import Counts, Job, Progress
from globesumm.llm.batch.server import BatchServer, batch_server

__all__ = [
    "BatchServer",
    "Batches",
    "Collecting",
    "Counts",
    "Deferred",
    "Job",
    "Progress",
    "batch_server",
    "in_waves",
]
