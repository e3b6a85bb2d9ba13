"""What may stand in for a word."""
