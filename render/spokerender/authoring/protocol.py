"""The messages of `extension.proto`, and what its methods are called.

They are declared here and not generated: generated code asks for a protobuf of its own version or
of the next one, and who installs this beside others has whichever they take. A test holds that
`protoc` makes the same of the `.proto` file, which is for everybody else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

VERSION = 1
"""The version of the protocol that is spoken."""
SOCKET = "SPOKERENDER_EXTENSION_SOCKET"
"""The environment variable that tells an extension where to listen."""
LARGEST = 32 << 20
"""In bytes, of one message: more than all objects of a spoke have."""
PACKAGE = "spokerender.extension.v1"
SERVICE = f"{PACKAGE}.Extension"

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
    "uint32": _FIELD.TYPE_UINT32,
}
MESSAGES: Mapping[str, Mapping[str, str]] = {
    "HandshakeRequest": {"protocol": "uint32", "spokerender": "string", "name": "string"},
    "HandshakeReply": {"protocol": "uint32", "name": "string", "version": "string"},
    "Kind": {"group": "string", "kind": "string"},
    "RegisterRequest": {},
    "Registration": {"transformers": "[]Transformer", "subscriptions": "[]Subscription"},
    "Transformer": {"kind": "Kind", "reads": "[]Kind", "writes": "[]Kind"},
    "Subscription": {"kind": "Kind", "expression": "string"},
    "Question": {
        "metapolicy_json": "bytes",
        "spoke_json": "bytes",
        "item_json": "[]bytes",
        "answers": "[]Answer",
    },
    "Answer": {"expression": "string", "value_json": "bytes", "problem": "string"},
    "Reply": {
        "queries": "[]string",
        "item_json": "[]bytes",
        "results": "[]Result",
        "problem": "string",
    },
    "Result": {"severity": "string", "message": "string", "field": "string", "cure": "string"},
    "Event": {
        "kind": "Kind",
        "namespace": "string",
        "name": "string",
        "spoke": "string",
        "expression": "string",
        "value_json": "bytes",
    },
    "Noted": {},
}
"""The fields of each message in the order of their numbers; `[]` repeats."""
METHODS: Mapping[str, tuple[str, str]] = {
    "Handshake": ("HandshakeRequest", "HandshakeReply"),
    "Register": ("RegisterRequest", "Registration"),
    "Transform": ("Question", "Reply"),
    "Notify": ("Event", "Noted"),
}
"""What each method takes and gives."""


def declared() -> descriptor_pb2.FileDescriptorProto:
    """The messages as a descriptor pool takes them."""
    file = descriptor_pb2.FileDescriptorProto(
        name="extension.proto", package=PACKAGE, syntax="proto3"
    )
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, said) in enumerate(fields.items(), 1):
            made = message.field.add(name=field, number=number)
            made.label = _FIELD.LABEL_REPEATED if said.startswith("[]") else _FIELD.LABEL_OPTIONAL
            kind = said.removeprefix("[]")
            made.type = _SCALARS.get(kind, _FIELD.TYPE_MESSAGE)
            if kind not in _SCALARS:
                made.type_name = f".{PACKAGE}.{kind}"
    return file


@cache
def _classes() -> Mapping[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(declared())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in MESSAGES
    }


def message(name: str, /, **fields: Any) -> Any:  # noqa: ANN401  (of a class that protobuf makes)
    """A message of that type."""
    return _classes()[name](**fields)


def parser(name: str) -> Any:  # noqa: ANN401  (a method of such a class)
    """What makes a message of that type of bytes."""
    return _classes()[name].FromString


def encoded(data: Any) -> bytes:  # noqa: ANN401  (JSON of any shape)
    """A JSON value as the protocol has it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def decoded(data: bytes) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What a JSON value is.

    Raises:
        ValueError: it is none, or has what Kubernetes' JSON has not: NaN, Infinity.

    """
    return json.loads(data.decode(), parse_constant=_refuse)


def _refuse(text: str) -> None:
    message_ = f"{text} is no JSON"
    raise ValueError(message_)
