"""cli-utils, with which `kpt live apply` and Config Sync apply: the annotations that they obey.

Sources: sigs.k8s.io/cli-utils, pkg/common (lifecycle, removal), pkg/object/mutation; Config Sync's
docs, how-to/managing-objects (managed), how-to/ignore-mutations and how-to/cluster-selectors.
"""

from __future__ import annotations

from spokerender.kinds.marks import Mark

_STAYS = "kpt and Config Sync leave the object on the spoke when it has left the tree"
_CHOSEN = "Config Sync applies the object to the clusters alone that this names"

MARKS = (
    Mark(
        "configmanagement.gke.io/managed",
        "Config Sync does not apply the object, and lets go of one that it had applied",
        acts=lambda value: value == "disabled",
    ),
    Mark("configmanagement.gke.io/cluster-selector", _CHOSEN),
    Mark("configsync.gke.io/cluster-name-selector", _CHOSEN),
    Mark(
        "client.lifecycle.config.k8s.io/mutation",
        "Config Sync applies the object once, and no change of it",
        acts=lambda value: value == "ignore",
    ),
    Mark(
        "config.kubernetes.io/apply-time-mutation",
        "kpt and Config Sync write into the object what another has at that time",
        is_refused=False,
    ),
    Mark(
        "client.lifecycle.config.k8s.io/deletion",
        _STAYS,
        is_refused=False,
        acts=lambda value: value == "detach",
    ),
    Mark(
        "cli-utils.sigs.k8s.io/on-remove",
        _STAYS,
        is_refused=False,
        acts=lambda value: value == "keep",
    ),
)
