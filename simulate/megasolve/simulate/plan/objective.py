"""What a score measures."""

from __future__ import annotations

from enum import Enum


class Objective(Enum):
    """What a score measures."""

    FIRST_PUBLICATION = "first_publication"
    PRODUCER_STEP = "producer_step"
    CHUNK_INTERVAL = "chunk_interval"
