"""How fast lexprint is, and what it asks of its models."""
