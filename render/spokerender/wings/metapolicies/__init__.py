"""Metapolicies: policies of a higher level become core policies, as pure functions of a topology.

A definition says which kind is a metapolicy and what becomes of its objects; each definition is a
stage of its own, behind those that write what it reads. How it is written is a row of `ways`.
Assertions are expressions of the same language that must hold on every spoke.
"""
