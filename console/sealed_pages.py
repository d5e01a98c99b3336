"""The pages of a few candidates, as they were sealed: their pictures are asked for one by one. A candidate is named by the digest of all
that is in it, so that what is kept never grows old."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from tasks.reporting.candidate_page.page_content import CandidatePage

MOST = 8


@dataclass
class SealedPages:
    _kept: OrderedDict[str, CandidatePage] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, candidate: str, read: Callable[[], CandidatePage]) -> CandidatePage:
        """As it is kept, or as it is read now: by what checks every byte."""
        with self._lock:
            kept = self._kept.get(candidate)
        kept = kept or read()
        with self._lock:
            self._kept[candidate] = kept
            self._kept.move_to_end(candidate)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return kept
