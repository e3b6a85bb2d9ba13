"""Where copies of a text may differ, when the issuer keeps the master."""
