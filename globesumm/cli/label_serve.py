"""The pages of a labelling project, for the annotators with their links.

The server listens on 127.0.0.1 unless --host says otherwise, and answers only under the names it
is known by: name those that stand in people's browsers with --name.  Between people's machines
and this one put a server that encrypts (docs/labelling.md).

Examples:
  globesumm label serve study
  globesumm label serve study --host 0.0.0.0 --name labels.example.org

"""

import argparse
from pathlib import Path

from globesumm.cli.label_links import print_links
from globesumm.cli.main import DONE
from globesumm.errors import MissingPackage, UsageError
from globesumm.finite import counted
from globesumm.progress import say

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="(127.0.0.1)")
    parser.add_argument("--port", type=int, default=8765, metavar="N", help="(8765; 0: any free)")
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST",
        help="a name under which people reach it; repeatable, needed with another --host",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    import socket

    from annotation.labels.assignment import assign
    from annotation.labels.deciding import settle
    from annotation.labels.people import make_links
    from annotation.labels.project import Project

    try:
        import uvicorn

        from annotation.labels.server.app import application
    except ModuleNotFoundError as error:
        raise MissingPackage(error.name or "starlette", "label serve", "label") from error
    if options.host not in LOOPBACK and not options.name:
        raise UsageError(
            f"--host {options.host} can be reached from elsewhere: say under which --name, so that "
            "no other name is answered"
        )
    if not 0 <= options.port <= 65535:
        raise UsageError(f"--port is {options.port}: give 0 to 65535")
    project = Project.open(options.project)
    make_links(project)
    planned = assign(project)
    settle(project)
    if not project.settings.annotators:
        say(f"nobody is asked yet: add annotators in {options.project / 'project.toml'}")
    if planned.short:
        say(
            f"fewer people than the overlap asks for: {planned.short} of "
            f"{counted(planned.items, 'item')}"
        )
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
    except OSError as error:
        listening.close()
        raise UsageError(
            f"--port {options.port} of {options.host} cannot be used ({error.strerror}): "
            "choose another, or 0 for any that is free"
        ) from error
    # Whoever follows a printed link at once waits, and is not turned away.
    listening.listen(128)
    port = listening.getsockname()[1]
    if not options.name:
        print_links(project, f"http://{_shown(options.host)}:{port}")
    else:
        print_links(project, f"http://{options.name[0]}:{port}")
    say("the links are personal; stop with Ctrl-C, what was answered is kept")
    config = uvicorn.Config(
        application(project, (*LOOPBACK, options.host, *options.name)),
        log_level="warning",
        # An access log would hold the tokens of the links.
        access_log=False,
        server_header=False,
        # Clients that never finish what they send do not keep the server from stopping.
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[listening])
    return DONE


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
