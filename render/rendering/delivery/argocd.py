"""Argo CD: one ApplicationSet whose Git generator finds the spokes' folders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from render.config.delivery import ArgoCD

_FLEET = "_fleet"
_PRUNE_LAST = "PruneLast="
_PATTERN = re.compile(r"[\\*?\[]")


def context(settings: ArgoCD, _spokes: Sequence[str], folder: PurePosixPath) -> dict[str, Any]:
    """The values of `argocd/applicationset.yaml.j2`.

    The generator reads its paths as patterns of Go's path.Match, in which a backslash takes
    the meaning from a special character. Argo CD prunes before it applies, so that a policy
    which was only renamed would leave its target open for a while: unless the settings say
    otherwise, pruning comes last.
    """
    literal = PurePosixPath(_PATTERN.sub(r"\\\g<0>", str(folder)))
    automated, options = settings.sync_policy.automated, settings.sync_policy.sync_options
    if not any(option.startswith(_PRUNE_LAST) for option in options):
        options = (f"{_PRUNE_LAST}true", *options)
    return {
        "name": settings.name,
        "namespace": settings.namespace,
        "project": settings.project,
        "repo_url": settings.repo_url,
        "target_revision": settings.target_revision,
        "spoke_folders": str(literal / "*"),
        "fleet_folder": str(literal / _FLEET),
        "automated": automated and {"prune": automated.prune, "self_heal": automated.self_heal},
        "sync_options": list(options),
    }
