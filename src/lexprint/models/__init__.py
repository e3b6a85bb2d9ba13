"""What a network answers."""
