"""Diagrams of topologies as text: for terminals, Mermaid, Graphviz, and as SVG pictures."""
