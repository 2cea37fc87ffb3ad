"""Shared by `apps`, `fila`, `metricas` and `salas`: the portal's address and credential of this process (rules 2.6, 5), and one call to it."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from email.message import Message
from typing import Any, Mapping, NamedTuple
from urllib.parse import urljoin

from ._pessoa import cabecalhos
from .erros import ErroSvc
from .tipos import Disponibilidade

ESPERA_S = 20.0


def escopos() -> list[str] | None:
    """Scopes of the credential; None when the portal that started us does not report them (docs/app-authors.md)."""
    texto = os.environ.get('SVC_PORTAL_SCOPES')
    return None if texto is None else [escopo for escopo in texto.split(',') if escopo]


def disponivel(recurso: str) -> Disponibilidade:
    """{ disponivel, motivo, codigo }; the last two are None only when it is available."""
    missing = [name for name in ('SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN') if not os.environ.get(name)]
    if missing:
        motivo = f'falta {" e ".join(missing)}: o manifesto declara {_declaracao(recurso)}, e o app foi iniciado pelo portal?'
        return Disponibilidade(disponivel=False, motivo=motivo, codigo='SEM_CREDENCIAL')
    concedidos = escopos()
    if concedidos is not None and recurso not in concedidos:
        motivo = f'o manifesto não declara {_declaracao(recurso)}: a credencial vale só para {", ".join(concedidos) or "nada"}'
        return Disponibilidade(disponivel=False, motivo=motivo, codigo='SEM_ESCOPO')
    return Disponibilidade(disponivel=True, motivo=None, codigo=None)


def recusar(recurso: str, verbo: str) -> None:
    """A verb that can't be done says so; it never pretends."""
    estado = disponivel(recurso)
    if not estado:
        raise ErroSvc(str(estado['codigo']), f'{recurso}.{verbo}: {estado["motivo"]}')


def _declaracao(recurso: str) -> str:
    return 'requires ou usa' if recurso == 'capacidades' else f'recursos.{recurso}'


class Conteudo(NamedTuple):
    bytes: bytes
    tipo: str


class Entregue(NamedTuple):
    """An answer whose status and headers count too; 304 is one."""

    status: int
    cabecalhos: Message
    bytes: bytes


class _SemRedirecionar(urllib.request.HTTPRedirectHandler):
    """The credential goes to the portal only."""

    def redirect_request(self, *_args: Any) -> None:
        return None


# No proxy of the environment either: the address is the one that the portal gave.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _SemRedirecionar)


def recusa(resposta: Any, status: int, what: str) -> ErroSvc:
    """The portal's own refusal, with its code, HTTP status and how long it asks to wait."""
    try:
        problem = json.loads(resposta.read(1024 * 1024))
    except (ValueError, OSError):
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    codigo, palavras = problem.get('code'), problem.get('error')
    erro = ErroSvc(
        codigo if isinstance(codigo, str) else f'HTTP_{status}',
        f'{what}: {palavras if isinstance(palavras, str) else resposta.reason}',
    )
    erro.status = status
    espera = problem.get('retryAfterMs')
    erro.retry_after_ms = espera if isinstance(espera, (int, float)) else None
    return erro


def chamar(
    what: str,
    metodo: str,
    caminho: str,
    *,
    objeto: Any = None,
    corpo: bytes | None = None,
    tipo: str | None = None,
    espera_s: float = ESPERA_S,
) -> Conteudo:
    """As `pedir`, for an answer of which only the content counts."""
    entregue = pedir(what, metodo, caminho, objeto=objeto, corpo=corpo, tipo=tipo, espera_s=espera_s)
    return Conteudo(entregue.bytes, entregue.cabecalhos.get('Content-Type', ''))


def pedir(
    what: str,
    metodo: str,
    caminho: str,
    *,
    objeto: Any = None,
    corpo: bytes | None = None,
    tipo: str | None = None,
    outros: Mapping[str, str] | None = None,
    espera_s: float = ESPERA_S,
) -> Entregue:
    """Sends a request to the portal in the name of this app and its person.

    Raises ErroSvc: the portal's code, SEM_REDE, or SEM_RESPOSTA when nothing moved for `espera_s`.
    """
    headers = {**(outros or {}), **cabecalhos()}
    if objeto is not None:
        corpo, headers['Content-Type'] = json.dumps(objeto).encode(), 'application/json'
    elif corpo is not None:
        headers['Content-Type'] = tipo or 'application/octet-stream'
    pedido = urllib.request.Request(urljoin(os.environ['SVC_PORTAL_URL'], caminho), data=corpo, method=metodo, headers=headers)
    try:
        with _opener.open(pedido, timeout=espera_s) as resposta:
            return Entregue(resposta.status, resposta.headers, resposta.read())
    except urllib.error.HTTPError as resposta:
        with resposta:
            if resposta.code == 304:
                return Entregue(304, resposta.headers, b'')
            raise recusa(resposta, resposta.code, what) from None
    except TimeoutError:
        raise ErroSvc('SEM_RESPOSTA', f'{what}: o portal não respondeu em {espera_s:g} s') from None
    except (OSError, http.client.HTTPException) as problem:
        reason = getattr(problem, 'reason', problem)
        if isinstance(reason, TimeoutError):
            raise ErroSvc('SEM_RESPOSTA', f'{what}: o portal não respondeu em {espera_s:g} s') from None
        raise ErroSvc('SEM_REDE', f'{what}: {reason}') from None
