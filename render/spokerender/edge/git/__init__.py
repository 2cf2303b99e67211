"""The only door to Git: a project and its output at a revision. Nothing is written."""

from spokerender.edge.git.repository import below_top
from spokerender.edge.git.revision import AtRevision
from spokerender.edge.git.trees import find_submodules, read_tree

__all__ = ["AtRevision", "below_top", "find_submodules", "read_tree"]
