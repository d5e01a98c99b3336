"""What a column or a dictionary is called where its name could tell a value, or could not be taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headgate.core.errors import Defect
from policies.gates.verdict import Requirement
from policies.sealed.promise import QuasiIdentifier
from tasks.reporting.measured_tables import MeasuredRelease
from tasks.reporting.public_names import PublicNames, plain_name

BITS = ("ill=flu", "ill=flu or cold")


@pytest.fixture
def names() -> PublicNames:
    """Columns of a plan, quasi-identifiers, dictionaries, and the columns that are bits of a set."""
    return PublicNames(("income", *BITS, "pay ($)"), ("age", "height (cm)"), ("register", "../people.csv", "register"), BITS, ("ward #",))


@pytest.mark.parametrize("name", ["age", "date of birth", "a.b-c_d", "data/register.csv", "columns", "Größe", "x" * 200])
def test_a_name_that_mlflow_takes_stays(name: str) -> None:
    assert plain_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "height (cm)", "a=b", "x" * 201, "../people.csv", "a/../b", "./a", "/etc/people", "a//b", "km/", "..", "a\nb",
     "column 1", "quasi-identifier 0", "insensitive column 0", "dictionary 2"],
)  # fmt: skip
def test_a_name_that_mlflow_cannot_take_or_that_looks_like_one_of_ours_does_not(name: str) -> None:
    assert not plain_name(name)


def test_a_column_goes_by_its_own_name_or_by_its_number(names: PublicNames) -> None:
    assert names.of("ward #") == "insensitive column 0"
    assert names.of("income") == "income"
    assert names.of("ill=flu") == "column 1"
    assert names.of("pay ($)") == "column 3"
    assert names.of("age") == "age"
    assert names.of("height (cm)") == "quasi-identifier 1"
    assert names.of("nobody's (column)") == "a column"
    assert names.of("") == ""
    assert [names.number(name) for name in ("income", *BITS)] == [0, 1, 2]


def test_a_bit_goes_by_its_number_even_if_its_name_could_be_taken() -> None:
    """The value is in the name, so no spelling of it may be told."""
    names = PublicNames(("income", "flu"), (), (), ("flu",))
    assert plain_name("flu")
    assert names.of("flu") == "column 1"


def test_a_figure_is_named_by_what_it_is_about(names: PublicNames) -> None:
    assert names.below("income", None) == "/income"
    assert names.below("ill=flu", "register") == "/column 1"
    assert names.below(None, "register") == "/register"
    assert names.below(None, "../people.csv") == "/dictionary 1"
    assert names.below(None, None) == ""


def test_no_sentence_names_a_bit_and_the_longer_of_two_names_is_seen_first(names: PublicNames) -> None:
    assert names.in_text("Raise k of ill=flu or cold, then ill=flu.") == "Raise k of column 2, then column 1."
    assert names.in_text("Raise k of income.") == "Raise k of income."
    assert PublicNames(("income",), (), (), ()).in_text("ill=flu") == "ill=flu"


def test_the_names_of_a_release_are_its_plans_columns_and_its_promises_bits(release: MeasuredRelease, bit: str) -> None:
    names = PublicNames.of_release(release)
    assert (names.of("education"), names.number("education"), names.of(bit)) == ("education", 1, "column 2")
    assert release.promise is not None
    promise = release.promise.model_copy(
        update={"quasi": (QuasiIdentifier(name="km/h", kind="number"), QuasiIdentifier(name="(a)", kind="date"))}
    )
    assert PublicNames.of_release(replace(release, promise=promise)).of("(a)") == "quasi-identifier 1"


def test_a_dictionary_that_could_not_be_measured_is_numbered_after_those_that_were(release: MeasuredRelease) -> None:
    assert release.promise is not None
    unmeasured = Requirement(gate="disclosure", dictionary="../voters.csv", bound="max", required="0.5")
    names = PublicNames.of_release(replace(release, promise=release.promise.requiring(unmeasured)))
    assert names.below(None, "data/register.csv") == "/data/register.csv"
    assert names.below(None, "../voters.csv") == "/dictionary 1"


def test_without_a_promise_nothing_tells_bits_from_other_columns(release: MeasuredRelease) -> None:
    for changes in ({}, {"tables": ()}, {"plan": None}):
        with pytest.raises(Defect, match="without its promise") as caught:
            PublicNames.of_release(replace(release, promise=None, **changes))
        assert "Pass the promise" in caught.value.cure
    assert PublicNames.of_release(replace(release, promise=None, plan=None, tables=())).of("age") == "age"
