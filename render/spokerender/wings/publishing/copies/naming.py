"""How a copy is called. Source: kcp-dev/api-syncagent, internal/sync/templating/naming.go."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from spokerender.findings.codes.publishing import BAD_NAME, CLUSTER_SCOPED_NAME
from spokerender.model.names import label_fault, subdomain_fault
from spokerender.wings.publishing.config.published import PublishedSpec
from spokerender.wings.publishing.contexts import Engine, Home, of_object
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.profiles import Profile

_SHORT = 20
_PLACEHOLDER = re.compile(
    r"\$(remoteClusterName|remoteNamespaceHash|remoteNamespace|remoteNameHash|remoteName)"
)
_PATTERN = "{{ .ClusterName }}-{{ .Object.metadata.name }}"


def copy_name(
    data: Mapping[str, Any], spec: PublishedSpec, home: Home, profile: Profile, *, namespaced: bool
) -> tuple[str, str]:
    """The namespace, empty without one, and the name of a copy; `data` is mutated already.

    Raises:
        Refused: a template fails, or no API server takes what it makes.

    """
    engine = Engine(profile)
    pattern = spec.naming.name
    if not pattern and not data["metadata"].get("namespace"):
        message = "the default name of copies is made of the namespace, and there is none"
        cure = f"set naming.name: '{_PATTERN}'"
        raise Refused(CLUSTER_SCOPED_NAME, message, cure, ("spec", "naming", "name"))
    name = _made(pattern or profile.default_name, data, home, engine, "name")
    if subdomain_fault(name):
        raise _refused(name, "name")
    if not namespaced:
        return "", name
    namespace = _made(
        spec.naming.namespace or profile.default_namespace, data, home, engine, "namespace"
    )
    if label_fault(namespace):
        raise _refused(namespace, "namespace")
    return namespace, name


def _refused(made: str, field: str) -> Refused:
    message = f'the copy\'s {field} would be "{made}"'
    cure = "make it of a-z, 0-9 and -, beginning and ending with a letter or digit"
    return Refused(BAD_NAME, message, cure, ("spec", "naming", field))


def _made(pattern: str, data: Mapping[str, Any], home: Home, engine: Engine, field: str) -> str:
    if "{{" in pattern:
        return engine.made(pattern, of_object(data, home), ("spec", "naming", field)).text
    metadata = data["metadata"]
    namespace, name = str(metadata.get("namespace") or ""), str(metadata["name"])
    values = {
        "remoteClusterName": home.cluster,
        "remoteNamespace": namespace,
        "remoteNamespaceHash": sha1(namespace)[:_SHORT],
        "remoteName": name,
        "remoteNameHash": sha1(name)[:_SHORT],
    }
    return _PLACEHOLDER.sub(lambda found: values[found[1]], pattern)


def sha1(text: str) -> str:
    """The hash that upstream tells copies apart by."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
