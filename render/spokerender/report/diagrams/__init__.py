"""Diagrams of topologies as text: for terminals and for Mermaid, and as SVG pictures."""
