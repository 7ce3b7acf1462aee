"""Label Studio's labelling interface for each kind: what a project there is set up with."""

from importlib.resources import files

from annotation.labels.kinds import kind_of
from annotation.labels.store import Store


def most_documents(store: Store) -> int:
    """How many documents an item of key points shows at most; 1 where there is none."""
    row = store.connection.execute(
        "SELECT max(json_array_length(payload, '$.documents')) FROM items WHERE kind = 'key-points'"
    ).fetchone()
    return int(row[0] or 1)


def interface(kind: str, documents: int = 1) -> str:
    """The interface as XML; raises `UnknownName` for a kind in no table.

    `documents` is how many documents an item of key points has at most.
    """
    name = kind_of(kind).name
    text = files(__package__).joinpath("studio", f"{name}.xml").read_text(encoding="utf-8")
    if name != "key-points":
        return text
    names = [f"document{number}" for number in range(1, documents + 1)]
    shown = [f'  <Text name="{one}" value="${one}"/>' for one in names]
    labels = [
        f'  <Labels name="points" toName="{",".join(names)}">',
        '    <Label value="key point"/>',
        "  </Labels>",
    ]
    return text.replace("{documents}", "\n".join([*labels, *shown]))
