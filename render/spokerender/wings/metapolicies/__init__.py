"""Metapolicies: policies of a higher level become core policies, as pure functions of a topology.

A definition says of which kind a metapolicy is and what becomes of it; each is a stage of its own
(`values.stages`), behind those that write what it reads. How it is written is a row of `ways`.
"""
