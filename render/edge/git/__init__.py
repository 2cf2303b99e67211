"""The only door to Git: a project and its output at a revision. The repository is only read."""

from render.edge.git.repository import below_top
from render.edge.git.revision import AtRevision
from render.edge.git.submodules import submodules
from render.edge.git.trees import read_tree

__all__ = ["AtRevision", "below_top", "read_tree", "submodules"]
