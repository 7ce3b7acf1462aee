"""Items of every kind, with texts of our own in scripts of both directions."""

from typing import Any

from annotation.labels.kinds import KINDS, check_item
from annotation.labels.values import Item

ARABIC = {
    "title": "غرق العبّارة «ألما» قبالة ميناء ليسا",
    "text": (
        "غرقت العبّارة «ألما» مساء الاثنين قبالة ميناء ليسا وعلى متنها 84 شخصًا. "
        "وقالت هيئة الموانئ إن 9 أشخاص ما زالوا في عداد المفقودين، فيما أُنقذ 75 راكبًا."
    ),
    "language": "ar",
    "note": "جريدة الساحل، 2023-06-13",
}
HEBREW = {
    "sentences": [
        "המעבורת „אלמה” טבעה ביום שני בלילה סמוך לנמל ליסה.",
        "על סיפונה היו 84 נוסעים ואנשי צוות.",
        "תשעה בני אדם עדיין נעדרים.",
        "חברת הספנות טוענת שמדובר בתאונה.",
    ],
    "language": "he",
    "title": "אסון ימי ליד נמל ליסה",
}
HINDI = [
    "सोमवार रात लिसा बंदरगाह के पास ‘अल्मा’ नौका डूब गई।",
    "नौका पर 84 लोग सवार थे।",
    "बंदरगाह का कैफ़े मंगलवार को बंद रहा।",
    "बचाव दल ने 75 लोगों को सुरक्षित निकाल लिया।",
    "गोताख़ोर मलबे की जाँच करेंगे।",
]
KOREAN = [
    "월요일 밤 리사 항 앞바다에서 여객선 알마호가 침몰했다.",
    "배에는 승객과 승무원 84명이 타고 있었다.",
    "해경은 75명을 구조했고 9명을 찾고 있다.",
    "선사는 안전 점검을 마쳤다고 밝혔다.",
    "정부는 모든 운항을 중단시켰다.",
]
GREEK = (
    "Το πλοίο «Άλμα» βυθίστηκε το βράδυ της Δευτέρας έξω από το Πορτ Λίσα. "
    "Επέβαιναν 84 άνθρωποι. Εννέα αγνοούνται ακόμη, ενώ οι έρευνες συνεχίζονται."
)
ENGLISH = (
    "The ferry Alma sank off Port Lissa on Monday night with 84 people on board. "
    "Nine people are missing."
)
MARKUP = (
    "<script>document.title='taken'</script><img src=x onerror=alert(1)> & \"quotes\" </textarea>"
)

_RELEVANT = {"relevant": True, "criteria": ["same_event"]}


def items(*, models: int = 0) -> list[Item]:
    """One item of each kind, in the order of the table; `models` is how many models answered."""
    payloads: dict[str, dict[str, Any]] = {
        "relevance": {
            "query": {
                "text": "The ferry Alma sinks off Port Lissa.",
                "language": "en",
                "note": "2023-06-12",
            },
            "article": ARABIC,
            "translation": {
                "title": "Ferry Alma sinks off Port Lissa",
                "text": (
                    "The ferry Alma sank on Monday evening off Port Lissa with 84 people on board. "
                    "The port authority said that 9 people were still missing and 75 passengers "
                    "had been rescued."
                ),
                "language": "en",
            },
        },
        "issues": {
            "first": HEBREW,
            "second": {
                "sentences": [
                    "The ferry Alma went down near Port Lissa on Monday night.",
                    "Fourteen people are missing.",
                    "The captain is being questioned.",
                ],
                "language": "en",
                "title": "Ferry goes down",
            },
        },
        "key-facts": {
            "fact": {"text": "नौका पर 84 लोग सवार थे।", "language": "hi"},
            "critique": "The number of passengers is a detail of the background.",
            "source": [{"sentences": HINDI, "language": "hi", "title": "लिसा समाचार"}],
            "similar": [[1, 2]],
        },
        "fact-support": {
            "fact": {"text": "Nine people died when the Alma sank.", "language": "en"},
            "source": [{"sentences": KOREAN, "language": "ko", "title": "여객선 침몰"}],
            "similar": [[1, 3]],
        },
        "matching": {
            "fact": {"text": "84 people were on board.", "language": "en"},
            "summary": {"sentences": KOREAN, "language": "ko"},
            "similarities": [0.41, 0.87, 0.52, 0.2, 0.18],
            "similar": [1, 2, 3],
        },
        "key-points": {
            "documents": [
                {"text": GREEK, "language": "el", "title": "Ναυάγιο στο Πορτ Λίσα"},
                {"text": ARABIC["text"], "language": "ar", "title": ARABIC["title"]},
            ],
            "summary": {"text": f"{ENGLISH} A storm had raged for hours.", "language": "en"},
            "question": "What happened to the Alma?",
        },
        "preference": {
            "a": {"text": ENGLISH, "language": "en"},
            "b": {"text": GREEK, "language": "el"},
            "source": [ARABIC],
            "question": "The ferry Alma sinks off Port Lissa.",
        },
    }
    languages = {
        "relevance": ("en",),
        "issues": ("he", "en"),
        "key-facts": ("hi",),
        "fact-support": ("en", "ko"),
        "matching": ("en", "ko"),
        "key-points": ("el", "ar", "en"),
        "preference": ("en", "el"),
    }
    return [
        check_item(
            Item(
                id=f"{kind}-1",
                kind=kind,
                payload=payloads[kind],
                languages=languages[kind],
                event="alma",
                models={f"model-{n + 1}": answer(kind) for n in range(models)},
            )
        )
        for kind in KINDS
    ]


def answer(kind: str) -> dict[str, Any]:
    """An answer that fits the item of `kind`."""
    answers: dict[str, dict[str, Any]] = {
        "relevance": _RELEVANT,
        "issues": {
            "issues": [
                {"kind": "redundancy", "first": [1], "second": [1]},
                {"kind": "conflict", "first": [3], "second": [2], "cause": "update"},
            ]
        },
        "key-facts": {"key": True},
        "fact-support": {"supported": False},
        "matching": {"sentences": [2]},
        "key-points": {
            "points": [{"document": 1, "start": 0, "end": 9}],
            "told": [{"start": 0, "end": 14}],
            "links": [[0, 0]],
        },
        "preference": {"preferred": "a", "first": "a"},
    }
    return answers[kind]


def review() -> Item:
    """A review of what a model found, on the two lists of the item of kind ``issues``."""
    [lists] = [one for one in items() if one.kind == "issues"]
    return check_item(
        Item(
            id="review-1",
            kind="issues",
            payload={
                **lists.payload,
                "review": [
                    {"kind": "omission", "second": [3], "text": "only the second has the captain"},
                    {"kind": "redundancy", "first": [4], "second": [3]},
                ],
            },
            languages=("he", "en"),
            event="alma",
        )
    )


def small(number: int) -> Item:
    """A short item of kind ``fact-support``, for tests with many."""
    return Item(
        id=f"item {number}",
        kind="fact-support",
        payload={
            "fact": {"text": f"Fact number {number}.", "language": "en"},
            "source": [{"sentences": [f"Sentence {number}.", "Another one."], "language": "en"}],
        },
        languages=("en",),
        event=f"event {number % 7}",
    )
