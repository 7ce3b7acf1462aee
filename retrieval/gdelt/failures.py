"""Why a file of GDELT's could not be had or read, each cause with a name of its own."""

from globesumm.errors import DataError


class NotServed(DataError):
    """The host says that there is no such file (404 or 410)."""


class NotAsListed(DataError):
    """What came has another size or md5 than the list states."""


class Unreachable(DataError):
    """The host did not answer, or not with the file, however often it was asked."""


class OfAnotherKind(DataError):
    """The file is whole, and is not what its name says: it is refused unread."""


class NotListed(DataError):
    """No list names the file, and no register of gaps knows why."""


KINDS = {
    kind.__name__: kind for kind in (NotServed, NotAsListed, Unreachable, OfAnotherKind, NotListed)
}
