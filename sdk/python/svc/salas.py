"""Shared rooms (rules 2.1 `recursos.salas`, 2.4, 5): the rooms of this app that its person is in.

The standard library has no WebSocket and no CRDT, so there is no `entrar` here: `bilhete(sala).url` is the address that any y-websocket client
opens. docs/rooms.md shows one with pycrdt.
"""

from __future__ import annotations

import json
import os
from typing import Any, Literal, NamedTuple, Sequence
from urllib.parse import quote, urlencode, urlsplit

from . import _portal
from ._portal import Conteudo
from .tipos import Anexo, Disponibilidade, FormatoDaVersao, Papel, PapelConcedido, Sala, SalaLida, Versao

_ANEXO_ESPERA_S = 180.0


class Bilhete(NamedTuple):
    """A ticket for both channels, good for 60 s; everything but `caminho` is None when the person is not in the room any more."""

    bilhete: str | None
    caminho: str
    url: str | None
    url_comentarios: str | None
    papel: Papel | None


def disponivel() -> Disponibilidade:
    return _portal.disponivel('salas')


def _chamar(verbo: str, metodo: str, partes: Sequence[str], **resto: Any) -> _portal.Conteudo:
    _portal.recusar('salas', verbo)
    return _portal.chamar(f'salas.{verbo}', metodo, _caminho(partes), **resto)


def _caminho(partes: Sequence[str]) -> str:
    return '/'.join(['/api/salas', *(quote(str(parte), safe='') for parte in partes)])


def _json(verbo: str, metodo: str, partes: Sequence[str], **resto: Any) -> Any:
    corpo = _chamar(verbo, metodo, partes, **resto).bytes
    return json.loads(corpo) if corpo else None


def bilhete(sala: str) -> Bilhete:
    """Ask for a new one before each connection."""
    resposta = _json('bilhete', 'POST', [sala, 'bilhete'], objeto={'app': os.environ.get('SVC_APP_ID', '')})
    passe, caminho = resposta['bilhete'], resposta['caminho']
    if passe is None:
        return Bilhete(None, caminho, None, None, None)
    portal = urlsplit(os.environ['SVC_PORTAL_URL'])
    base = f'{"wss" if portal.scheme == "https" else "ws"}://{portal.netloc}{caminho}'
    consulta = f'?bilhete={quote(passe, safe="")}'
    return Bilhete(passe, caminho, f'{base}/documento{consulta}', f'{base}/comentarios{consulta}', resposta['papel'])


def listar() -> list[Sala]:
    """The rooms, the newest first, each with the person's `papel`."""
    salas: list[Sala] = _json('listar', 'GET', [])['salas']
    return salas


def ler(sala: str) -> SalaLida:
    """{ sala, pessoas, grupos }, the owner first."""
    lida: SalaLida = _json('ler', 'GET', [sala])
    return lida


def criar(nome: str) -> Sala:
    """The new room; the person of this backend owns it."""
    sala: Sala = _json('criar', 'POST', [], objeto={'nome': nome})
    return sala


def renomear(sala: str, nome: str) -> None:
    _chamar('renomear', 'PATCH', [sala], objeto={'nome': nome})


def apagar(sala: str) -> None:
    _chamar('apagar', 'DELETE', [sala])


def dar_acesso(sala: str, usuario: str, papel: PapelConcedido) -> None:
    _chamar('dar_acesso', 'PUT', [sala, 'pessoas', usuario], objeto={'papel': papel})


def dar_acesso_ao_grupo(sala: str, grupo: str, papel: PapelConcedido) -> None:
    _chamar('dar_acesso_ao_grupo', 'PUT', [sala, 'grupos', grupo], objeto={'papel': papel})


def tirar_acesso(sala: str, usuario: str) -> None:
    _chamar('tirar_acesso', 'DELETE', [sala, 'pessoas', usuario])


def tirar_acesso_do_grupo(sala: str, grupo: str) -> None:
    _chamar('tirar_acesso_do_grupo', 'DELETE', [sala, 'grupos', grupo])


def avisar(sala: str, tipo: Literal['mencao', 'comentario'], para: Sequence[str], ancora: str) -> None:
    """`tipo` is 'mencao' or 'comentario'; the same `ancora` never tells the same person twice."""
    _chamar('avisar', 'POST', [sala, 'avisos'], objeto={'tipo': tipo, 'para': list(para), 'ancora': ancora})


def anexar(sala: str, dados: bytes, tipo: str = 'application/octet-stream') -> Anexo:
    """{ sha, tamanho, tipo }."""
    feito: Anexo = _json('anexar', 'PUT', [sala, 'anexos'], corpo=dados, tipo=tipo, espera_s=_ANEXO_ESPERA_S)
    return feito


def anexo(sala: str, sha: str) -> Conteudo:
    """(bytes, tipo)."""
    return _chamar('anexo', 'GET', [sala, 'anexos', sha], espera_s=_ANEXO_ESPERA_S)


def historico(sala: str) -> list[Versao]:
    """Versions of the document, the youngest first, which is the document as it is now."""
    versoes: list[Versao] = _json('historico', 'GET', [sala, 'historico'])['versoes']
    return versoes


def versao(sala: str, numero: int, formato: FormatoDaVersao) -> Conteudo:
    """(bytes, tipo)."""
    _portal.recusar('salas', 'versao')
    caminho = f'{_caminho([sala, "historico", str(numero)])}?{urlencode({"formato": formato})}'
    return _portal.chamar('salas.versao', 'GET', caminho, espera_s=_ANEXO_ESPERA_S)


def trazer_de_volta(sala: str, numero: int) -> None:
    """As a new edit: what was written since stays in the history."""
    _chamar('trazer_de_volta', 'POST', [sala, 'historico', str(numero), 'volta'], objeto={})


def nomear_versao(sala: str, numero: int, nome: str | None) -> None:
    """None takes the name away."""
    _chamar('nomear_versao', 'PUT', [sala, 'historico', str(numero)], objeto={'nome': nome})
