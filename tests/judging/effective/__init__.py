"""Tests of `render.judging.effective`."""
