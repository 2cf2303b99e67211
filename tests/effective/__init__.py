"""Tests of `render.effective`."""
