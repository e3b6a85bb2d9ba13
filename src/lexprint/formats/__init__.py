"""Bytes to text and back, layout untouched."""
