"""`lexprint evaluate`: one file for a group of tables."""
