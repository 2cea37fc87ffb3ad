"""Capabilities of other apps (rules 2.1 `requires`, `usa`; 4.3): this backend asks them through the portal, with the consent of its person."""

from __future__ import annotations

import http.client
import io
import json
import os
import re
from contextlib import closing
from typing import Any, Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from . import _pessoa, _portal
from .erros import ErroSvc
from .tipos import Disponibilidade, Json, Oferta

_CAPACIDADE = re.compile(r'[a-z][a-z0-9-]*/v[0-9]+')
# The portal refuses a path that would leave the provider's route; one that is no path at all is refused here.
_CAMINHO = re.compile(r'/[\x21-\x7e]*')
_ESPERA_S = 60.0
_PEDACO_BYTES = 64 * 1024


def disponivel() -> Disponibilidade:
    return _portal.disponivel('capacidades')


class Resposta:
    """The provider's answer, as it comes: `status`, `headers`, `read(n)`, `json()`, and the chunks one by one. Close it, or use `with`."""

    def __init__(self, conexao: http.client.HTTPConnection, resposta: http.client.HTTPResponse, lido: io.BytesIO | None = None) -> None:
        """`lido`: the body, where it was read already."""
        self._conexao, self._resposta, self._corpo = conexao, resposta, lido or resposta
        self.status = resposta.status
        self.headers = resposta.headers

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def read(self, tamanho: int | None = None) -> bytes:
        return self._corpo.read(tamanho)

    def json(self) -> Json:
        found: Json = json.loads(self.read())
        return found

    def __iter__(self) -> Iterator[bytes]:
        while pedaco := self._corpo.read1(_PEDACO_BYTES):
            yield pedaco

    def close(self) -> None:
        self._resposta.close()
        self._conexao.close()

    def __enter__(self) -> Resposta:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _buscar(
    what: str, metodo: str, caminho: str, cabecalhos: Mapping[str, str], corpo: Any, espera_s: float
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    portal = urlsplit(os.environ['SVC_PORTAL_URL'])
    tipo = http.client.HTTPSConnection if portal.scheme == 'https' else http.client.HTTPConnection
    conexao = tipo(portal.netloc, timeout=espera_s)
    headers = {**cabecalhos, **_pessoa.cabecalhos()}
    try:
        conexao.request(metodo, caminho, body=corpo, headers=headers)
        return conexao, conexao.getresponse()
    except (OSError, http.client.HTTPException) as problem:
        conexao.close()
        if isinstance(problem, TimeoutError):
            raise ErroSvc('SEM_RESPOSTA', f'{what}: o portal não respondeu em {espera_s:g} s') from None
        raise ErroSvc('SEM_REDE', f'{what}: {problem}') from None


def _rota(capacidade: str, caminho: str) -> str:
    if not _CAPACIDADE.fullmatch(capacidade):
        raise ValueError(f'apps: capacidade inválida: {capacidade}')
    if caminho and not _CAMINHO.fullmatch(caminho):
        raise ValueError(f'apps.pedir: o caminho começa com / e vem codificado: {caminho!r}')
    return f'/api/capacidades/{capacidade}{caminho}'


def pedir(
    capacidade: str,
    caminho: str,
    *,
    app: str | None = None,
    method: str = 'GET',
    headers: Mapping[str, str] | None = None,
    body: bytes | str | Iterable[bytes] | None = None,
    espera_s: float = _ESPERA_S,
) -> Resposta:
    """The provider's own answer, also 4xx and 5xx and redirects. An iterable body is sent as it comes. 404 with the code CAPABILITY_UNKNOWN:
    no app offers the capability (rules 2.1 `usa`, 7).

    Raises ErroSvc with the portal's code and status for what the portal refused, such as CONSENT_NEEDED until the person said yes; SEM_REDE;
    SEM_RESPOSTA when nothing moved for `espera_s`. `app` names the provider where several offer it.
    """
    rota = _rota(capacidade, caminho or '/')
    _portal.recusar('capacidades', 'pedir')
    cabecalhos = {**(headers or {}), **({} if app is None else {'X-Svc-Fornecedor': app})}
    corpo = body.encode() if isinstance(body, str) else body
    conexao, resposta = _buscar('apps.pedir', method, rota, cabecalhos, corpo, espera_s)
    if 'X-Svc-Fornecedor' in resposta.headers:
        return Resposta(conexao, resposta)
    with closing(conexao):
        corpo_da_recusa = io.BytesIO(resposta.read(1024 * 1024))
        erro = _portal.recusa(corpo_da_recusa, resposta.status, 'apps.pedir')
    if erro.codigo != 'CAPABILITY_UNKNOWN':
        raise erro
    corpo_da_recusa.seek(0)
    return Resposta(conexao, resposta, corpo_da_recusa)


def listar(capacidade: str) -> list[Oferta]:
    """[{ app, nome, rotulo }], without starting any of them."""
    rota = _rota(capacidade, '')
    _portal.recusar('capacidades', 'listar')
    ofertas: list[Oferta] = json.loads(_portal.chamar('apps.listar', 'GET', rota).bytes)['ofertas']
    return ofertas
