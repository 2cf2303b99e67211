"""Hub files from texts."""

from textwrap import dedent

from spokerender.model import Origin
from spokerender.topology.hub import Hub, read_hub

CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}"


def read(files: dict[str, str] | str) -> Hub:
    named = {"hub/a.yaml": files} if isinstance(files, str) else files
    return read_hub([(path, dedent(text).encode()) for path, text in named.items()])


def contents(hub: Hub) -> list[tuple[str, Origin]]:
    return [(str(manifest.ref), manifest.origin) for manifest in hub.manifests]
