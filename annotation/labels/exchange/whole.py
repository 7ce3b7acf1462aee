"""Reading and changing a project as a whole: what is killed half-way has changed nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection

from annotation.labels.project import Project
from annotation.labels.store import Store


class _Whole(Store):
    """A store whose changes are one: those inside another wait for it to be kept."""

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        if self.connection.in_transaction:
            yield self.connection
            return
        with super().writing() as connection:
            yield connection


@contextmanager
def changed_at_once(project: Project) -> Iterator[Project]:
    """`project`, of which all changes inside are kept together when it ends, or none.

    Others who write wait; the pages can be read meanwhile.
    """
    store = _Whole(project.store.path)
    try:
        with store.writing():
            yield Project(project.folder, project.settings, store)
    finally:
        store.close()


@contextmanager
def as_it_is_now(store: Store) -> Iterator[Store]:
    """`store` as it was at the first look, whatever others write meanwhile."""
    store.connection.execute("BEGIN")
    try:
        yield store
    finally:
        store.connection.execute("ROLLBACK")
