"""Speaking with an extension: each call with a time limit, each message with a size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what goes wrong is told by us

import grpc

from spokerender import __version__
from spokerender.authoring import protocol

_OPTIONS = (
    ("grpc.max_receive_message_length", protocol.LARGEST),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 10),  # it may not listen yet
    ("grpc.min_reconnect_backoff_ms", 10),
    ("grpc.max_reconnect_backoff_ms", 50),
)
_WORDS: Mapping[grpc.StatusCode, str] = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "it has not answered {what} after {seconds:g} seconds",
    grpc.StatusCode.UNAVAILABLE: "it ended, or closed its socket, before it answered",
    grpc.StatusCode.CANCELLED: "it took its answer back",
    grpc.StatusCode.UNIMPLEMENTED: "it does not serve {what} of spokerender.extension.v1",
    grpc.StatusCode.INTERNAL: "it answers {what} with rubbish",
    grpc.StatusCode.RESOURCE_EXHAUSTED: f"it answers {{what}} with more than {protocol.LARGEST:,} "
    "bytes",
}


class BrokenError(Exception):
    """An extension does not do as the protocol says; `died` where its process may have ended."""

    def __init__(self, message: str, *, died: bool = False) -> None:
        """The message is about the extension, which is called "it"."""
        super().__init__(message)
        self.died = died


class Asked(Struct, frozen=True):
    """A question, as the protocol has it."""

    metapolicy: bytes
    spoke: bytes
    items: tuple[bytes, ...]


Answer = tuple[str, bytes, str]
"""An expression, what it comes to, and why to nothing, if it does."""


class Calls:
    """An extension that listens on a socket."""

    def __init__(self, socket: Path) -> None:
        """Open a channel; nothing is said yet."""
        self._channel = grpc.insecure_channel(f"unix://{socket}", options=_OPTIONS)

    def close(self) -> None:
        """End all calls."""
        self._channel.close()

    def handshake(self, name: str, seconds: float) -> Any:  # noqa: ANN401  (a message)
        """Who it says it is. Raises `BrokenError`."""
        request = protocol.message(
            "HandshakeRequest", protocol=protocol.VERSION, spokerender=__version__, name=name
        )
        return self._call("Handshake", request, seconds)

    def register(self, seconds: float) -> Any:  # noqa: ANN401  (a message)
        """What it transforms. Raises `BrokenError`."""
        return self._call("Register", protocol.message("RegisterRequest"), seconds)

    def notify(self, event: Any, seconds: float) -> None:  # noqa: ANN401  (a message)
        """Tell it of a change. Raises `BrokenError`."""
        self._call("Notify", event, seconds)

    def transform(self, asked: Asked, answers: Iterable[Answer], seconds: float) -> Any:  # noqa: ANN401
        """What it replies to a question (a message). Raises `BrokenError`."""
        question = protocol.message(
            "Question",
            metapolicy_json=asked.metapolicy,
            spoke_json=asked.spoke,
            item_json=asked.items,
            answers=[
                protocol.message("Answer", expression=source, value_json=value, problem=problem)
                for source, value, problem in answers
            ],
        )
        return self._call("Transform", question, seconds)

    def _call(self, name: str, request: Any, seconds: float) -> Any:  # noqa: ANN401  (messages)
        try:
            return self._channel.unary_unary(*_method(name))(request, timeout=seconds)
        except grpc.RpcError as error:
            raise _broken(error, name, seconds) from error


def _method(name: str) -> tuple[str, Callable[[Any], bytes], Callable[[bytes], Any]]:
    _, answer = protocol.METHODS[name]
    return (
        f"/{protocol.SERVICE}/{name}",
        lambda message: bytes(message.SerializeToString()),
        protocol.parser(answer),
    )


def _broken(error: Any, what: str, seconds: float) -> BrokenError:  # noqa: ANN401  (a grpc.RpcError)
    code = error.code()
    words = _WORDS.get(code, "it fails: {details}")
    details = str(error.details() or code.name).splitlines()[0][:500]
    message = words.format(seconds=seconds, what=what, details=details)
    return BrokenError(message, died=code is grpc.StatusCode.UNAVAILABLE)
