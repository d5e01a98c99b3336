from __future__ import annotations

import re

from tests.unit.console.conftest import Client, House

SCRIPT = "<script>alert(1)</script>"


def test_those_who_sign_and_run_write_to_each_other_and_nobody_else_reads_it(client: Client, house: House) -> None:
    client.sign_in("bert")
    assert client.post("/datasets/people/comments", data={"text": f"why {SCRIPT}?"}).status_code == 303
    client.sign_in("steward")
    page = client.see("/datasets/people/comments").text
    assert "why &lt;script&gt;alert(1)&lt;/script&gt;?" in page
    assert SCRIPT not in page
    for person in ("auditor", "operator"):
        client.sign_in(person)
        assert client.get("/datasets/people/comments").status_code == 404
        assert client.post("/datasets/people/comments", data={"text": "hello"}).status_code == 404
    assert any(house.ledger.about("commented", "people"))


def test_an_empty_or_too_long_comment_and_an_unknown_dataset_are_refused(client: Client) -> None:
    client.sign_in("anna")
    for text, status in ((" ", 403), ("x" * 4001, 403), ("x" * 20_001, 400)):
        assert client.post("/datasets/people/comments", data={"text": text}).status_code == status
    for dataset in ("nothing", "..", "A"):
        assert client.get(f"/datasets/{dataset}/comments").status_code in (400, 404)


def test_a_comment_is_about_the_candidate_that_its_writer_saw(client: Client, house: House) -> None:
    client.sign_in("anna")
    form = {"text": "it may go out", "candidate": house.candidates["published"].id}
    before = house.ledger.last()
    answer = client.post("/datasets/people/comments", data=form)
    assert (answer.status_code, "A newer candidate was sealed" in answer.text) == (400, True)
    assert house.ledger.last() == before
    newest = re.search(r'name="candidate" value="([0-9a-f]{64})"', client.see("/datasets/people/comments").text)
    assert newest is not None
    assert client.post("/datasets/people/comments", data={**form, "candidate": newest[1]}).status_code == 303
