from __future__ import annotations

import gzip
import hashlib

from tasks.reading.ingest import ingest
from tests.unit.tasks.clinic import decoded


def test_a_gzipped_file_gives_the_same_table_and_the_digest_of_its_own_bytes(clinic):
    plain = ingest(clinic.load())
    zipped = clinic.folder / "clinic.csv.gz"
    zipped.write_bytes(gzip.compress(clinic.source.read_bytes(), mtime=0))
    found = ingest(clinic.load(), zipped)
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name)
    assert found.source_digest == hashlib.sha256(zipped.read_bytes()).hexdigest() != plain.source_digest


def test_line_ends_byte_order_mark_quoted_breaks_and_column_order_do_not_matter(clinic, write_csv):
    plain = ingest(clinic.load())
    clinic.rows[3]["notes"] = 'two\nlines, and "quotes"'
    names = list(reversed(clinic.rows[0]))
    text = write_csv(clinic.rows, header=names)
    clinic.write_source(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    found = ingest(clinic.load())
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name)


def test_a_declared_encoding_and_separator_are_used(clinic, write_csv):
    for row in clinic.rows:
        row["zip"] = "Zürich"
    clinic.policy["source"] |= {"encoding": "latin-1", "separator": "\t"}
    clinic.write_source(write_csv(clinic.rows, separator="\t").encode("latin-1"))
    assert set(decoded(ingest(clinic.load()).table, "zip")) == {"Zürich"}
