"""The message types that expressions about a topology see, and how data become messages.

The types of `kuadrant.v1` are the operator's (kuadrant-operator v1.5.2, `pkg/extension/grpc/v1`):
they too have no labels, annotations and specs of policies. The types of `spokerender.v1` are ours.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pool, message_factory

from spokerender.authoring.protocol import FieldTypes, build_file_descriptor
from spokerender.model.shapes import Json, as_mapping

_KUADRANT: Mapping[str, FieldTypes] = {
    "Metadata": {"group": "string", "kind": "string", "name": "string", "namespace": "string"},
    "Condition": {
        "type": "string",
        "ConditionStatus": "string",
        "observedGeneration": "int",
        "reason": "string",
        "message": "string",
    },
    "TargetRef": {
        "group": "string",
        "kind": "string",
        "name": "string",
        "namespace": "string",
        "sectionName": "string",
    },
    "PolicyStatus": {"observedGeneration": "int", "conditions": "[]Condition"},
    "Policy": {"metadata": "Metadata", "targetRefs": "[]TargetRef", "status": "PolicyStatus"},
    "Listener": {"name": "string", "hostname": "string", "port": "int", "protocol": "string"},
    "GatewayAddress": {"addressType": "string", "value": "string"},
    "GatewaySpec": {
        "gatewayClassName": "string",
        "listeners": "[]Listener",
        "addresses": "[]GatewayAddress",
    },
    "ListenerStatus": {
        "name": "string",
        "attachedRoutes": "int",
        "conditions": "[]Condition",
    },
    "GatewayStatus": {
        "addresses": "[]GatewayAddress",
        "conditions": "[]Condition",
        "listeners": "[]ListenerStatus",
    },
    "Gateway": {"metadata": "Metadata", "spec": "GatewaySpec", "status": "GatewayStatus"},
    "GatewayClassSpec": {"controllerName": "string"},
    "GatewayClassStatus": {"conditions": "[]Condition"},
    "GatewayClass": {
        "metadata": "Metadata",
        "spec": "GatewayClassSpec",
        "status": "GatewayClassStatus",
    },
}
_OURS: Mapping[str, FieldTypes] = {
    "PathMatch": {"type": "string", "value": "string"},
    "ValueMatch": {"type": "string", "name": "string", "value": "string"},
    "RouteMatch": {
        "path": "PathMatch",
        "headers": "[]ValueMatch",
        "queryParams": "[]ValueMatch",
        "method": "string",
    },
    "BackendRef": {
        "group": "string",
        "kind": "string",
        "namespace": "string",
        "name": "string",
        "port": "int",
    },
    "RouteRule": {
        "name": "string",
        "matches": "[]RouteMatch",
        "backendRefs": "[]BackendRef",
    },
    "RouteSpec": {"hostnames": "[]string", "rules": "[]RouteRule"},
    "Route": {
        "metadata": ".kuadrant.v1.Metadata",
        "hostnames": "[]string",
        "ruleNames": "[]string",
        "spec": "RouteSpec",
    },
    "Listener": {
        "gateway": ".kuadrant.v1.Metadata",
        "name": "string",
        "hostname": "string",
        "port": "int",
        "protocol": "string",
    },
    "Path": {
        "gateway": ".kuadrant.v1.Metadata",
        "listener": "Listener",
        "route": ".kuadrant.v1.Metadata",
        "rule": "string",
        "hostnames": "[]string",
        "name": "string",
        "number": "int",
    },
}
EXPRESSIONS: Mapping[str, FieldTypes] = {
    "CheckedExpr": {
        "reference_map": "2:[]ReferenceEntry",
        "type_map": "3:[]TypeEntry",
        "expr": "4:Expr",
        "source_info": "5:SourceInfo",
    },
    "ReferenceEntry": {"key": "1:int", "value": "2:Reference"},
    "Reference": {"name": "1:string", "overload_id": "3:[]string"},
    "TypeEntry": {"key": "1:int", "value": "2:Type"},
    "Type": {
        "dyn": "1:Nothing",
        "null": "2:enum",
        "primitive": "3:enum",
        "well_known": "5:enum",
        "list_type": "6:ListType",
        "map_type": "7:MapType",
        "message_type": "9:string",
        "type": "11:Type",
        "abstract_type": "14:Nothing",
    },
    "ListType": {"elem_type": "1:Type"},
    "MapType": {"key_type": "1:Type"},
    "Nothing": {},
    "SourceInfo": {"line_offsets": "3:[]int32", "positions": "4:[]Position"},
    "Position": {"key": "1:int", "value": "2:int32"},
    "Expr": {
        "id": "2:int",
        "const_expr": "3:Constant",
        "ident_expr": "4:Ident",
        "select_expr": "5:Select",
        "call_expr": "6:Call",
        "list_expr": "7:CreateList",
        "struct_expr": "8:CreateStruct",
        "comprehension_expr": "9:Comprehension",
    },
    "Constant": {"int64_value": "3:int", "string_value": "6:string"},
    "Ident": {"name": "1:string"},
    "Select": {"operand": "1:Expr", "field": "2:string", "test_only": "3:bool"},
    "Call": {"target": "1:Expr", "function": "2:string", "args": "3:[]Expr"},
    "CreateList": {"elements": "1:[]Expr", "optional_indices": "2:[]int32"},
    "CreateStruct": {"entries": "2:[]Entry"},
    "Entry": {"map_key": "3:Expr", "value": "4:Expr", "optional_entry": "5:bool"},
    "Comprehension": {
        "iter_range": "2:Expr",
        "accu_init": "4:Expr",
        "loop_condition": "5:Expr",
        "loop_step": "6:Expr",
        "result": "7:Expr",
        "iter_var": "1:string",
        "accu_var": "3:string",
    },
}
"""The fields of `cel.expr.CheckedExpr` that are read (cel-spec, `checked.proto`)."""
_MOST = 2**63
PACKAGES: Mapping[str, Mapping[str, FieldTypes]] = {
    "kuadrant.v1": _KUADRANT,
    "spokerender.v1": _OURS,
}


@cache
def pool() -> descriptor_pool.DescriptorPool:
    """Return a protobuf descriptor pool with all message types of `PACKAGES`."""
    pool = descriptor_pool.DescriptorPool()
    previous = ""
    for package, messages in PACKAGES.items():
        file = build_file_descriptor(package, messages)
        file.dependency.extend([previous] if previous else [])
        pool.Add(file)
        previous = file.name
    return pool


@cache
def _class(name: str) -> Any:  # noqa: ANN401  (a class that protobuf makes)
    return message_factory.GetMessageClass(pool().FindMessageTypeByName(name))


def message(name: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401  (of a class made above)
    """Return a message of the type `name`; `data` may leave out fields."""
    return _class(name)(**data)


def select_fields(name: str, data: Json) -> dict[str, Any]:
    """Return the fields of an object that the message type `name` has, if their types are right."""
    fields: dict[str, Any] = {}
    for field, written in _OURS[name].items():
        kind = written.removeprefix("[]")
        value = as_mapping(data).get(field)
        items = value if isinstance(value, list) and kind != written else [value]
        if kind in _OURS:
            items = [select_fields(kind, item) for item in items if isinstance(item, Mapping)]
        else:
            items = [item for item in items if _is_of(kind, item)]
        if items:
            fields[field] = items if kind != written else items[0]
    return fields


def _is_of(kind: str, value: Json) -> bool:
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool) and -_MOST <= value < _MOST
    return isinstance(value, str)


def is_message(value: object) -> bool:
    """Return whether a value is a message."""
    return hasattr(value, "DESCRIPTOR")


def type_of(value: Any) -> str:  # noqa: ANN401  (a message)
    """Return the name of a message's type."""
    return str(value.DESCRIPTOR.full_name)


def convert_message(value: Any) -> dict[str, Any]:  # noqa: ANN401  (a message)
    """Return a message as JSON data: the fields that are set, in the order of its type."""
    return {field.name: _data(item) for field, item in value.ListFields()}


def _data(value: Any) -> Any:  # noqa: ANN401  (a field's value)
    if is_message(value):
        return convert_message(value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_data(item) for item in value]
    return value
