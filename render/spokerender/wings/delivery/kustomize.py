"""Other readers of a spoke's folder than the engines: kustomize, and cli-utils.

Every engine reads the folder through kustomize; `kpt live apply` and Config Sync apply with
cli-utils. Both obey annotations, and other tools' files beside ours can keep the whole folder from
being applied. Tried with kubectl kustomize 5.5.
"""

from functools import partial
from operator import eq

from spokerender.kinds.marks import Mark, weak_mark
from spokerender.rendering.values.engines import Steering
from spokerender.topology.objects import LOCAL_CONFIG, is_local

_STAYS = "kpt and Config Sync leave the object on the spoke when it has left the tree"
_CHOSEN = "Config Sync applies the object to the clusters alone that this names"

_TAKEN = "kustomize takes it away, so that no spoke gets it"
_FUNCTION = "kustomize runs functions by it where a kustomization says so"

# Sources: kustomize, api/internal/target (objects that it leaves out),
# api/internal/utils/annotations.go (its own notes), api/resource/resource.go (annotations that it
# removes); sigs.k8s.io/cli-utils, pkg/common (lifecycle, removal), pkg/object/mutation; Config
# Sync's docs, how-to/managing-objects (managed), how-to/ignore-mutations, how-to/cluster-selectors.
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
    Mark(
        "configmanagement.gke.io/managed",
        "Config Sync does not apply the object, and lets go of one that it had applied",
        acts=partial(eq, "disabled"),
    ),
    Mark("configmanagement.gke.io/cluster-selector", _CHOSEN),
    Mark("configsync.gke.io/cluster-name-selector", _CHOSEN),
    Mark(
        "client.lifecycle.config.k8s.io/mutation",
        "Config Sync applies the object once, and no change of it",
        acts=partial(eq, "ignore"),
    ),
    weak_mark(
        "config.kubernetes.io/apply-time-mutation",
        "kpt and Config Sync write into the object what another has at that time",
    ),
    weak_mark("client.lifecycle.config.k8s.io/deletion", _STAYS, acts=partial(eq, "detach")),
    weak_mark("cli-utils.sigs.k8s.io/on-remove", _STAYS, acts=partial(eq, "keep")),
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
"""Files in the output folder itself, which has no kustomization of ours."""
_WITH_OURS = "who applies what is there applies it as well, to the cluster that delivers"
FLEET_STEERINGS = (
    *(Steering(f"*.{end}", _WITH_OURS, is_below=True) for end in ("yaml", "yml", "json")),
    # Argo CD's docs, user-guide/jsonnet.
    Steering("*.jsonnet", _WITH_OURS, is_below=True),
    Steering("Kustomization", _WITH_OURS, is_below=True),
)
"""Files in the fleet's folder, where no kustomization lists our files."""
