"""The policy file with every file it refers to."""

from __future__ import annotations

import gzip
import hashlib

import pandas as pd
import pytest

from headgate.core.errors import InputRejected, PolicyInvalid
from tasks.reading.references import load_policy


def test_every_referenced_file_is_hashed_and_parsed(clinic):
    (clinic.folder / "register.csv").write_text("name,age,sex\nx,20,male\ny,021,female\n")
    clinic.policy["gates"]["disclosure"] = {"dictionaries": [{"path": "register.csv", "on": ["sex", "age"]}], "mean": 0.5}
    (clinic.folder / "signers").write_text("ann@example.org ssh-ed25519 AAAA\n")
    clinic.policy["approval"] = {"signers": "signers"}
    (clinic.folder / "suite.json").write_text('{"expectations": []}')
    clinic.policy["expect"] = {"suite": "suite.json"}
    loaded = clinic.load()
    assert set(loaded.file_digests) == {"region.csv", "codes.csv", "register.csv", "signers", "suite.json"}
    for path, digest in loaded.file_digests.items():
        assert digest == hashlib.sha256((clinic.folder / path).read_bytes()).hexdigest()
    references = loaded.references
    assert references.hierarchies["region"][0] == ("north-a", "north", "*")
    assert references.codes["diagnosis"] == ("asthma", "flu", "none", "stroke")
    (register,) = references.dictionaries.values()
    assert list(register.frame.columns) == ["sex", "age"]  # the other fields are not kept
    assert register.frame["age"].tolist() == ["20", "021"]
    assert references.signers == "ann@example.org ssh-ed25519 AAAA\n"
    assert loaded.path == clinic.folder / "policy.yaml"


def test_a_table_named_as_the_policy_is_told_from_one(clinic):
    with pytest.raises(PolicyInvalid, match=r"clinic\.csv is a table, not a policy\.") as refusal:
        load_policy(clinic.source)
    assert refusal.value.cure == "`headgate init clinic.csv` drafts a policy for it."


def test_the_digest_changes_with_a_referenced_file_and_not_with_its_name(clinic):
    before = clinic.load().digest
    (clinic.folder / "codes.csv").rename(clinic.folder / "list.csv")
    clinic.policy["attributes"]["diagnosis"]["values"] = "list.csv"
    assert clinic.load().digest == before
    (clinic.folder / "list.csv").write_text("asthma\nflu\nnone\nstroke\nplague\n")
    assert clinic.load().digest != before


@pytest.mark.parametrize("text", ["asthma\nflu\n\nnone\r\nstroke", '"asthma"\n flu \n"none"\n"stroke"\n'])
def test_code_lists_are_one_value_a_line_in_quotation_marks_or_not(clinic, text):
    (clinic.folder / "codes.csv").write_text(text)
    assert clinic.load().references.codes["diagnosis"] == ("asthma", "flu", "none", "stroke")


@pytest.mark.parametrize("header", ["code", "value,label", '"Code"', "Name", "diagnosis", "DIAGNOSIS;text", "id\tname"])
def test_a_code_list_with_a_header_is_refused_and_names_what_reads_it(clinic, refusal, header):
    """The header became a value: a column diagnosis=name was published."""
    (clinic.folder / "codes.csv").write_text(f"{header}\nasthma\nflu\nnone\nstroke\n")
    problem = refusal(clinic.load)
    assert problem.message == "The code list codes.csv begins with a header."
    assert "values_from: {path: codes.csv, key: COLUMN}" in problem.cure


@pytest.mark.parametrize(("mark", "word"), [(";", "a semicolon"), ("\t", "a tab"), (",", "a comma")])
def test_a_code_list_with_columns_is_refused_and_names_what_reads_it(clinic, refusal, mark, word):
    lines = [f"{code}{mark}CANARY" for code in ("asthma", "flu", "stroke")]
    (clinic.folder / "codes.csv").write_text("\n".join([*lines, "none", "other"]))
    problem = refusal(clinic.load)
    assert problem.message == f"The code list codes.csv has {word} in 3 of its 5 lines, so it seems to be a table."
    assert "values_from: {path: codes.csv, key: COLUMN}" in problem.cure
    (clinic.folder / "codes.csv").write_text("\n".join([*(f'"{line}"' for line in lines), "none"]))
    assert clinic.load().references.codes["diagnosis"] == (*lines, "none")


def test_without_a_header_a_line_is_one_value_comma_and_all(clinic):
    (clinic.folder / "codes.csv").write_text("stroke, acute\nnone\n")
    assert clinic.load().references.codes["diagnosis"] == ("stroke, acute", "none")


@pytest.mark.parametrize("name", ["diseases.csv", "diseases.csv.gz", "diseases.parquet"])
def test_values_from_takes_the_distinct_values_of_a_column_of_a_table(clinic, name):
    frame = pd.DataFrame({"icd": ["stroke", "flu", "asthma", "flu", None, "none"], "label": list("abcdef")})
    path = clinic.folder / name
    if name.endswith("parquet"):
        frame.to_parquet(path)
    else:
        text = frame.to_csv(index=False).encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    attribute = clinic.policy["attributes"]["diagnosis"]
    del attribute["values"]
    attribute["values_from"] = {"path": name, "key": "icd"}
    assert clinic.load().references.codes["diagnosis"] == ("asthma", "flu", "none", "stroke")


def test_values_from_reads_a_table_with_the_separator_and_encoding_that_are_declared(clinic, refusal):
    (clinic.folder / "icd.csv").write_bytes("icd;label\nstroke;Schlaganfälle\nnone;–\n".encode("cp1252"))
    attribute = clinic.policy["attributes"]["diagnosis"]
    del attribute["values"]
    attribute["values_from"] = {"path": "icd.csv", "key": "icd", "encoding": "cp1252"}
    assert "Declare `separator: ';'`" in refusal(clinic.load).cure
    attribute["values_from"]["separator"] = ";"
    assert clinic.load().references.codes["diagnosis"] == ("none", "stroke")


BROKEN = [
    ("region.csv", b"", "region.csv is empty", "header"),
    ("region.csv", b"north-a,north,*\n", "one column in line 1 when split at ';'", "';'"),
    ("region.csv", b"a;b;*\nc;*\n", "region.csv: The hierarchy of 'region' is uneven: line 2", "Repeat"),
    ("region.csv", b"a;b;*\nc;b;+\n", "region.csv: The hierarchy of 'region' has more than one root", "root"),
    (
        "region.csv",
        b"\n\na;b;*\n;;\na;b;*\n",
        "region.csv: The hierarchy of 'region' lists a leaf twice, in lines 3 and 5.",
        "one line per leaf",
    ),
    ("region.csv", b"\na;b;*\n\nc;;*\n", "region.csv: The hierarchy of 'region' has an empty cell in line 4.", "Name every node"),
    ("region.csv", b"\na\n", "region.csv: The hierarchy of 'region' has one column in line 2.", "leaf;…;root"),
    ("region.csv", b"\na,b\n", "region.csv has one column in line 2 when split at ';'", "Separate its levels"),
    ("region.csv", b"a;b;*\nz\xfcrich;b;*\n", "region.csv is not UTF-8: line 2", "UTF-8"),
    ("codes.csv", b"\n", "codes.csv has no values", "one value per line"),
    ("codes.csv", b"CANARY\nCANARY\nflu\n", "0 blank and 1 repeated", "once"),
]


@pytest.mark.parametrize(("file", "content", "message", "cure"), BROKEN)
def test_a_broken_reference_is_refused_with_its_file_and_line(clinic, refusal, file, content, message, cure):
    (clinic.folder / file).write_bytes(content)
    problem = refusal(clinic.load)
    assert message in problem.message
    assert cure in problem.cure


def test_a_reference_that_is_not_there_names_the_key(clinic, refusal):
    (clinic.folder / "region.csv").unlink()
    problem = refusal(clinic.load)
    assert "attributes.region.hierarchy" in problem.message
    assert "does not exist" in problem.message


def test_a_dictionary_needs_its_fields_and_one_row_a_person(clinic, refusal):
    clinic.policy["gates"]["disclosure"] = {"dictionaries": [{"path": "register.csv", "on": ["sex", "age"]}], "mean": 0.5}
    (clinic.folder / "register.csv").write_text("name,aged,sex\nx,20,male\n")
    problem = refusal(clinic.load)
    assert "no column 'age'" in problem.message
    assert "Did you mean 'aged'?" in problem.cure
    (clinic.folder / "register.csv").write_text("patient_id,age,sex\nCANARY,20,male\nCANARY,21,male\n")
    assert "repeated cells in 'patient_id'" in refusal(clinic.load).message


def test_a_policy_that_is_missing_or_not_utf8_is_refused_as_bad_input(clinic, refusal, tmp_path):
    with pytest.raises(PolicyInvalid, match="does not exist"):
        load_policy(tmp_path / "nowhere.yaml")
    (tmp_path / "latin.yaml").write_bytes("# Zürich\n".encode("latin-1"))
    assert "line 1" in refusal(lambda: load_policy(tmp_path / "latin.yaml")).message


@pytest.mark.parametrize("name", ["hospital-patients", "census-income"])
def test_the_shipped_policies_load(name):
    from importlib.resources import files

    loaded = load_policy(str(files("policies.shipped") / f"{name}.yaml"))
    assert loaded.policy.dataset == name
    assert len(loaded.digest) == 64


def test_the_values_of_sets_are_bounded_because_each_becomes_a_column(clinic, monkeypatch):
    monkeypatch.setenv("HEADGATE_MAX_SET_VALUES", "4")
    assert len(clinic.load().references.codes["diagnosis"]) == 4
    (clinic.folder / "codes.csv").write_text("asthma\nflu\nnone\nstroke\nplague\n")
    with pytest.raises(InputRejected, match="sensitive sets has more than 4 values") as refusal:
        clinic.load()
    assert "limits.set_values in operator.yaml" in refusal.value.cure
