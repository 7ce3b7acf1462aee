"""A model server in a process of its own: answers follow from the request, and so do latencies.

``python tests/grid/answering_server.py --log calls.log --seconds 0.5 1.5`` prints its base URL.
The log gets one line for each request that arrived: the moment in seconds, the digest of what was
asked (model, messages, seed), and the latency that was drawn for it.
"""

import argparse
import asyncio
import hashlib
import json
import random
import time
from pathlib import Path
from typing import Any, TextIO

ISSUES = '{"issues": [{"kind": "conflict", "sentences": [[1, 1], [2, 1]], "detail": "x"}]}'
STRATEGIES = '{"strategies": [{"conflict": 1, "cause": "update", "strategy": "The later."}]}'


def digest(model: str, messages: list[dict[str, str]], seed: int | None) -> str:
    """What tells requests apart; steps differ in their messages, so their form need not count."""
    asked = json.dumps([model, [[m["role"], m["content"]] for m in messages], seed])
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def of_body(body: dict[str, Any]) -> str:
    return digest(body["model"], body["messages"], body.get("seed"))


def answer(body: dict[str, Any]) -> str:
    """An answer that every step can use, and that depends on nothing but what was asked."""
    if body.get("grammar") == "root ::= [1-5]":
        return str(1 + int(of_body(body), 16) % 5)
    form = json.dumps(body.get("response_format") or "")
    if '"issues"' in form or '\\"issues\\"' in form:
        return ISSUES
    if len(body["messages"]) == 3:
        return STRATEGIES
    word = of_body(body)[:8]
    if body.get("response_format"):
        sentences = [f"The ferry {word} sank.", f"Nine of {word} are missing."]
        return json.dumps({"sentences": sentences})
    return f"The ferry {word} sank. Nine are missing."


def latency(name: str, least: float, most: float) -> float:
    """Seconds drawn for a request, the same each time it is made."""
    return random.Random(name).uniform(least, most)


def reply(body: dict[str, Any]) -> bytes:
    text = answer(body)
    used = {"prompt_tokens": sum(len(m["content"]) for m in body["messages"]) // 4}
    used["completion_tokens"] = len(text) // 4
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
    return json.dumps(whole | {"choices": [choice], "usage": used}).encode()


async def serve(least: float, most: float, log: TextIO) -> None:
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = 0
                for line in head.lower().split(b"\r\n"):
                    if line.startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                content = await reader.readexactly(length)
                payload = b'{"data": []}'
                if head.startswith(b"POST"):
                    body = json.loads(content)
                    name = of_body(body)
                    seconds = latency(name, least, most)
                    log.write(f"{time.time():.4f} {name} {seconds:.4f}\n")
                    log.flush()
                    await asyncio.sleep(seconds)
                    payload = reply(body)
                start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                writer.write(f"{start}content-length: {len(payload)}\r\n\r\n".encode() + payload)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0, limit=1 << 24, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--seconds", type=float, nargs=2, default=(0.0, 0.0))
    options = parser.parse_args()
    with options.log.open("a", encoding="utf-8") as log:
        least, most = options.seconds
        asyncio.run(serve(least, most, log))


if __name__ == "__main__":
    main()
