"""Calls and bytes of the queue: patience with what passes, inputs up and outputs down in pieces, with their hashes."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import random
import time
from typing import Any, BinaryIO, Mapping, NamedTuple
from urllib.parse import quote, urlencode

from . import _portal
from .erros import ErroSvc
from .tipos import Saida

FIM = ('terminado', 'falhou', 'cancelado')
PEDACO = 8 * 1024 * 1024
_PACIENCIA_S = 60.0
_TRANSFERENCIA_S = 120.0
_PAUSA_S_MAX = 10.0


def chamar(
    verbo: str,
    metodo: str,
    *partes: str,
    consulta: Mapping[str, Any] | None = None,
    paciencia_s: float = _PACIENCIA_S,
    **resto: Any,
) -> _portal.Entregue:
    """Every route of the queue may be asked again: it does nothing twice."""
    _portal.recusar('fila', verbo)
    caminho = '/'.join(['/api/fila', *(quote(parte, safe='') for parte in partes)])
    if consulta:
        caminho = f'{caminho}?{urlencode(consulta)}'
    ate, pausa = time.monotonic() + paciencia_s, 0.25
    while True:
        try:
            return _portal.pedir(f'fila.{verbo}', metodo, caminho, **resto)
        except ErroSvc as erro:
            espera = max(pausa * random.uniform(0.5, 1), (erro.retry_after_ms or 0) / 1000)
            if not _passa(erro) or time.monotonic() + espera > ate:
                raise
        time.sleep(espera)
        pausa = min(pausa * 2, _PAUSA_S_MAX)


def _passa(erro: ErroSvc) -> bool:
    if erro.codigo in ('SEM_REDE', 'SEM_RESPOSTA'):
        return True
    return erro.codigo != 'QUEUE_OFF' and erro.status in (429, 500, 502, 503, 504)


def objeto(verbo: str, metodo: str, *partes: str, corpo: Any = None, **resto: Any) -> Any:
    return json.loads(chamar(verbo, metodo, *partes, objeto=corpo, **resto).bytes)


class Entrada(NamedTuple):
    arquivo: pathlib.Path | None
    dados: bytes
    sha: str
    tamanho: int

    def ler(self, desde: int) -> bytes:
        if self.arquivo is None:
            return self.dados[desde : desde + PEDACO]
        with self.arquivo.open('rb') as arquivo:
            arquivo.seek(desde)
            return arquivo.read(PEDACO)


def entrada(fonte: str | os.PathLike[str] | bytes) -> Entrada:
    if isinstance(fonte, (bytes, bytearray, memoryview)):
        dados = bytes(fonte)
        return Entrada(None, dados, hashlib.sha256(dados).hexdigest(), len(dados))
    arquivo = pathlib.Path(fonte)
    # It is read twice, and the opening of a pipe would wait for ever.
    if arquivo.exists() and not arquivo.is_file():
        raise ErroSvc('ENTRADA_INVALIDA', f'fila.submeter: {arquivo} não é um arquivo comum')
    with arquivo.open('rb') as aberto:
        sha = _digerir(aberto)
        return Entrada(arquivo, b'', sha, aberto.tell())


def enviar(fonte: Entrada, paciencia_s: float) -> None:
    """Uploads a file; pieces that the portal already has are not sent again."""
    onde = ('entradas', fonte.sha)
    feito = objeto('submeter', 'GET', *onde, paciencia_s=paciencia_s)
    while not feito['completo']:
        desde = feito['ate']
        pedaco = fonte.ler(desde)
        if not pedaco and desde < fonte.tamanho:
            raise ErroSvc('ENTRADA_MUDOU', f'fila.submeter: {fonte.arquivo} ficou menor enquanto era enviado')
        consulta = {'desde': desde, 'tamanho': fonte.tamanho}
        resposta = chamar('submeter', 'PUT', *onde, consulta=consulta, corpo=pedaco, espera_s=_TRANSFERENCIA_S, paciencia_s=paciencia_s)
        feito = json.loads(resposta.bytes)


def baixar(trabalho: str, saida: Saida, pasta: str | os.PathLike[str], paciencia_s: float) -> pathlib.Path:
    destino = _destino(pathlib.Path(pasta), saida['caminho'])
    if destino.is_file() and not destino.is_symlink() and _sha(destino) == saida['sha']:
        return destino
    parte = destino.with_name(f'.{saida["sha"]}.parte')
    if parte.exists() and not parte.is_file():
        parte.unlink()
    # A partial file of an earlier attempt may be damaged: then it is fetched once from the beginning.
    for _ in range(2):
        _continuar(trabalho, saida, parte, paciencia_s)
        if _sha(parte) == saida['sha']:
            parte.replace(destino)
            _gravar(destino.parent)
            return destino
        parte.unlink(missing_ok=True)
    raise ErroSvc('DIGEST_MISMATCH', f'fila.baixar: {saida["caminho"]} chegou com outros bytes')


def _continuar(trabalho: str, saida: Mapping[str, Any], parte: pathlib.Path, paciencia_s: float) -> None:
    descritor = os.open(parte, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descritor, 'r+b') as arquivo:
        ate = arquivo.seek(0, os.SEEK_END)
        if ate > saida['tamanho']:
            ate = 0
            arquivo.truncate(0)
        while ate < saida['tamanho']:
            intervalo = {'Range': f'bytes={ate}-{min(ate + PEDACO, saida["tamanho"]) - 1}'}
            onde = ('trabalhos', trabalho, 'saida', *saida['caminho'].split('/'))
            pedaco = chamar('baixar', 'GET', *onde, outros=intervalo, espera_s=_TRANSFERENCIA_S, paciencia_s=paciencia_s)
            if pedaco.status != 206 or not pedaco.bytes:
                raise ErroSvc('SAIDA_MUDOU', f'fila.baixar: {saida["caminho"]} não é mais a mesma')
            # By its place, not at the end: two downloads of the same output write the same bytes.
            arquivo.seek(ate)
            arquivo.write(pedaco.bytes)
            arquivo.flush()
            ate += len(pedaco.bytes)
        os.fsync(arquivo.fileno())


def _destino(pasta: pathlib.Path, caminho: str) -> pathlib.Path:
    """Below the folder and nowhere else: no way up, and no link on the way that leads out."""
    partes = caminho.split('/')
    if any(parte in ('', '.', '..') or '\0' in parte or '\\' in parte for parte in partes):
        raise ErroSvc('CAMINHO_INVALIDO', f'fila.baixar: {caminho!r} não é um caminho abaixo da pasta')
    pasta.mkdir(parents=True, exist_ok=True)
    raiz = lugar = pasta.resolve()
    for parte in partes[:-1]:
        lugar = lugar / parte
        lugar.mkdir(exist_ok=True)
        if not lugar.resolve().is_relative_to(raiz):
            raise ErroSvc('CAMINHO_INVALIDO', f'fila.baixar: {lugar} leva para fora da pasta')
    return lugar / partes[-1]


def _sha(arquivo: pathlib.Path) -> str:
    with arquivo.open('rb') as aberto:
        return _digerir(aberto)


def _digerir(aberto: BinaryIO) -> str:
    """As hashlib.file_digest, which Python 3.11 brought."""
    sha = hashlib.sha256()
    while pedaco := aberto.read(256 * 1024):
        sha.update(pedaco)
    return sha.hexdigest()


def _gravar(pasta: pathlib.Path) -> None:
    descritor = os.open(pasta, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descritor)
    finally:
        os.close(descritor)
