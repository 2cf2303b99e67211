"""Tests of `spokerender.judging.effective`."""
