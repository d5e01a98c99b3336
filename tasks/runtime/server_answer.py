"""What a server answers to one question, or what is wrong, as the rest of a sentence about that server. It is asked as Prefect's and the
console's own clients ask (SSL_CERT_FILE, proxies), but no redirect is followed."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from tasks.runtime.server_certificates import certificate_problem

OK, REFUSED = 200, (401, 403)
LARGEST = 65536  # bytes; what is longer is cut


@dataclass(frozen=True)
class Answer:
    """`status` is 0 where there is none."""

    status: int
    content: bytes = b""
    certificate: str = ""

    @property
    def refused(self) -> bool:
        """Whether another name or password is wanted."""
        return self.status in REFUSED

    @property
    def trouble(self) -> str:
        """Empty where the server answers as it should."""
        if self.status == OK:
            return ""
        return f"answers with an error ({self.status})" if self.status else self.certificate or "does not answer"


def authorization(password: str) -> str:
    """The header of whoever knows the name and the password (NAME:PASSWORD)."""
    return f"Basic {base64.b64encode(password.encode()).decode()}"


def ask(url: str, seconds: float, password: str = "") -> Answer:
    """`password`: NAME:PASSWORD, or empty where none is asked for."""
    import httpx

    headers = {"Authorization": authorization(password)} if password else {}
    try:
        got = httpx.get(url, timeout=seconds, headers=headers, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as problem:
        return Answer(0, certificate=certificate_problem(problem))
    return Answer(got.status_code, got.content[:LARGEST])
