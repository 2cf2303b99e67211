"""What all files of ours share."""

from __future__ import annotations

from typing import Literal

API_VERSION = "spokerender.io/v1alpha1"
ApiVersion = Literal["spokerender.io/v1alpha1"]
