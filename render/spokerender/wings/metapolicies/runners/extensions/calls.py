"""The calls to an extension: inputs and outputs as messages, within limits of time and size."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# Before the import, which reads it: gRPC would write its own view of a failure to standard error.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc

from spokerender import __version__
from spokerender.authoring import protocol
from spokerender.findings.codes.metapolicies import CHECKED, FAILED
from spokerender.findings.results import Fault, Severity
from spokerender.formats import yamlio
from spokerender.model.memo import memoised
from spokerender.model.shapes import Json, plain_json
from spokerender.wings.metapolicies.functions import (
    Computed,
    FunctionInput,
    FunctionOutput,
    RefusedError,
    ReportFinding,
)

_OPTIONS = (
    ("grpc.max_receive_message_length", protocol.LARGEST),
    ("grpc.max_send_message_length", -1),
    # A proxy in the environment must not see calls over a local socket.
    ("grpc.enable_http_proxy", 0),
    # Channels to sockets of one path would otherwise share a broken connection.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 10),  # it may not listen yet
    ("grpc.min_reconnect_backoff_ms", 10),
    ("grpc.max_reconnect_backoff_ms", 50),
)
_PROBLEMS: Mapping[grpc.StatusCode, str] = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "it does not answer {call} within {seconds:g} seconds",
    grpc.StatusCode.UNAVAILABLE: "it ended, or closed its socket, before it answered",
    grpc.StatusCode.CANCELLED: "it cancelled its answer",
    grpc.StatusCode.UNIMPLEMENTED: "it does not serve {call} of spokerender.extension.v1",
    grpc.StatusCode.INTERNAL: "it answers {call} with a message that can't be read",
    grpc.StatusCode.RESOURCE_EXHAUSTED: (
        f"it answers {{call}} with more than {protocol.LARGEST:,} bytes"
    ),
}


class ExtensionError(Exception):
    """An extension violates the protocol; `died` is True if its process may have ended."""

    def __init__(self, message: str, *, died: bool = False) -> None:
        super().__init__(message)
        self.died = died


class ExtensionCalls:
    """The calls to an extension that listens on a socket; `seconds` is the limit of a call."""

    def __init__(self, socket: Path) -> None:
        self._channel = grpc.insecure_channel(f"unix://{socket}", options=_OPTIONS)

    def close(self) -> None:
        """Cancel all calls."""
        self._channel.close()

    def handshake(self, name: str, seconds: float) -> Any:  # noqa: ANN401  (a message)
        """Return the extension's own name, version and protocol. Raises `ExtensionError`."""
        request = protocol.build_message(
            "HandshakeRequest", protocol=protocol.VERSION, spokerender=__version__, name=name
        )
        return self._call("Handshake", request, seconds)

    def register(self, seconds: float) -> Any:  # noqa: ANN401  (a message)
        """Return the kinds that the extension transforms. Raises `ExtensionError`."""
        return self._call("Register", protocol.build_message("RegisterRequest"), seconds)

    def transform(self, question: Json, seconds: float) -> Json:
        """Return the extension's reply to an input and answers. Raises `ExtensionError`."""
        return self._call("Transform", question, seconds)

    def _call(self, name: str, request: Json, seconds: float) -> Json:
        method = self._channel.unary_unary(
            f"/{protocol.SERVICE}/{name}",
            lambda message: bytes(message.SerializeToString()),
            protocol.parser(protocol.METHODS[name][1]),
        )
        try:
            return method(request, timeout=seconds)
        except grpc.RpcError as error:
            code = error.code()
            text = _PROBLEMS.get(code, "it fails: {details}")
            # The first line, and not all of it: the text is an extension's.
            details = str(error.details() or code.name).splitlines()[0][:500]
            message = text.format(seconds=seconds, call=name, details=details)
            raise ExtensionError(message, died=code is grpc.StatusCode.UNAVAILABLE) from error


class ExtensionQuestion:
    """An input for an extension, encoded, and the answers to its queries, each evaluated once.

    `answers` has the answers to send to the extension, by expression.
    """

    def __init__(self, request: FunctionInput) -> None:
        self._request = request
        self._input = protocol.build_message(
            "Question",
            metapolicy_json=protocol.encoded(request.metapolicy),
            spoke_json=protocol.encoded(plain_json(request.spoke)),
            item_json=map(protocol.encoded, request.items),
        )
        self.answers: dict[str, Json] = {}

    def digest(self) -> bytes:
        """Return a hash of the input and its definition; equal inputs have equal hashes."""
        # No name of a definition has a NUL, so that no two inputs join to the same bytes.
        parts = self._request.definition.encode(), self._input.SerializeToString(deterministic=True)
        return hashlib.blake2b(b"\0".join(parts), digest_size=32).digest()

    def message(self) -> Json:
        """Return the message to the extension: the input, and the answers so far."""
        message = protocol.build_message("Question", answers=self.answers.values())
        message.MergeFrom(self._input)
        return message

    def begin(self, expected: Iterable[str]) -> None:
        """Evaluate the queries that the extension will probably send, which saves it a call."""
        self.answers.clear()
        for source in expected:
            self.answer(source)

    def answer(self, source: str) -> Json:
        """Return the answer to a query, a message."""
        self.answers[source] = answer = self._evaluate(source)
        return answer

    @memoised
    def _evaluate(self, source: str) -> Json:
        fields: dict[str, Any] = {}
        try:
            fields["value_json"] = protocol.encoded(self._request.query(source))
        except RefusedError as error:
            fields["problem"] = "; ".join(fault.message for fault in error.faults)
        return protocol.build_message("Answer", expression=source, **fields)

    def decode(self, reply: Json) -> FunctionOutput | Fault:
        """Decode a reply. Raises `ExtensionError` if it is invalid."""
        if reply.problem:
            return Fault(FAILED, f"its function fails: {reply.problem[:2000]}")
        # Items that come back as they went out are not decoded again.
        unchanged = dict(zip(self._input.item_json, self._request.items, strict=True))
        items = [
            unchanged[data] if data in unchanged else _decode_item(data) for data in reply.item_json
        ]
        return FunctionOutput(items, [_decode_result(result) for result in reply.results])


def _decode_result(result: Any) -> ReportFinding:  # noqa: ANN401  (a message)
    severity = result.severity or Severity.ERROR
    if severity not in list(Severity):
        raise ExtensionError(f"it reports a finding of the severity {severity[:50]!r}")
    texts = result.message, result.cure, result.field
    text, cure, field = (Computed(text) if text else "" for text in texts)
    return ReportFinding(CHECKED, text, cure, field, Severity(severity))


def _decode_item(data: bytes) -> dict[str, Any]:
    """Decode an object that is new or changed, with the checks that the hub's files get."""
    documents, problems = yamlio.read(data, "its answer")
    if problems:
        raise ExtensionError(f"it returns an item that can't be read: {problems[0].message}")
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise ExtensionError("it returns an item that is no object")
    return dict(documents[0].value)
