"""A key is read from the environment, sent to its own server, and shows nowhere else."""

import logging
import pickle
import traceback
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UsageError
from globesumm.llm.addresses import Address
from globesumm.llm.backends import open_model
from globesumm.llm.errors import KeyRefused, ModelError, NoKey
from globesumm.llm.openai_compatible import OpenAICompatible
from tests.llm.conftest import Answer, QuirkServer, ask, choice, reply

CANARY = "sk-canary-7f3a9b2e1d"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVER_KEY", f" {CANARY}\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-other-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")


def test_a_canary_key_is_sent_and_appears_nowhere_else(
    server: QuirkServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    echo = f"Incorrect key {CANARY} for you"
    answers: list[Answer] = [
        Answer(),
        Answer(reply(f"Your key is {CANARY}.", model=CANARY, system_fingerprint=CANARY)),
        Answer(reply() | choice(content=f"{CANARY}", reasoning=CANARY)),
        Answer(reply() | choice("length", content=CANARY)),
        Answer(reply() | choice("stop", content=None, refusal=echo)),
        Answer({"error": {"message": echo}}, 401),
        Answer({"error": {"message": echo, "code": CANARY}}, 400),
        Answer(echo, 422),
        Answer(f"<html>{echo}", kind="text/html"),
        Answer({"error": {"message": f"model {CANARY} does not exist"}}, 404),
        Answer(fault="reset"),
        Answer(fault="cut"),
    ]
    server.models = {"data": [{"id": CANARY}]}
    seen: list[str] = []
    with caplog.at_level(logging.DEBUG):
        for number, answer in enumerate(answers):
            server.replies(answer)
            store = tmp_path / "calls.sqlite"
            with open_model(
                "tiny", server.url, key_variable="MY_SERVER_KEY", store=store, attempts=1
            ) as model:
                try:
                    seen.append(repr(model.complete(ask(f"{number}"))))
                except ModelError as error:
                    seen += traceback.format_exception(error)
                    seen.append(repr(vars(error)))
                seen += [repr(model), str(model.facts()), repr(model.backend)]
                seen.append(repr(dict(vars(model.backend))))
                seen.append(repr(list(model.store.failures()) if model.store else None))
    assert len(server.headers) == len(answers)
    assert all(h["authorization"] == f"Bearer {CANARY}" for h in map(_lower, server.headers))
    assert CANARY not in caplog.text
    assert CANARY not in "\n".join(seen)
    assert "[key]" in "\n".join(seen)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert CANARY.encode() not in file.read_bytes()


def _lower(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def test_the_openai_key_and_names_go_to_no_other_server(server: QuirkServer) -> None:
    model = OpenAICompatible("tiny", server.url)
    model.complete(ask())
    sent = repr(server.headers)
    assert "sk-the-other-key" not in sent
    assert "org-mine" not in sent
    model.close()


def test_a_refused_key_names_its_variable(server: QuirkServer) -> None:
    server.replies(Answer({"error": {"message": "no"}}, 401))
    with pytest.raises(KeyRefused, match="came from MY_SERVER_KEY"):
        OpenAICompatible("tiny", server.url, key_variable="MY_SERVER_KEY").complete(ask())
    with pytest.raises(KeyRefused, match="no key was sent"):
        OpenAICompatible("tiny", server.url).complete(ask())


@pytest.mark.parametrize("value", ["", "  ", "sk two words", "sk-é", "sk\x00x"])
def test_an_unusable_key_is_refused_without_being_shown(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    if "\x00" in value:
        monkeypatch.setattr(os, "environ", {"BAD_KEY": value})
    else:
        monkeypatch.setenv("BAD_KEY", value)
    with pytest.raises(NoKey, match="BAD_KEY") as caught:
        OpenAICompatible("tiny", "http://127.0.0.1:9", key_variable="BAD_KEY")
    assert not value.strip() or value not in str(caught.value)


def test_a_backend_cannot_be_pickled_with_its_key(server: QuirkServer) -> None:
    model = OpenAICompatible("tiny", server.url, key_variable="MY_SERVER_KEY")
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(model)


@pytest.mark.parametrize(
    ("written", "url", "official", "local"),
    [
        (None, "https://api.openai.com/v1", True, False),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1", True, False),
        ("http://localhost:11434", "http://localhost:11434/v1", False, True),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/v1", False, True),
        ("http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1", False, True),
        ("https://gpu.example/api/v3", "https://gpu.example/api/v3", False, False),
        ("https://api.openai.com.evil.example/v1", "https://api.openai.com.evil.example/v1",
         False, False),
    ],
)  # fmt: skip
def test_an_address_is_completed_and_placed(
    written: str | None, url: str, *, official: bool, local: bool
) -> None:
    assert Address.read(written) == Address(url, official=official, local=local)


@pytest.mark.parametrize(
    "written",
    ["ftp://host/v1", "http://", "http://host:port", "http://[::1", "file:///etc/passwd",
     "https://user:secret@host/v1", "https://host/v1?key=secret", "http://host/#x", " :// "],
)  # fmt: skip
def test_an_address_that_is_none_or_holds_a_secret_is_refused(written: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.read(written)
    assert "user:secret" not in str(caught.value)


def test_an_environments_proxy_is_not_asked_for_this_machine(
    server: QuirkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    model: Any = OpenAICompatible("tiny", server.url)
    assert model.complete(ask()).text == "Whole."
    model.close()
