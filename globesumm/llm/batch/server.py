"""The two endpoints of the Batch API, through the connection of one model."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from globesumm.errors import UsageError
from globesumm.llm.dialect import Dialect
from globesumm.llm.errors import BadAnswer, ModelError
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Completion, Request, parsed
from globesumm.llm.server_replies import blamed, completion_from, error_from
from globesumm.llm.transport import Reply, Transport

ENDPOINT = "/v1/chat/completions"

_SECONDS_A_CALL = 300.0
_MOST_TRIES = 6
_LONGEST_WAIT = 60.0
_MARK = "globesumm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What the server says of a batch.  `output` and `errors` are ids of files, or None.

    `status` is OpenAI's word: validating, in_progress, finalizing, completed, failed, expired,
    cancelling or cancelled; `failed` says why a batch as a whole was refused.
    """

    id: str
    status: str
    output: str | None = None
    errors: str | None = None
    done: int | None = None
    total: int | None = None
    failed: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in ("completed", "failed", "expired", "cancelled")


class BatchServer:
    """Uploads, submits, asks after and downloads; every call is tried a few times.

    `sleep` takes seconds and is there for tests.
    """

    def __init__(
        self,
        transport: Transport,
        dialect: Dialect,
        url: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self._transport, self._dialect, self._sleep = transport, dialect, sleep

    def line(self, request: Request) -> str:
        """`request` as one line of an input file; its key is the line's ``custom_id``."""
        body = self._dialect.phrase(request).body
        plain = {"custom_id": request.key, "method": "POST", "url": ENDPOINT, "body": body}
        return json.dumps(plain)

    def phrasing(self) -> Dialect:
        """How lines are stated now; take it before reading the lines of a batch."""
        return self._dialect.as_now()

    def read(self, response: dict[str, Any], request: Request, phrasing: Dialect) -> Completion:
        """The completion in a line's ``response``; raises the `ModelError` that it means.

        A part of the request that the server refused is stated in another way from then on, so
        that redoing the line helps; the error is retryable then.
        """
        body, status = response.get("body"), response.get("status_code")
        text = body if isinstance(body, str) else json.dumps(body)
        if status == 200:
            return completion_from(text, request, self.url, phrasing.phrase(request).notes)
        reply = Reply(status if isinstance(status, int) else 502, text, {})
        phrased = phrasing.phrase(request)
        aspect = blamed(reply, phrased.ways)
        error = error_from(reply, self.url)
        if aspect and self._dialect.move_on(request, aspect, phrased.ways):
            error.retryable = True
        raise error

    def upload(self, content: bytes, name: str) -> str:
        """The id of the uploaded input file."""
        reply = self._patiently(
            lambda api: api.files.with_streaming_response.create(
                file=(name, content, "application/jsonl"), purpose="batch"
            )
        )
        return _identifier(reply, self.url, "file")

    def submit(self, file: str, mark: str) -> Batch:
        """Start a batch over an uploaded file; `mark` finds it again (see `find`)."""
        # Not tried again after a lost reply: `find` tells whether the batch was made.
        reply = self._once(
            lambda api: api.batches.with_streaming_response.create(
                input_file_id=file,
                endpoint=ENDPOINT,
                completion_window="24h",
                metadata={_MARK: mark},
            )
        )
        return _batch(_object(reply, self.url), self.url)

    def ask(self, identifier: str) -> Batch:
        """How the batch stands."""
        reply = self._patiently(
            lambda api: api.batches.with_streaming_response.retrieve(identifier)
        )
        return _batch(_object(reply, self.url), self.url)

    def find(self, mark: str) -> Batch | None:
        """The batch that was submitted under `mark`, if the server has one among its last."""
        reply = self._patiently(lambda api: api.batches.with_streaming_response.list(limit=100))
        listed = _object(reply, self.url).get("data")
        for one in listed if isinstance(listed, list) else ():
            metadata = one.get("metadata") if isinstance(one, dict) else None
            if isinstance(metadata, dict) and metadata.get(_MARK) == mark:
                return _batch(one, self.url)
        return None

    def lines(self, file: str) -> Iterator[dict[str, Any] | None]:
        """The JSON object of each line of a file, None for a line that is none."""
        reply = self._patiently(
            lambda api: api.files.with_streaming_response.content(file), longest=_LONGEST_FILE
        )
        for line in reply.text.split("\n"):
            if line.strip():
                found = parsed(line)
                yield found if isinstance(found, dict) else None

    def _once(self, open_response: Callable[[Any], Any], longest: int | None = None) -> Reply:
        deadline = time.monotonic() + _SECONDS_A_CALL
        reply = self._transport.exchange(open_response, deadline, longest=longest)
        if reply.status in (404, 405, 501):
            raise UsageError(
                f"{self.url} has no Batch API (HTTP {reply.status}): leave --batch away, or name "
                "a server with /v1/files and /v1/batches"
            )
        if reply.status >= 400:
            raise error_from(reply, self.url)
        return reply

    def _patiently(self, open_response: Callable[[Any], Any], longest: int | None = None) -> Reply:
        wait = 1.0
        for _ in range(_MOST_TRIES - 1):
            try:
                return self._once(open_response, longest)
            except ModelError as error:
                if not error.retryable:
                    raise
                self._sleep(max(wait, error.retry_after or 0.0))
                wait = min(2 * wait, _LONGEST_WAIT)
        return self._once(open_response, longest)


_LONGEST_FILE = 512 * 1024 * 1024


def batch_server(backend: object) -> BatchServer:
    """The Batch API of the server behind `backend`.

    Raises `UsageError` for backends without a server.
    """
    if not isinstance(backend, OpenAICompatible):
        raise UsageError(
            "batches need a model behind an OpenAI-compatible server with /v1/batches; "
            f"{getattr(backend, 'name', backend)!r} is none"
        )
    return BatchServer(*backend.connection())


def _object(reply: Reply, url: str) -> dict[str, Any]:
    found = parsed(reply.text)
    if not isinstance(found, dict):
        raise BadAnswer(f"{url} answered a batch call with no JSON object: {reply.text[:120]!r}")
    return found


def _identifier(reply: Reply, url: str, what: str) -> str:
    found = _object(reply, url).get("id")
    if not isinstance(found, str) or not found:
        raise BadAnswer(f"{url} gave no id of the {what}: {reply.text[:120]!r}")
    return found


def _batch(found: dict[str, Any], url: str) -> Batch:
    identifier, status = found.get("id"), found.get("status")
    if not isinstance(identifier, str) or not isinstance(status, str):
        raise BadAnswer(f"{url} gave a batch without id or status: {json.dumps(found)[:120]}")
    counts = found.get("request_counts")
    told = counts if isinstance(counts, dict) else {}
    done = [told.get(name) for name in ("completed", "failed")]
    return Batch(
        id=identifier,
        status=status,
        output=_text(found.get("output_file_id")),
        errors=_text(found.get("error_file_id")),
        done=sum(n for n in done if isinstance(n, int)) if told else None,
        total=told.get("total") if isinstance(told.get("total"), int) else None,
        failed=_reasons(found.get("errors")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _reasons(errors: object) -> str | None:
    listed = errors.get("data") if isinstance(errors, dict) else None
    said = [str(one.get("message")) for one in listed or () if isinstance(one, dict)]
    return "; ".join(dict.fromkeys(said))[:500] or None
