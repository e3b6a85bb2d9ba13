"""What is said of a leak: signed contents, and a page for people."""
