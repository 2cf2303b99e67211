"""The only door to Git: a project and its output at a revision. The repository is only read."""

from spokerender.edge.git.repository import below_top
from spokerender.edge.git.revision import AtRevision
from spokerender.edge.git.trees import read_tree, submodules

__all__ = ["AtRevision", "below_top", "read_tree", "submodules"]
