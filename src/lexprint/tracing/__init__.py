"""Which of the copies a leak comes from."""
