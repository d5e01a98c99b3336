"""A file of SPSS (.sav) as a source."""

from __future__ import annotations

from tasks.formats.file_kind import OF_SPSS
from tasks.reading.labelled_reader import LabelledReader

READER = LabelledReader("SPSS", OF_SPSS, "read_sav")
