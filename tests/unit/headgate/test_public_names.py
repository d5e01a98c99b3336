"""What `import headgate as hg` offers: the contract's names, each model of the README's table, and nothing heavy until it is used."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import headgate as hg

ROOT = Path(__file__).resolve().parents[3]
CONTRACT = {
    "Distance",
    "Sensitivity",
    "bitmap",
    "check",
    "codip",
    "disclosure_risk",
    "full_domain",
    "min_risk",
    "mondrian",
    "read",
    "series",
    "unbitmap",
    "xcolor",
}
NAMES = re.findall(
    r"\w+",
    """
    Column ColumnSpec Distance Hierarchy Kind Outsiders Projected PublishedTable Register Release ReleasedTable Role Sensitivity Table
    alpha_k average_group_size background_join bayes_risk beta_likeness bitmap check classes classifier_accuracy closeness codip
    codip_star count count_query_error delta_disclosure delta_l dictionary_linking discernibility disclosure disclosure_risk
    dissimilarity diversity encode encode_column encode_dictionary encode_table entropy_loss epsilon_m exact_per_attribute
    exact_total feasibility full_domain gammas greedy_per_attribute greedy_total homogeneity individual_risk information_loss
    intersection intrusion journalist_frames journalist_risk k_anonymity k_e linkability linkage_frames min_risk minimality
    minimax_risk mondrian n_t_closeness population_uniqueness proximity proximity_shapes publish_form read recursive_c recursive_l
    reidentification sample_uniques series series_guessing special_uniques suppression table unbitmap variance worst_linkability
    xcolor xy_linkability xy_linkability_bound
    """,
)


def test_these_are_the_public_names() -> None:
    assert list(hg.__all__) == sorted(NAMES)
    assert set(NAMES) >= CONTRACT  # other things rely on these


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name: str) -> None:
    assert callable(getattr(hg, name))
    assert name in dir(hg)


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hg.nothing


def test_type_checkers_see_the_same_names_in_the_same_modules() -> None:
    tree = ast.parse((ROOT / "headgate" / "__init__.py").read_text("utf-8"))
    declared = {
        (node.module, alias.asname)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert declared == {(module, name) for module, names in hg.PUBLIC.items() for name in names}


def test_every_call_of_the_documentation_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's example, line by line, over every fourth row of the census."""
    page = (ROOT / "docs" / "definitions.md").read_text("utf-8").partition("## Measures from Python")[2]
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    read = pd.read_parquet
    monkeypatch.setattr(pd, "read_parquet", lambda path: read(path).iloc[::40].reset_index(drop=True))
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    exec(compile(code, "definitions.md", "exec"), names)
    called = set(re.findall(r"hg\.(\w+)", code))
    assert called <= set(NAMES)
    lonely = {"entropy_loss", "suppression", "average_group_size", "classifier_accuracy", "n_t_closeness", "xy_linkability", "minimality"}
    assert lonely | {"population_uniqueness", "journalist_frames", "greedy_total"} <= called


def test_importing_headgate_imports_nothing_heavy() -> None:
    code = (
        "import sys, headgate; dir(headgate);"
        "heavy = {'prefect', 'mlflow', 'great_expectations', 'sqlalchemy', 'fastapi', 'pandas', 'numba', 'numpy', 'scipy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_science_imports_no_server_or_store() -> None:
    code = (
        "import sys, headgate as hg; hg.xcolor, hg.codip, hg.check, hg.disclosure_risk, hg.bitmap;"
        "print(sorted({'prefect', 'mlflow', 'great_expectations', 'sqlalchemy', 'fastapi', 'sqlite3'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_functions_with_the_name_of_a_module_stay_callable_once_that_is_imported() -> None:
    import headgate.grouping.limits
    import headgate.library.check_table

    assert headgate.grouping.limits.allowed_dissimilar(2, "0").tolist() == [0, 1, 2]
    assert "epsilon" in inspect.signature(hg.xcolor).parameters
    frame = pd.DataFrame({"age": range(60), "illness": list("abcdef") * 10})
    assert hg.check(frame, quasi=["age"], sensitive=["illness"]).rows == 60
    assert hg.xcolor(frame, quasi=["age"], sensitive=["illness"], k=5, epsilon=0, delta=0.3).reached
