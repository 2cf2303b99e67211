"""Annotations that KRM functions and their orchestrators exchange.

Source: the KRM functions specification (kustomize's
`cmd/config/docs/api-conventions/functions-spec.md`), and what kustomize 5.8 and kpt 1.0 send.
"""

VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")
# The second of each pair is the newer form; kyaml calls the first one legacy (kio/kioutil), and
# orchestrators send both.
PATHS = ("config.kubernetes.io/path", "internal.config.kubernetes.io/path")
"""The annotations with the file of an item."""
INDICES = ("config.kubernetes.io/index", "internal.config.kubernetes.io/index")
"""The annotations with the index of the document in that file."""
IDS = ("config.k8s.io/id", "internal.config.kubernetes.io/id")
"""The annotations with the identifier of an item in the function's input."""
RESERVED = "internal.config.kubernetes.io/"
"""The prefix of annotations that only the function and its orchestrator use."""
