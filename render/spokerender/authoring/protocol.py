"""The messages and methods of `extension.proto`, for both sides of the protocol.

They are declared here and not generated, since generated code works only with protobuf libraries of
its own version or the next, and an extension may be installed beside packages that need another.
A test compares them with what `protoc` makes of `extension.proto`, which is for other languages.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

VERSION = 1
"""The version of the protocol."""
SOCKET = "SPOKERENDER_EXTENSION_SOCKET"
"""The environment variable with the path of the socket that an extension listens on."""
LARGEST = 32 << 20
"""The largest message, in bytes: more than all objects of a spoke have."""
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
"""The fields of each message with their types, in the order of their numbers; `[]` is repeated."""
METHODS: Mapping[str, tuple[str, str]] = {
    "Handshake": ("HandshakeRequest", "HandshakeReply"),
    "Register": ("RegisterRequest", "Registration"),
    "Transform": ("Question", "Reply"),
    "Notify": ("Event", "Noted"),
}
"""The request and the reply of each method."""


def describe_messages() -> descriptor_pb2.FileDescriptorProto:
    """Return the messages in the form that a descriptor pool takes."""
    file = descriptor_pb2.FileDescriptorProto(
        name="extension.proto", package=PACKAGE, syntax="proto3"
    )
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields.items(), 1):
            is_repeated, name_of_type = kind.startswith("[]"), kind.removeprefix("[]")
            added = message.field.add(name=field, number=number)
            added.label = _FIELD.LABEL_REPEATED if is_repeated else _FIELD.LABEL_OPTIONAL
            added.type = _SCALARS.get(name_of_type, _FIELD.TYPE_MESSAGE)
            if name_of_type not in _SCALARS:
                added.type_name = f".{PACKAGE}.{name_of_type}"
    return file


@cache
def _classes() -> Mapping[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(describe_messages())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in MESSAGES
    }


def build_message(name: str, /, **fields: Any) -> Any:  # noqa: ANN401  (of a class that protobuf makes)
    """Make a message of a type."""
    return _classes()[name](**fields)


def parser(name: str) -> Any:  # noqa: ANN401  (a method of such a class)
    """Return a function that parses a message of a type."""
    return _classes()[name].FromString


def encoded(data: Any) -> bytes:  # noqa: ANN401  (JSON of any shape)
    """Encode a JSON value for a message."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def decoded(data: bytes) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Decode a JSON value of a message. Raises `ValueError`, for NaN and Infinity as well."""
    return json.loads(data.decode(), parse_constant=_refuse)


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
