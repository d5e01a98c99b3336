"""Why a server's certificate is not believed, as the rest of a sentence about that server, and what to do. Clients in Python wrap the
reason several times, each in its own way; those in C or Rust only say it in words."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator

EXPIRED = "has a certificate that has expired"
OTHER_NAME = "has a certificate of another name"
NOT_TRUSTED = "has a certificate that is not trusted here"
EXPIRED_OR_NOT_TRUSTED = "has a certificate that has expired or is not trusted here"
RENEW, TRUST = "Renew the server's certificate", "let this machine trust the authority that signed it"
CURES = {
    EXPIRED: f"{RENEW}, and check this machine's clock.",
    OTHER_NAME: "Use the name that its certificate is made out to.",
    NOT_TRUSTED: f"{TRUST.capitalize()}.",
    EXPIRED_OR_NOT_TRUSTED: f"{RENEW}, or {TRUST}.",
}
OF_OPENSSL = {10: EXPIRED, 62: OTHER_NAME, 64: OTHER_NAME}  # X509_V_ERR_…
OF_OTHERS = {
    "obstore": {
        r"InvalidCertificate\(\s*Expired": EXPIRED,
        r"InvalidCertificate\(\s*NotValidForName": OTHER_NAME,
        r"InvalidCertificate\(": NOT_TRUSTED,
    },
    "psycopg": {"does not match host name": OTHER_NAME, "certificate verify failed": EXPIRED_OR_NOT_TRUSTED},
}


def certificate_problem(problem: BaseException) -> str:
    """Empty where it is not a certificate that is wrong."""
    for inner in within(problem):
        if isinstance(inner, ssl.SSLCertVerificationError):
            return OF_OPENSSL.get(inner.verify_code, NOT_TRUSTED)
        for words, said in OF_OTHERS.get(type(inner).__module__.partition(".")[0], {}).items():
            if re.search(words, str(inner)):
                return said
    return ""


def within(problem: BaseException) -> Iterator[BaseException]:
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
