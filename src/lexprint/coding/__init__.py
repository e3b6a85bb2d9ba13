"""What the bits mean: keys, payloads, and the codewords of copies. Bits only, no text and no models."""
