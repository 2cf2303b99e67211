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
"""The most bytes of a message: all objects of a spoke have fewer."""
PACKAGE = "spokerender.extension.v1"
SERVICE = f"{PACKAGE}.Extension"

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
    "int": _FIELD.TYPE_INT64,
    "int32": _FIELD.TYPE_INT32,
    "uint32": _FIELD.TYPE_UINT32,
    "enum": _FIELD.TYPE_INT32,
    "bool": _FIELD.TYPE_BOOL,
    "double": _FIELD.TYPE_DOUBLE,
}

FieldTypes = Mapping[str, str]
"""The type of each field, by name: `string`, `[]Gateway` (repeated), `7:Expr` (with its number)."""

MESSAGES: Mapping[str, FieldTypes] = {
    "HandshakeRequest": {"protocol": "uint32", "spokerender": "string", "name": "string"},
    "HandshakeReply": {"protocol": "uint32", "name": "string", "version": "string"},
    "Kind": {"group": "string", "kind": "string"},
    "RegisterRequest": {},
    "Registration": {"kinds": "[]Kind"},
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
}
"""The fields of each message."""
METHODS: Mapping[str, tuple[str, str]] = {
    "Handshake": ("HandshakeRequest", "HandshakeReply"),
    "Register": ("RegisterRequest", "Registration"),
    "Transform": ("Question", "Reply"),
}
"""The request and the reply of each method."""


def build_file_descriptor(
    package: str, messages: Mapping[str, FieldTypes], syntax: str = "proto3"
) -> descriptor_pb2.FileDescriptorProto:
    """Return the descriptor of a protobuf file with these message types."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax=syntax
    )
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for place, (field, written) in enumerate(fields.items(), 1):
            number, colon, text = written.rpartition(":")
            kind = text.removeprefix("[]")
            added = message.field.add(name=field, number=int(number) if colon else place)
            added.label = _FIELD.LABEL_REPEATED if kind != text else _FIELD.LABEL_OPTIONAL
            if kind in _SCALARS:
                added.type = _SCALARS[kind]
            else:
                added.type = _FIELD.TYPE_MESSAGE
                added.type_name = kind if kind.startswith(".") else f".{package}.{kind}"
    return file


def describe_messages() -> descriptor_pb2.FileDescriptorProto:
    """Return the descriptor of `extension.proto`, with all messages."""
    file = build_file_descriptor(PACKAGE, MESSAGES)
    file.name = "extension.proto"
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
    """Return a message of the protocol's type `name` with these fields."""
    return _classes()[name](**fields)


def parser(name: str) -> Any:  # noqa: ANN401  (a method of such a class)
    """Return the function that parses bytes as a message of the protocol's type `name`."""
    return _classes()[name].FromString


def encoded(data: Any) -> bytes:  # noqa: ANN401  (JSON of any shape)
    """Return a JSON value as bytes of JSON for a field of a message."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def decoded(data: bytes) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Return the JSON value in a message. Raises `ValueError`, for NaN and Infinity as well."""
    return json.loads(data.decode(), parse_constant=_refuse)


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
