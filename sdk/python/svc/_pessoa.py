"""For whom a backend of `escopo: servidor` asks the portal (rules 5): it serves everybody, so it says whose request it works on."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from email.message import Message
from typing import Iterator, Protocol

_MANDATO = 'X-Svc-Em-Nome'
_pessoa: ContextVar[str | None] = ContextVar('svc_pessoa', default=None)


class _ComCabecalhos(Protocol):
    """A request: a `servidor.Pedido`, or any other with its headers."""

    @property
    def headers(self) -> Message: ...


@contextmanager
def em_nome_de(pedido: _ComCabecalhos) -> Iterator[None]:
    """Makes the portal calls inside for the person whose request this is.

    The portal wrote a mandate into that request, which is good for some minutes after it and ends when the person signs out. A thread that is
    started within says so anew. The backend of one person needs none: there it changes nothing.
    """
    antes = _pessoa.set(pedido.headers.get(_MANDATO))
    try:
        yield
    finally:
        _pessoa.reset(antes)


def cabecalhos() -> dict[str, str]:
    """The credential, and for whom it speaks."""
    mandato = _pessoa.get()
    return {'Authorization': f'Bearer {os.environ["SVC_PORTAL_TOKEN"]}', **({_MANDATO: mandato} if mandato else {})}
