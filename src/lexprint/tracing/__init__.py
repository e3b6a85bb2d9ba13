"""Who had this copy: what was issued, to whom, and which of the copies a leak comes from."""
