"""Serve the protocol in an extension's own process."""

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
"""Takes a request and returns the reply."""


def serve(methods: dict[str, Method], socket: str) -> None:
    """Serve methods of the protocol on a socket until SIGTERM, one call at a time."""
    server = grpc.server(
        ThreadPoolExecutor(max_workers=1),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    handlers = {name: _handler(name, method) for name, method in methods.items()}
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(protocol.SERVICE, handlers)]
    )
    server.add_insecure_port(f"unix://{os.path.abspath(socket)}")  # noqa: PTH100  (links stay: a path that is resolved may be too long)
    is_ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_ended.set())
    server.start()
    is_ended.wait()
    server.stop(_GRACE_SECONDS).wait()


def _handler(name: str, method: Method) -> Any:  # noqa: ANN401  (grpc has no types)
    request_type, _ = protocol.METHODS[name]
    return grpc.unary_unary_rpc_method_handler(
        lambda request, _: method(request),
        protocol.parser(request_type),
        lambda message: bytes(message.SerializeToString()),
    )
