"""Which words carry bits, and how."""
