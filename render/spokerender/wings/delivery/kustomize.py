"""kustomize, through which every engine reads a spoke's folder.

kustomize obeys annotations of objects. Other tools' files in a spoke's folder can keep the whole
folder from being applied. Tried with kubectl kustomize 5.5.
"""

from spokerender.kinds.marks import Mark, weak_mark
from spokerender.rendering.values.engines import Steering
from spokerender.topology.objects import LOCAL_CONFIG, is_local

_TAKEN = "kustomize takes it away, so that no spoke gets it"
_FUNCTION = "kustomize runs functions by it where a kustomization says so"

# Sources: kustomize, api/internal/target (objects that it leaves out),
# api/internal/utils/annotations.go (its own notes), api/resource/resource.go (annotations that it
# removes).
MARKS = (
    Mark(LOCAL_CONFIG, "kustomize leaves the object out", acts=is_local),
    Mark(
        "internal.config.kubernetes.io/",
        "kustomize takes it for a note of its own, by which it renames or replaces objects",
    ),
    *(
        weak_mark(key, _TAKEN)
        for key in (
            "alpha.config.kubernetes.io/transformations",
            "config.k8s.io/id",
            "config.k8s.io/index",
            "config.k8s.io/path",
            "config.kubernetes.io/id",
            "config.kubernetes.io/index",
            "config.kubernetes.io/origin",
            "config.kubernetes.io/path",
            "config.kubernetes.io/seqindent",
        )
    ),
    weak_mark("config.k8s.io/function", _FUNCTION),
    weak_mark("config.kubernetes.io/function", _FUNCTION),
    weak_mark("kustomize.config.k8s.io/", _FUNCTION),
)

_SECOND = "kustomize refuses a folder with a second kustomization, so that nothing is applied"
# The names of a kustomization file: kustomize, api/konfig/general.go.
STEERINGS = (
    Steering("kustomization.yml", _SECOND),
    Steering("Kustomization", _SECOND),
    # gitattributes(5): line ends, encodings and `$Id$` of what is checked out.
    Steering(".gitattributes", "Git changes by it what an engine gets to read", is_below=True),
    Steering(".git", "Git has what is there in another repository", is_below=True),
)
ATTRIBUTES = ("filter", "ident", "working-tree-encoding", "export-ignore", "export-subst")
"""The attributes by which Git changes what an engine gets to read (gitattributes(5))."""
_WHOLE = "kustomize applies by it what lies around it, spokes or not"
OUTPUT_STEERINGS = tuple(
    Steering(name, _WHOLE) for name in ("kustomization.yaml", "kustomization.yml", "Kustomization")
)
"""Files that change what is applied if they are in the output folder itself."""
_WITH_OURS = "who applies what is there applies it as well, to the cluster that delivers"
FLEET_STEERINGS = (
    *(Steering(f"*.{end}", _WITH_OURS, is_below=True) for end in ("yaml", "yml", "json")),
    # Argo CD's docs, user-guide/jsonnet.
    Steering("*.jsonnet", _WITH_OURS, is_below=True),
    Steering("Kustomization", _WITH_OURS, is_below=True),
)
"""Files that would be applied together with ours if they were in the fleet's folder."""
