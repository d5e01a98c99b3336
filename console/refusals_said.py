"""Why somebody may not decide, and why a run was refused, as other rooms say it: the sentences that pages say in other languages.
Those with places in them are in `catalogues/LANGUAGE.sentences.po`.
"""

from __future__ import annotations

import re

from tasks.reporting.language import message

SAID = (
    message("the person who ran a release cannot decide on it"),
    message("this person or this key has already made this decision"),
    message("the key was not on the list of signers when the candidate was sealed"),
    message("the key is revoked"),
    message("the deadline has passed"),
    message("is revoked"),
    message("is not on the list of signers"),
    message("is the home's own and speaks for nobody"),
    message("is a passkey of a site that operator.yaml does not name"),
    message("is a passkey, and operator.yaml names no site whose passkeys count (passkeys: {rp: …, origins: […]})"),
    message("The list of releases says who can sign, and what is still needed."),
    message("The candidate's page says what was decided. A new run makes a new candidate."),
    message("Read its report: it says what was measured and what helps."),
    message("Reject or withdraw it. Somebody who may run releases runs it again."),
)
SENTENCES = re.compile(r"(?<=[.!?]) +")


def without_terminal(cure: str) -> str:
    """But for sentences that name a command: who decides in a browser has no terminal."""
    return " ".join(sentence for sentence in SENTENCES.split(cure) if "`headgate " not in sentence)
