"""Why a server's certificate is not believed, as the rest of a sentence about that server. Clients wrap the reason several times, each in
its own way."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

EXPIRED, OTHER_NAME, OTHER_ADDRESS = 10, 62, 64  # of OpenSSL: X509_V_ERR_…
KNOWN = {
    EXPIRED: "has a certificate that has expired",
    OTHER_NAME: "has a certificate of another name",
    OTHER_ADDRESS: "has a certificate of another name",
}


def certificate_problem(problem: BaseException) -> str:
    """Empty where it is not a certificate that is wrong."""
    for inner in _inside(problem):
        if isinstance(inner, ssl.SSLCertVerificationError):
            return KNOWN.get(inner.verify_code, "has a certificate that is not trusted here")
    return ""


def _inside(problem: BaseException) -> Iterator[BaseException]:
    """The exception, and all that it came from or holds."""
    seen: set[int] = set()
    waiting = [problem]
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        held = (found.__cause__, found.__context__, getattr(found, "reason", None), *found.args)
        waiting += [one for one in held if isinstance(one, BaseException)]
