"""The pages, spoken to as browsers and others do: links, stale pages, tabs, hostile texts."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from annotation.labels.kinds import KINDS, check_item
from annotation.labels.project import Project
from annotation.labels.queue import disputes
from annotation.labels.values import Item, Label, Prelabels, Role
from tests.labels.sample_items import MARKUP, answer, items, review, small
from tests.labels.served import (
    Links,
    Reply,
    Server,
    answer_in,
    ask,
    project_of,
    serving,
    serving_apart,
    ticket_in,
)

YES, NO = {"supported": True}, {"supported": False}


class Team:
    """A served project and what its people send."""

    def __init__(self, project: Project, server: Server | Links) -> None:
        self.project, self.server = project, server

    def page(self, who: str, path: str) -> Reply:
        return ask(self.server.links[who] + path)

    def sends(
        self,
        who: str,
        number: int,
        said: Any,
        *,
        ticket: str | None = None,
        path: str = "item",
        **more: Any,
    ) -> Reply:
        """Open the page (unless its ticket is given) and send the answer."""
        ticket = ticket or ticket_in(self.page(who, f"{path}/{number}").text)
        content = {"ticket": ticket, "answer": said, "seconds": 1.5, **more}
        return ask(f"{self.server.links[who]}{path}/{number}", content)

    def labels(self, **which: Any) -> list[Label]:
        return list(self.project.store.labels(**which))


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    project = project_of(
        tmp_path / "p", [small(n) for n in range(4)], "ada ben eve", order="given", overlap=2
    )
    with serving(project) as server:
        yield Team(project, server)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """Every kind once, with three models' answers, and texts that try to be markup."""
    hostile = check_item(
        Item(
            id=MARKUP, kind="relevance", event="e",
            payload={
                "query": {"text": MARKUP, "title": MARKUP, "note": MARKUP, "language": "en"},
                "article": {"text": MARKUP, "language": "he", "title": MARKUP},
                "translation": {"text": MARKUP},
            },
            models={MARKUP: {"relevant": False}},
        )
    )  # fmt: skip
    project = project_of(
        tmp_path_factory.mktemp("p") / "p", [*items(models=3), review(), hostile], "ada ben eve",
        order="given", overlap=2, title=MARKUP, verdicts=True, prelabels=Prelabels.FIRST,
    )  # fmt: skip
    with serving(project) as server:
        yield Team(project, server)


def test_without_a_link_there_is_nothing_but_403(team: Team) -> None:
    link = team.server.links["ada"]
    token = link.split("/a/")[1].strip("/")
    for path in (
        "/",
        "/index.html",
        "/a/",
        "/a/x/",
        f"/a/{token[:-1]}/",
        f"/a/{token}x/item/1",
        "/admin",
    ):
        reply = ask(team.server.address + path)
        assert reply.status == 403, path
        assert "Not without your link" in reply.text
        assert token not in reply.text
    assert ask(team.server.address + "/a/wrong/item/1", {"answer": YES}).status == 403
    assert ask(link).status == 200


def test_a_renewed_link_closes_the_old_one(team: Team) -> None:
    from annotation.labels.people import renew_link

    old = team.server.links["ada"]
    new = renew_link(team.project, "ada")
    assert ask(old).status == 403
    assert ask(f"{team.server.address}/a/{new}/").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "[", "localhost@evil.example", "0.0.0.0"]
)
def test_a_request_for_another_host_is_refused(team: Team, host: str) -> None:
    assert ask(team.server.links["ada"], headers={"Host": host}).status in {400, 403}


def test_another_site_cannot_send_answers(team: Team) -> None:
    ticket = ticket_in(team.page("ada", "item/1").text)
    content = {"ticket": ticket, "answer": YES}
    address = team.server.links["ada"] + "item/1"
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": team.server.address.replace("127.0.0.1", "localhost")},
    ):
        assert ask(address, content, headers).status == 403
    assert not team.labels()
    assert ask(address, content, {"Origin": team.server.address}).status == 200


def test_every_answer_tells_browsers_to_run_nothing_but_our_script(team: Team) -> None:
    for reply in (team.page("ada", ""), team.page("ada", "item/1"), ask(team.server.address + "/")):
        headers = {name.lower(): value for name, value in reply.headers.items()}
        assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
        assert "onclick=" not in reply.text
        assert "style=" not in reply.text


@pytest.mark.parametrize("number", range(1, 10))
def test_markup_in_texts_shows_as_text_on_every_page(everything: Team, number: int) -> None:
    for path in (f"item/{number}", "", "mine", "next"):
        page = everything.page("ada", path).text
        assert "<script>document" not in page
        assert "<img" not in page
        assert page.count("<script") == page.count('<script src="/static/')
    if number == 9:
        assert "&lt;script&gt;" in everything.page("ada", "item/9").text


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_says_its_language_and_direction(everything: Team, kind: str) -> None:
    number = list(KINDS).index(kind) + 1
    page = everything.page("ada", f"item/{number}").text
    item = everything.project.store.numbered(number)
    assert item is not None
    for code in item.languages:
        assert f'lang="{code}" dir="{"rtl" if code in {"ar", "he"} else "ltr"}"' in page
    assert 'lang="en" dir="ltr"' in page


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_of_every_kind_is_kept_with_times_and_mode(everything: Team, kind: str) -> None:
    number = list(KINDS).index(kind) + 1
    reply = everything.sends("ben", number, answer(kind), note=" a note ")
    assert reply.status == 200, reply.text
    [label] = everything.labels(annotator="ben", item=f"{kind}-1")
    assert label.id == reply.json["kept"]
    assert label.note == "a note"
    assert label.prelabels is Prelabels.FIRST
    assert 0 <= label.seconds <= 1.5
    assert label.seconds <= (label.submitted - label.started).total_seconds()
    page = everything.page("ben", f"item/{number}").text
    assert {**answer_in(page), "first": ""} == {**(label.answer or {}), "first": ""}


def test_a_model_answer_is_filled_in_where_it_is_shown_first(everything: Team) -> None:
    page = everything.page("ada", "item/3").text
    assert answer_in(page) == {"key": True}
    assert "model-1" in page


def test_double_submit_is_one_label(team: Team) -> None:
    ticket = ticket_in(team.page("ada", "item/1").text)
    replies = [team.sends("ada", 1, YES, ticket=ticket) for _ in range(3)]
    assert {one.status for one in replies} == {200}
    assert len({one.json["kept"] for one in replies}) == 1
    assert len(team.labels(counting=False)) == 1


def test_two_tabs_give_one_label_and_the_second_is_told(team: Team) -> None:
    tabs = [ticket_in(team.page("ada", "item/1").text) for _ in range(2)]
    assert tabs[0] != tabs[1]
    assert team.sends("ada", 1, YES, ticket=tabs[0]).status == 200
    second = team.sends("ada", 1, NO, ticket=tabs[1])
    assert (second.status, second.json["reload"]) == (409, True)
    assert [one.answer for one in team.labels()] == [YES]
    assert team.sends("ada", 1, NO).status == 200, "a page that shows the label may replace it"
    assert [one.answer for one in team.labels()] == [NO]


def test_pages_that_send_at_the_same_moment_give_one_label(team: Team) -> None:
    tickets = [ticket_in(team.page("ada", "item/1").text) for _ in range(16)]
    with ThreadPoolExecutor(16) as pool:
        replies = list(
            pool.map(
                lambda one: team.sends("ada", 1, NO if one[0] % 2 else YES, ticket=one[1]),
                enumerate(tickets),
            )
        )
    [label] = team.labels(counting=False)
    assert {one.status for one in replies} == {200, 409}
    said = [NO if n % 2 else YES for n, one in enumerate(replies) if one.status == 200]
    assert said == [label.answer] * 8, "those that say the same are told that it is kept"
    assert {one.json["kept"] for one in replies if one.status == 200} == {label.id}


def test_an_item_that_is_not_theirs_is_refused(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(n) for n in range(8)], "ada ben", overlap=1)
    theirs = dict(project.store.connection.execute("SELECT item, annotator FROM assignments"))
    number = next(n for n, name in theirs.items() if name == "ben")
    with serving(project) as server:
        team = Team(project, server)
        assert team.page("ada", f"item/{number}").status == 403
        assert team.page("ada", "item/999").status == 403
        ticket = ticket_in(team.page("ben", f"item/{number}").text)
        mine = next(n for n, name in theirs.items() if name == "ada")
        own = ticket_in(team.page("ada", f"item/{mine}").text)
        for number_, given in (
            (number, ticket),
            (number, own),
            (mine, ticket),
            (number, own[:-1] + "0"),
        ):
            reply = team.sends("ada", number_, YES, ticket=given)
            assert reply.status in {403, 422}, reply.text
        assert not team.labels(counting=False)


def test_a_stale_page_is_told_so_and_nothing_is_kept(team: Team) -> None:
    ticket = ticket_in(team.page("ada", "item/1").text)
    team.project.store.add_items([replace(small(0), payload=small(77).payload)])
    reply = team.sends("ada", 1, YES, ticket=ticket)
    assert (reply.status, reply.json["reload"]) == (409, True)
    assert not team.labels(counting=False)
    assert "Fact number 77" in team.page("ada", "item/1").text


@pytest.mark.parametrize(
    "said",
    ["yes", [], 7, {"supported": "?"}, {"supported": True, "more": 1}, {}, {"supported": None}],
)  # fmt: skip
def test_what_is_no_answer_is_refused_with_its_reason(team: Team, said: Any) -> None:
    reply = team.sends("ada", 1, said)
    assert reply.status == 422
    assert reply.json["error"]
    assert not team.labels(counting=False)


def test_odd_bodies_are_refused_and_the_server_goes_on(team: Team) -> None:
    import urllib.error
    import urllib.request

    address = team.server.links["ada"] + "item/1"
    for body in (
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b'{"ticket": 1}',
        b"x" * 5_000_000,
    ):
        request = urllib.request.Request(
            address, data=body, headers={"content-type": "application/json"}
        )
        with pytest.raises((urllib.error.HTTPError, urllib.error.URLError)) as told:
            urllib.request.urlopen(request, timeout=20)
        if isinstance(told.value, urllib.error.HTTPError):
            assert told.value.code in {413, 422}
    assert team.sends("ada", 1, YES, note="half \ud83d \0 note").status == 200
    assert [one.note for one in team.labels()] == ["half ?  note"]


def test_a_connection_that_says_nothing_holds_nobody_up(team: Team) -> None:
    place = urlsplit(team.server.address)
    idle = [socket.create_connection((place.hostname, place.port)) for _ in range(60)]
    assert team.page("ada", "").status == 200
    for one in idle:
        one.close()


def test_undo_takes_back_exactly_the_label_that_the_page_named(team: Team) -> None:
    first = team.sends("ada", 1, YES).json["kept"]
    second = team.sends("ada", 2, NO).json["kept"]
    for _ in range(2):  # a double press
        reply = ask(team.server.links["ada"] + "undo", {"label": second})
        assert reply.status == 200
        assert reply.json["next"].endswith("item/2")
    assert [one.id for one in team.labels()] == [first]
    assert answer_in(team.page("ada", "item/2").text) == NO, "what was taken back is filled in"
    assert ask(team.server.links["ben"] + "undo", {"label": first}).status == 409
    assert ask(team.server.links["ben"] + "undo", {"label": "no such"}).status == 409
    assert ask(team.server.links["ben"] + "undo", {}).status == 422


def test_what_cannot_be_judged_wants_a_note(team: Team) -> None:
    assert team.sends("ada", 1, None).status == 422
    assert team.sends("ada", 1, None, note="the source is cut").status == 200
    assert [one.answer for one in team.labels()] == [None]


def test_work_goes_on_where_it_was_left_and_ends(team: Team) -> None:
    for number in range(1, 5):
        page = team.page("ada", "next")
        assert page.address.endswith(f"item/{number}")
        reply = team.sends("ada", number, YES)
    assert reply.json["next"].endswith("/")
    assert "All is done" in team.page("ada", "").text
    assert "4 of 4" in team.page("ada", "").text


def test_an_item_put_off_comes_last(team: Team) -> None:
    reply = ask(team.server.links["ada"] + "item/1/later", {})
    assert reply.json["next"].endswith("item/2")
    for number in (2, 3, 4):
        reply = team.sends("ada", number, YES)
    assert reply.json["next"].endswith("item/1")


def test_consent_and_definitions_come_before_the_first_item(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    project.store.connection.execute("UPDATE people SET consent = NULL, introduced = NULL")
    with serving(project) as server:
        team = Team(project, server)
        assert team.page("ada", "item/1").address.endswith("consent")
        assert ask(server.links["ada"] + "consent", {}).address.endswith("start/fact-support")
        assert "Nine people died" in team.page("ada", "start/fact-support").text
        assert ask(server.links["ada"] + "start/fact-support", {}).address.endswith("item/1")
        who, when = project.store.connection.execute(
            "SELECT name, consented FROM people"
        ).fetchone()
        assert who == "ada"
        assert when
        assert team.page("ada", "start/nonsense").status == 404


def test_another_text_of_consent_is_asked_for_again(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    path = project.folder / "project.toml"
    path.write_text(path.read_text().replace("# consent =", 'consent = "A new text"  #'))
    with serving(Project.open(project.folder)) as server:
        reply = ask(server.links["ada"] + "item/1")
        assert reply.address.endswith("consent")
        assert "A new text" in reply.text


def test_a_batch_ends_with_a_pause(tmp_path: Path) -> None:
    project = project_of(
        tmp_path / "p",
        [small(n) for n in range(5)],
        "ada",
        overlap=1,
        batch=2,
        gold_per_batch=0,
        order="given",
    )
    with serving(project) as server:
        team = Team(project, server)
        nexts = [team.sends("ada", n, YES).json["next"].rsplit("/", 1)[1] for n in range(1, 6)]
        assert nexts == ["2", "pause", "4", "pause", ""]
        assert team.page("ada", "pause").status == 200


def test_pay_and_time_are_reported(tmp_path: Path) -> None:
    project = project_of(
        tmp_path / "p", [small(n) for n in range(3)], "ada", overlap=1, pay_per_label=0.1
    )
    with serving(project) as server:
        team = Team(project, server)
        for number in (1, 2):
            team.sends("ada", number, YES)
        assert "0.20 USD" in team.page("ada", "").text


def test_a_model_answer_after_ones_own_is_shown_and_a_change_is_recorded_as_knowing_it(
    tmp_path: Path,
) -> None:
    given = [replace(small(n), models={"m": NO}) for n in range(2)]
    project = project_of(
        tmp_path / "p", given, "ada", overlap=1, prelabels=Prelabels.AFTER, order="given"
    )
    with serving(project) as server:
        team = Team(project, server)
        page = team.page("ada", "item/1").text
        assert answer_in(page) is None
        assert "model" not in page.lower().replace("models", "")
        reply = team.sends("ada", 1, YES)
        assert reply.json["next"].endswith("after/1")
        assert "not supported" in team.page("ada", "after/1").text
        assert team.page("ada", "after/2").address.endswith("item/2"), "not before one's own answer"
        assert team.sends("ada", 1, NO).status == 200
    told = [(one.answer, one.prelabels, one.counts) for one in team.labels(counting=False)]
    assert told == [(YES, Prelabels.AFTER, False), (NO, Prelabels.FIRST, True)]


def test_an_adjudicator_is_not_said_to_have_seen_what_was_not_shown(tmp_path: Path) -> None:
    given = [replace(small(0), models={"secret-model": NO})]
    project = project_of(tmp_path / "p", given, "ada ben eve", overlap=2, prelabels=Prelabels.AFTER)
    with serving(project) as server:
        team = Team(project, server)
        team.sends("ada", 1, YES)
        team.sends("ben", 1, NO)
        assert "secret-model" not in team.page("eve", "dispute/1").text
        team.sends("eve", 1, NO, path="dispute")
    assert [one.prelabels for one in team.labels(annotator="eve")] == [Prelabels.HIDDEN]


def test_hidden_model_answers_and_known_answers_are_nowhere_on_the_page(tmp_path: Path) -> None:
    given = [
        replace(small(0), models={"secret-model": NO}, gold=NO, source={"id": "secret-source"})
    ]
    project = project_of(tmp_path / "p", given, "ada", overlap=1)
    with serving(project) as server:
        team = Team(project, server)
        page = team.page("ada", "item/1").text
        assert "secret" not in page
        assert ask(server.links["ada"] + "item/1/verdicts", {}).status == 403
        assert team.sends("ada", 1, YES).json["next"].endswith("/")


def test_looking_at_models_verdicts_is_logged_with_the_label(everything: Team) -> None:
    page = everything.page("ada", "item/4").text
    assert "model-2" not in page
    reply = ask(everything.server.links["ada"] + "item/4/verdicts", {})
    assert [name for name, _ in reply.json["verdicts"]] == ["model-1", "model-2", "model-3"]
    assert "model-2" in everything.page("ada", "item/4").text, "it stays open once it was"
    everything.sends("ada", 4, NO)
    [label] = everything.labels(annotator="ada", item="fact-support-1")
    assert label.consulted == ("model-1", "model-2", "model-3")
    assert ask(everything.server.links["ada"] + "item/9/verdicts", {}).status == 403, (
        "one model is too few"
    )


def test_two_who_differ_are_settled_by_the_adjudicator_alone(team: Team) -> None:
    assert team.page("eve", "dispute/1").status == 409, "not everybody has answered"
    team.sends("ada", 1, YES, note="see sentence 2")
    team.sends("ben", 1, NO)
    assert disputes(team.project.store) == {"open": 1}
    assert team.page("ada", "dispute/1").status == 403
    page = team.page("eve", "next")
    assert page.address.endswith("dispute/1")
    for words in ("annotator 1", "annotator 2", "see sentence 2"):
        assert words in page.text
    assert "ada" not in page.text.split("<main", 1)[1], "names would sway"
    reply = team.sends("eve", 1, NO, path="dispute")
    assert reply.status == 200, reply.text
    assert disputes(team.project.store) == {"decided": 1}
    [word] = team.labels(annotator="eve")
    assert word.role is Role.ADJUDICATOR
    undone = ask(team.server.links["eve"] + "undo", {"label": word.id})
    assert undone.json["next"].endswith("dispute/1")
    assert disputes(team.project.store) == {"open": 1}


def test_a_page_for_adjudicators_is_no_way_in_for_others(team: Team) -> None:
    team.sends("ada", 1, YES)
    team.sends("ben", 1, NO)
    ticket = ticket_in(team.page("eve", "dispute/1").text)
    for who in ("ada", "ben"):
        for path in ("item", "dispute"):
            assert team.sends(who, 1, NO, ticket=ticket, path=path).status == 403


def test_three_who_disagree_see_all_answers_in_the_second_round(tmp_path: Path) -> None:
    [one] = [one for one in items() if one.kind == "matching"]
    project = project_of(tmp_path / "p", [one], "ada ben cleo")
    with serving(project) as server:
        team = Team(project, server)
        for n, who in enumerate(("ada", "ben", "cleo"), start=1):
            assert "What was answered" not in team.page(who, "item/1").text
            team.sends(who, 1, {"sentences": [n]})
        page = team.page("ada", "next").text
        assert "once more" in page
        assert answer_in(page) == {"sentences": [1]}, "one's own answer is what one begins with"
        for words in ("sentences 1", "sentences 2", "sentences 3"):
            assert words in page
        for who in ("ada", "ben", "cleo"):
            assert team.sends(who, 1, {"sentences": [2]}).status == 200
    assert [one.round for one in team.labels()] == [1, 1, 1, 2, 2, 2]
    assert disputes(project.store) == {"decided": 1}


def test_summaries_are_blind_and_their_order_is_drawn_for_each_person(tmp_path: Path) -> None:
    [one] = [one for one in items() if one.kind == "preference"]
    given = [
        replace(one, id=f"pair {n}", source={"a": "system-x", "b": "system-y"}) for n in range(30)
    ]
    project = project_of(tmp_path / "p", given, "ada ben", overlap=2, order="given")
    with serving(project) as server:
        team = Team(project, server)
        orders: dict[str, list[str]] = {"ada": [], "ben": []}
        for who, found in orders.items():
            for n in range(1, 31):
                page = team.page(who, f"item/{n}").text
                assert "system-" not in page
                found.append(page.split('data-first="')[1][0])
        assert all(8 <= found.count("a") <= 22 for found in orders.values())
        assert orders["ada"] != orders["ben"]
        again = team.page("ada", "item/1").text.split('data-first="')[1][0]
        assert again == orders["ada"][0], "a page that is opened again shows the same order"


@pytest.mark.slow
def test_the_tokens_are_in_no_log(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    with serving_apart(project) as server:
        Team(project, server).sends("ada", 1, YES)
        assert ask(server.address + "/a/wrong/").status == 403
        server.process.terminate()
        out, errors = server.process.communicate(timeout=20)
    token = server.links["ada"].split("/a/")[1].strip("/")
    assert token not in errors
    assert "/a/" not in errors + out


def test_the_first_of_two_summaries_is_whichever_one_sees_first(tmp_path: Path) -> None:
    [one] = [one for one in items() if one.kind == "preference"]
    says_a = {name: {"preferred": "a", "first": "b"} for name in ("m1", "m2", "m3")}
    given = [replace(one, id=f"pair {n}", models=says_a) for n in range(8)]
    project = project_of(
        tmp_path / "p", given, "ada ben eve", overlap=2, order="given", verdicts=True,
        prelabels=Prelabels.AFTER,
    )  # fmt: skip
    with serving(project) as server:
        team = Team(project, server)
        seen = set()
        for n in range(1, 9):
            page = team.page("ada", f"item/{n}").text
            first = page.split('data-first="')[1][0]
            seen.add(first)
            words = f"the {'first' if first == 'a' else 'second'} shown is better"
            shown = ask(f"{server.links['ada']}item/{n}/verdicts", {}).json["verdicts"]
            assert [lines for _, lines in shown] == [[words]] * 3
            team.sends("ada", n, {"preferred": "a", "first": "b"})
            [label] = team.labels(annotator="ada", item=f"pair {n - 1}")
            assert label.answer == {"preferred": "a", "first": first}, "as it was shown"
            assert "the same answer" in team.page("ada", f"after/{n}").text
            team.sends("ben", n, {"preferred": "a"})
            page = team.page("eve", f"dispute/{n}").text
            of_eve = page.split('data-first="')[1][0]
            right, wrong = ("first", "second") if of_eve == "a" else ("second", "first")
            assert page.count(f"the {right} shown is better") == 2
            assert f"the {wrong} shown is better" not in page
        assert seen == {"a", "b"}


def test_the_list_of_ones_items_is_paged(tmp_path: Path) -> None:
    project = project_of(
        tmp_path / "p", [small(n) for n in range(130)], "ada", overlap=1, order="given"
    )
    with serving(project) as server:
        for page, rows in (("1", 100), ("2", 30), ("x", 100), ("99999999", 100), ("9", 0)):
            assert ask(f"{server.links['ada']}mine?page={page}").text.count("<tr><td>") == rows


def test_what_is_kept_is_plain_json(everything: Team) -> None:
    for row in everything.project.store.connection.execute("SELECT answer FROM labels"):
        assert json.loads(row[0]) is not None
