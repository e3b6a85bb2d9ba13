"""Other people's ways of marking, written anew from their papers."""
