"""Loopback peers that behave as they are told."""
