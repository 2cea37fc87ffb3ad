"""The token gate: every request carries `X-Svc-App-Token` equal to SVC_APP_TOKEN. Source: rules 5.

Absent from the environment: everything passes (bench). Set but empty: nothing passes (docs/decisions/0015). The token is read
once, so that an app that cleans its environment does not open the gate.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re

_HEADER = 'x-svc-app-token'
_LETTERS = re.compile(r'[^a-z0-9]')
_LOOK_ALIKE = _LETTERS.sub('', _HEADER)


_token = os.environ.get('SVC_APP_TOKEN')
_expected = None if _token is None else hashlib.sha256(os.fsencode(_token)).digest()


def is_open() -> bool:
    return _expected is None


def admits(headers: list[tuple[str, str]]) -> bool:
    """Exactly one header of that very name with that very value; a twin or a look-alike (X_Svc_App_Token) refuses."""
    if _expected is None:
        return True
    given = None
    for name, value in headers:
        lower = name.lower()
        if lower == _HEADER:
            if given is not None:
                return False
            given = value
        elif _LETTERS.sub('', lower) == _LOOK_ALIKE:
            return False
    if given is None or not _token:
        return False
    return hmac.compare_digest(hashlib.sha256(given.encode('latin-1', 'replace')).digest(), _expected)
