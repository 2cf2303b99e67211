"""Retargeting: for the gateways of a spoke, what ships and what every reference becomes."""

from __future__ import annotations

from spokerender.rendering.retarget.ship import Retargeter
from spokerender.rendering.retarget.shipping import GatewaySync

__all__ = ["GatewaySync", "Retargeter"]
