"""The processing queue (rules 2.1 `recursos.fila`): jobs of this app for its person, on a cluster of the portal.

    trabalho = fila.submeter(['python3', 'entrada/conta.py'], entradas={'entrada/conta.py': RAIZ / 'conta.py'})
    for noticia in fila.acompanhar(trabalho['id']):
        print(noticia['estado'], noticia['progresso'], *noticia['linhas'])
    arquivos = fila.baixar(trabalho['id'], pasta)

The command runs in a folder of its own that has the inputs at their paths; what it leaves in `saida/` (`$SVC_SAIDA`) can be fetched. All but
`disponivel` raise ErroSvc: SEM_CREDENCIAL, SEM_ESCOPO, or the portal's own code. What passes (no network, a portal that starts again) is asked
again for `paciencia_s` seconds, which does nothing twice. docs/queue.md
"""

from __future__ import annotations

import codecs
import json
import os
import pathlib
import uuid
from typing import Iterator, Mapping, Sequence, cast

from . import _fila, _portal
from ._fila import FIM
from .erros import ErroSvc
from .tipos import Disponibilidade, Noticia, Saida, Trabalho

_DISPONIVEL_S = 5.0
_ESPERA_S = 25


def disponivel() -> Disponibilidade:
    """{ disponivel, motivo, codigo }: what this app may, and then what the portal says of its queue."""
    estado = _portal.disponivel('fila')
    if not estado:
        return estado
    try:
        fila = json.loads(_portal.pedir('fila.disponivel', 'GET', '/api/fila', espera_s=_DISPONIVEL_S).bytes)
        if fila['disponivel'] is True:
            return Disponibilidade(disponivel=True, motivo=None, codigo=None)
        return Disponibilidade(disponivel=False, motivo=fila['motivo'], codigo=fila['codigo'])
    except ErroSvc as erro:
        return Disponibilidade(disponivel=False, motivo=erro.mensagem, codigo=erro.codigo)
    except (ValueError, LookupError, TypeError):
        return Disponibilidade(disponivel=False, motivo='fila.disponivel: não é um portal que responde', codigo='SEM_RESPOSTA')


def submeter(
    comando: Sequence[str],
    *,
    entradas: Mapping[str, str | os.PathLike[str] | bytes] | None = None,
    ambiente: Mapping[str, str] | None = None,
    limites: Mapping[str, int] | None = None,
    imagem: str | None = None,
    cluster: str | None = None,
    nome: str | None = None,
    chave: str | None = None,
    paciencia_s: float = 120.0,
) -> Trabalho:
    """Uploads what the portal lacks of `entradas` and submits; answers the job, with its `id`.

    `entradas`: the path below the work folder, and a file of this machine or the bytes. `limites`: cpus, memoriaMb, segundos, gpus. The same
    `chave` names the same job, until 180 days after it was removed; without one each call is a new job, and what is lost on the way never
    makes two.
    """
    _portal.recusar('fila', 'submeter')
    if isinstance(comando, (str, bytes)):
        raise TypeError('fila.submeter: comando é uma lista de palavras')
    fontes = {caminho: _fila.entrada(fonte) for caminho, fonte in (entradas or {}).items()}
    campos = {'nome': nome, 'imagem': imagem, 'ambiente': ambiente, 'limites': limites, 'cluster': cluster}
    corpo: dict[str, object] = {
        'chave': chave or uuid.uuid4().hex,
        'comando': list(comando),
        'entradas': [{'caminho': caminho, 'sha': fonte.sha} for caminho, fonte in fontes.items()],
        **{campo: valor for campo, valor in campos.items() if valor is not None},
    }
    for fonte in fontes.values():
        _fila.enviar(fonte, paciencia_s)
    feito: Trabalho
    try:
        feito = _fila.objeto('submeter', 'POST', 'trabalhos', corpo=corpo, paciencia_s=paciencia_s)
        return feito
    except ErroSvc as erro:
        if erro.codigo != 'INPUT_MISSING':
            raise
    # An input that no job referred to may be swept away between the two.
    for fonte in fontes.values():
        _fila.enviar(fonte, paciencia_s)
    feito = _fila.objeto('submeter', 'POST', 'trabalhos', corpo=corpo, paciencia_s=paciencia_s)
    return feito


def acompanhar(trabalho: str, *, paciencia_s: float = 600.0) -> Iterator[Noticia]:
    """Yields the job as it is, then at each change, and ends with its end. `linhas`: what its log has since the time before.

    A portal that is away is waited for `paciencia_s` seconds. A job that is `desconhecido` goes on: its cluster does not answer.
    """
    _portal.recusar('fila', 'acompanhar')
    return _noticias(trabalho, paciencia_s)


def _noticias(trabalho: str, paciencia_s: float) -> Iterator[Noticia]:
    versao: str | None = None
    ate, resto = 0, ''
    decodificar = codecs.getincrementaldecoder('utf-8')('replace').decode
    while True:
        cabecalhos: dict[str, str] = {} if versao is None else {'If-None-Match': versao}
        resposta = _fila.chamar(
            'acompanhar',
            'GET',
            'trabalhos',
            trabalho,
            consulta={'espera': _ESPERA_S},
            outros=cabecalhos,
            espera_s=_ESPERA_S + _portal.ESPERA_S,
            paciencia_s=paciencia_s,
        )
        if resposta.status == 304:
            continue
        versao, agora = resposta.cabecalhos.get('ETag'), json.loads(resposta.bytes)
        acabou = agora['estado'] in FIM
        while ate < agora['registo']:
            pedaco = _fila.chamar(
                'acompanhar', 'GET', 'trabalhos', trabalho, 'registo', consulta={'desde': ate}, paciencia_s=paciencia_s
            ).bytes
            if not pedaco:
                break
            ate += len(pedaco)
            resto += decodificar(pedaco)
        *linhas, resto = resto.split('\n')
        if acabou and resto:
            linhas.append(resto)
        yield cast(Noticia, {**agora, 'linhas': linhas})
        if acabou:
            return


def saidas(trabalho: str) -> list[Saida]:
    """Outputs of the job so far, below `saida/`: { caminho, sha, tamanho, ate, completo, recusada }."""
    lista: list[Saida] = _fila.objeto('saidas', 'GET', 'trabalhos', trabalho, 'saida')['saidas']
    return lista


def baixar(
    trabalho: str, pasta: str | os.PathLike[str], caminho: str | None = None, *, paciencia_s: float = 600.0
) -> list[pathlib.Path]:
    """Writes one output, or all that are complete, below `pasta` and answers their paths.

    A file gets its name when it is whole and its hash is right; a download that broke off goes on where it was, also in another call.
    """
    _portal.recusar('fila', 'baixar')
    todas = [saida for saida in saidas(trabalho) if saida['completo'] and caminho in (None, saida['caminho'])]
    if caminho is not None and not todas:
        raise ErroSvc('NOT_FOUND', f'fila.baixar: o trabalho não tem a saída {caminho}, ou ainda não')
    return [_fila.baixar(trabalho, saida, pasta, paciencia_s) for saida in todas]


def cancelar(trabalho: str) -> Trabalho:
    """The job as it is then; one that ended stays as it is."""
    feito: Trabalho = _fila.objeto('cancelar', 'DELETE', 'trabalhos', trabalho)
    return feito


def listar(*, limite: int | None = None, paciencia_s: float = 60.0) -> list[Trabalho]:
    """The jobs of this app for its person, the newest first: all of them, or as many as `limite` says."""
    trabalhos: list[Trabalho] = []
    mais = True
    while mais and (limite is None or len(trabalhos) < limite):
        consulta = {'antes': trabalhos[-1]['id']} if trabalhos else None
        pagina = _fila.objeto('listar', 'GET', consulta=consulta, paciencia_s=paciencia_s)
        trabalhos += pagina['trabalhos']
        mais = pagina['mais']
    return trabalhos[:limite]
