"""The addresses of the server, and what is the same for all: the link, the size, the errors.

::

    /a/TOKEN/                 progress                   /a/TOKEN/next        what is next
    /a/TOKEN/consent          what people agree to       /a/TOKEN/start/KIND  definitions, example
    /a/TOKEN/item/N           an item; POST its answer   .../later  .../verdicts
    /a/TOKEN/after/N          a model's answer, after    /a/TOKEN/pause       the end of a batch
    /a/TOKEN/dispute/N        for adjudicators           /a/TOKEN/mine        the list of items
    /a/TOKEN/undo             POST: take an answer back  /static/             script and styles
"""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from annotation.labels.people import who_has
from annotation.labels.project import DATABASE, Project
from annotation.labels.server import answering, pages
from annotation.labels.server.answering import Reply
from annotation.labels.server.guard import HEADERS, Guard
from annotation.labels.server.pages import Elsewhere, Page
from annotation.labels.server.tickets import secret
from annotation.labels.server.view import render
from annotation.labels.server.visit import Visit
from annotation.labels.store import in_words
from globesumm.errors import DataError, GlobeSummError

MOST_BYTES = 4 * 1024 * 1024
"""Of a request's body; an answer of two thousand highlights is smaller."""

MOST_SECONDS = 60.0
"""For sending it."""

Handler = Callable[[Visit], Page | Elsewhere | Reply]


class _Number(Convertor[int]):
    """The number of an item; no database holds one of more digits."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("item", _Number())

READ: dict[str, Handler] = {
    "": pages.home,
    "next": pages.go_on,
    "consent": pages.consent,
    "start/{kind}": pages.start,
    "item/{number:item}": pages.item_page,
    "after/{number:item}": pages.after,
    "dispute/{number:item}": pages.dispute,
    "pause": pages.pause,
    "mine": pages.mine,
    "{rest:path}": pages.nowhere,
}
WRITE: dict[str, Handler] = {
    "consent": answering.agreed,
    "start/{kind}": answering.read,
    "item/{number:item}": answering.submit,
    "item/{number:item}/later": answering.later,
    "item/{number:item}/verdicts": answering.show_verdicts,
    "dispute/{number:item}": answering.submit,
    "dispute/{number:item}/verdicts": answering.show_verdicts,
    "undo": answering.take_back,
    "{rest:path}": answering.nowhere,
}
"""Address below /a/TOKEN/ to what answers it."""


def application(project: Project, hosts: Iterable[str]) -> Starlette:
    """The server of `project`, which answers under the names `hosts` only."""
    key = secret(project.store)
    routes = [
        Route(f"/a/{{token}}/{path}", _endpoint(project, key, handler), methods=[method])
        for method, table in (("GET", READ), ("POST", WRITE))
        for path, handler in table.items()
    ]
    static = files("annotation.labels.server").joinpath("static")
    return Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=str(static)))],
        middleware=[Middleware(Guard, hosts=tuple(hosts))],
        exception_handlers={
            HTTPException: _not_there,
            GlobeSummError: _told,
            sqlite3.Error: _not_kept,
            ClientDisconnect: _gone,
            Exception: _failed,
        },
    )


def _endpoint(
    project: Project, key: bytes, handler: Handler
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        token = str(request.path_params["token"])
        who = await run_in_threadpool(who_has, project, token)
        if who is None:
            return HTMLResponse(_outside("This link is not known here.", project), 403)
        visit = Visit(
            project=project,
            key=key,
            token=token,
            who=who,
            number=int(request.path_params.get("number", 0)),
            kind=str(request.path_params.get("kind", "")),
            page=_page_number(request.query_params.get("page", "1")),
            sent=await _sent(request) if request.method == "POST" else {},
        )
        answer = await run_in_threadpool(handler, visit)
        if isinstance(answer, Elsewhere):
            return RedirectResponse(answer.address, 303)
        if isinstance(answer, Reply):
            return JSONResponse(answer.content, answer.status)
        return HTMLResponse(answer.html, answer.status)

    return endpoint


async def _sent(request: Request) -> dict[str, Any]:
    """The JSON object in the body; nothing for a plain form."""
    body = bytearray()
    try:
        async with asyncio.timeout(MOST_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise HTTPException(413, f"more than {MOST_BYTES} bytes were sent")
    except TimeoutError as error:
        raise HTTPException(408, "what was sent did not come to an end") from error
    except asyncio.CancelledError as error:  # the server stops before all was sent
        raise ClientDisconnect from error
    if not _is_json(request):
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise DataError(f"what was sent is no JSON ({error})") from error
    if not isinstance(found, dict):
        raise DataError("what was sent is no JSON object")
    return found


def _is_json(request: Request) -> bool:
    """Whether our script sent it; the rest are plain forms, which want a page."""
    form = request.headers.get("content-type", "").partition(";")[0]
    return form.strip().lower() == "application/json"


def _page_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def _not_there(request: Request, error: Exception) -> Response:
    """Every address that is no page: whoever has no link learns nothing of what is here."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404 and not request.url.path.startswith("/static/"):
        return HTMLResponse(_outside("This page wants your personal link."), 403)
    reason = error.detail if isinstance(error, HTTPException) else "error"
    return JSONResponse({"error": reason}, status)


def _told(request: Request, error: Exception) -> Response:
    return _trouble(request, str(error), 422)


def _not_kept(request: Request, error: Exception) -> Response:
    """The database cannot be read or written: pages try again until it can."""
    path = Path(DATABASE)
    reason = str(in_words(error, path)) if isinstance(error, sqlite3.Error) else str(error)
    return _trouble(request, reason, 503)


def _gone(_: Request, __: Exception) -> Response:
    """Nobody is there any more to read an answer."""
    return Response(status_code=400)


def _failed(request: Request, _: Exception) -> Response:
    """A fault of ours, which the log tells; this answer comes from outside the guard."""
    reply = _trouble(request, "the server failed: whoever runs it finds the reason there", 500)
    reply.headers.update(HEADERS)
    return reply


def _trouble(request: Request, reason: str, status: int) -> Response:
    if request.method == "POST" and _is_json(request):
        return JSONResponse({"error": reason}, status)
    return HTMLResponse(_outside(reason, heading="Not just now"), status)


def _outside(reason: str, project: Project | None = None, heading: str = "") -> str:
    title = project.settings.title if project else "Labelling"
    return render("outside.html.j2", {"reason": reason, "title": title, "heading": heading})
