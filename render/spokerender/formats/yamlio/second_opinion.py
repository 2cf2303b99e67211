"""A second opinion on a text before it is edited: ruamel.yaml reads YAML 1.2, PyYAML YAML 1.1.

They disagree about line ends, tabs, colons and quotes at the edges. The people and programs that
read a file are of either kind, so a text is edited only where both see the same nodes in it.
"""

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from spokerender.formats.yamlio.nodes import Alias, Node, Scalar, list_nodes


def find_disagreement(text: str, root: Node) -> int | None:
    """Return the line, counted from 0, of the first node that YAML 1.2 reads otherwise, if any."""
    nodes = iter(list_nodes(root))
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            if not isinstance(event, NodeEvent):
                continue
            node = next(nodes, None)
            if node is None or not _is_same(node, event):
                return int(event.start_mark.line)
    except MarkedYAMLError as error:
        return int(error.problem_mark.line) if error.problem_mark else 0
    rest = next(nodes, None)
    return None if rest is None else int(rest.start.line)


def _is_same(node: Node, event: NodeEvent) -> bool:
    if isinstance(node, Scalar) and not node.text:
        return isinstance(event, ScalarEvent) and not event.value  # nothing is anywhere
    if node.start.index != event.start_mark.index:
        return False
    if isinstance(node, Alias):
        return isinstance(event, AliasEvent)
    if isinstance(node, Scalar):
        return isinstance(event, ScalarEvent) and node.text == event.value
    is_mapping = isinstance(event, MappingStartEvent)
    return isinstance(event, CollectionStartEvent) and node.is_mapping == is_mapping
