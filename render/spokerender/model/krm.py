"""What KRM functions and those who run them say to each other, whichever side we are on.

Source: the KRM functions specification (kustomize's
`cmd/config/docs/api-conventions/functions-spec.md`), and what kustomize 5.8 and kpt 1.0 send.
"""

from __future__ import annotations

VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")
PATHS = ("config.kubernetes.io/path", "internal.config.kubernetes.io/path")
"""Annotations: which file an item is in."""
INDICES = ("config.kubernetes.io/index", "internal.config.kubernetes.io/index")
"""Annotations: which document of that file it is."""
IDS = ("config.k8s.io/id", "internal.config.kubernetes.io/id")
"""Annotations: which of the items that a function was given it is."""
RESERVED = "internal.config.kubernetes.io/"
"""What annotations begin with that are between a function and who runs it."""
