"""A file of Stata (.dta) as a source."""

from __future__ import annotations

from tasks.formats.file_kind import OF_STATA
from tasks.reading.labelled_reader import LabelledReader

READER = LabelledReader("Stata", OF_STATA, "read_dta")
