"""Metapolicies: policies of a higher level become core policies, as pure functions of a topology.

A definition says of which kind a metapolicy is and what becomes of it; each is a stage of its own
(`values.stages`), behind those that write what it reads. How it is written is a row of `ways`.
"""

from __future__ import annotations

from spokerender.wings.metapolicies.definitions import Definition
from spokerender.wings.metapolicies.model import Resources
from spokerender.wings.metapolicies.order import in_order, waiting
from spokerender.wings.metapolicies.seen import InForce
from spokerender.wings.metapolicies.stage import Rendering

__all__ = ["Definition", "InForce", "Rendering", "Resources", "in_order", "waiting"]
