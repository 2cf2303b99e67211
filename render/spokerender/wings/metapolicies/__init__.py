"""Metapolicies: policies of a higher level, which pure functions turn into core policies.

A definition names the kind of its metapolicies and their function. Each definition is a stage of
its own, after the definitions that write the kinds it reads. A function may be written in several
ways (`definitions.WAYS`). Assertions are expressions in the same language that must hold on every
spoke.
"""
