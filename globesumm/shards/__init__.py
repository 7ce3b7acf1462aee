"""Bulk work in shards: a plain function over one shard, placed on this machine or on a cluster.

::

    FOLDER/<name><suffix>         a shard's result; that it is there, with its counts, means done
    FOLDER/_counts/<name>.json    what the stage counted, and the size of the result it belongs to
    FOLDER/_failures/<name>.json  why a shard failed; removed when it succeeds later
    FOLDER/_partial/<run>/        what is being written; what dead runs left there is removed
    FOLDER/_stage/settings.json   the settings that decide the results, where any were stated
    FOLDER/.lock                  held while a process works in the folder

Folders whose names begin with an underscore are passed over by the usual readers of Parquet.
"""

from globesumm.shards.folder import only_here
from globesumm.shards.run import check_place, run_stage
from globesumm.shards.stage import Outcome, Shard, ShardFailure, Stage, finished

__all__ = [
    "Outcome",
    "Shard",
    "ShardFailure",
    "Stage",
    "check_place",
    "finished",
    "only_here",
    "run_stage",
]
