"""The other side of the protocol: what the SDK serves with, in an extension's own process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from spokerender.authoring import protocol

_GRACE_SECONDS = 1.0

Method = Callable[[Any], Any]
"""From a message to a message."""


def serve(methods: dict[str, Method], socket: str) -> None:
    """Serve these methods of the protocol on a socket until SIGTERM comes, one call at a time."""
    server = grpc.server(
        ThreadPoolExecutor(max_workers=1),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    handlers = {name: _handler(name, method) for name, method in methods.items()}
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(protocol.SERVICE, handlers)]
    )
    server.add_insecure_port(f"unix://{os.path.abspath(socket)}")  # noqa: PTH100  (no link followed)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    server.start()
    ended.wait()
    server.stop(_GRACE_SECONDS).wait()


def _handler(name: str, method: Method) -> Any:  # noqa: ANN401  (grpc has no types)
    taken, _ = protocol.METHODS[name]
    return grpc.unary_unary_rpc_method_handler(
        lambda request, _: method(request),
        protocol.parser(taken),
        lambda message: bytes(message.SerializeToString()),
    )
