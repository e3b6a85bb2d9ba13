"""What was issued and to whom: documents, copies, reports, and a log that cannot be changed unseen."""
