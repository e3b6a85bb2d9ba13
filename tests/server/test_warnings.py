"""What copies would carry besides their text, told by the service when a file comes, is analysed and is issued."""

from pathlib import Path

from starlette.testclient import TestClient
from tests.formats.corpus import make_docx, paragraph_xml
from tests.formats.test_hidden_contents import AUTHOR, with_part
from tests.server.served import wait_for

from lexprint.results import Issued

CARRIED = "every copy carries what the document carries: the names of its authors; remove them first if need be"


def test_warnings_come_with_every_answer(client: TestClient, memo: str) -> None:
    """The same sentence each time, and nothing of what is hidden; none for a text."""
    document = with_part(make_docx(paragraph_xml(memo)), "docProps/core.xml", AUTHOR)
    sent = client.post("/v1/files", files={"file": ("memo.docx", document)}).json()
    assert sent["warnings"] == [CARRIED]
    analysed = wait_for(client, client.post("/v1/analyse", json={"file": sent["id"]}).json())
    assert analysed["result"]["warnings"] == [CARRIED]
    job = client.post("/v1/issue", json={"file": sent["id"], "recipients": ["Bo", "Cy"]}).json()
    issued = wait_for(client, job)["result"]
    assert issued["warnings"] == [CARRIED]
    assert "Ada" not in str(issued)
    job = client.post("/v1/issue", json={"text": memo, "recipients": ["Bo", "Cy"], "name": "plain"}).json()
    assert wait_for(client, job)["result"]["warnings"] == []


def test_results_of_older_services_are_read() -> None:
    """A client may be newer than what it asks."""
    document = {"id": "0" * 16, "name": "memo", "sites": 3}
    assert Issued.of({"document": document, "copies": []}, Path("x")).warnings == ()
