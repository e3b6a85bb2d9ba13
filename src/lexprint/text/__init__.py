"""What a text is: words with exact offsets, the view that models see, and edits that leave the rest alone."""
