"""Hostnames with wildcards: which of them meet, and which are within others.

What is true of slots here is true of whatever they stand for; what is not, is asked again.
"""

from __future__ import annotations

from render.model.asking import ask


def intersects(listener: str, hostname: str) -> bool:
    """Whether a listener's and a route's hostname have a name in common.

    Gateway API, HTTPRoute `hostnames`: a wildcard stands for one or more labels on either
    side, and a listener without hostname takes every name.
    """
    return _intersects(listener, hostname) or ask(_intersects, listener, hostname)


def _intersects(listener: str, hostname: str) -> bool:
    if not listener or listener == hostname:
        return True
    if listener.startswith("*.") and hostname.startswith("*."):
        return hostname.endswith(listener[1:]) or listener.endswith(hostname[1:])
    if listener.startswith("*."):
        return hostname.endswith(listener[1:])
    return hostname.startswith("*.") and listener.endswith(hostname[1:])


def is_within(hostname: str, listener: str) -> bool:
    """Whether every name that `hostname` stands for is one of the listener's.

    Stricter than the Gateway API, which asks for one in common: kuadrant-operator computes no
    policy where a route's hostname is not within its listener's (`Name.SubsetOf`).
    """
    return _is_within(hostname, listener) or ask(_is_within, hostname, listener)


def _is_within(hostname: str, listener: str) -> bool:
    if hostname == listener:
        return True
    return listener.startswith("*") and bool(hostname) and hostname.endswith(listener[1:])
