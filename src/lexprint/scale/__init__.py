"""Many documents at once, and very long ones: folders and tables on all cores or on Ray, data pipelines, streams.

Algorithms know nothing of it. Workers are given a document and give back what it becomes; one process alone, the one that was
started, reads and writes files and the registry. So a worker may die at any moment and nothing is lost, doubled or half written.
"""

from lexprint.scale.pipelines import Marker, map_texts
from lexprint.scale.streaming import MarkedPiece, embed_payload_pieces, embed_pieces, extract_pieces

__all__ = ["MarkedPiece", "Marker", "embed_payload_pieces", "embed_pieces", "extract_pieces", "map_texts"]
