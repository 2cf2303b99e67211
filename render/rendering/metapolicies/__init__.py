"""Metapolicies: policies of a higher level become core policies, as pure functions of a topology.

A definition says of which kind a metapolicy is and what becomes of it; each is a stage of its own
(`values.stages`), behind those that write what it reads. How it is written is a row of `ways`.
"""

from __future__ import annotations

from render.rendering.metapolicies.definitions import Definition
from render.rendering.metapolicies.model import Resources
from render.rendering.metapolicies.order import in_order, waiting
from render.rendering.metapolicies.seen import InForce
from render.rendering.metapolicies.stage import Rendering

__all__ = ["Definition", "InForce", "Rendering", "Resources", "in_order", "waiting"]
