"""Metrics of the app (rules 2.1 `recursos.metricas`): `contar`, `duracao`, `relatar_erro`.

The same contract as sdk/node/svc/lib/metricas.js, whose header explains it: a call adds to a number in memory and returns, a thread of its
own sends batches, at most 300 series and 50 stacks are kept while the portal is away, and the end of the process sends what is left, for at
most two seconds. Nothing here raises. A program that ends by a signal without a handler, or by `os._exit`, loses what was not sent yet.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import secrets
import threading
import traceback
from bisect import bisect_left
from typing import Any

from . import _app, _portal
from ._log import Log
from .erros import ErroSvc
from .tipos import Disponibilidade

_LIMITES_S = (0.005, 0.025, 0.1, 0.5, 1, 5, 30, 300)
_SERIES_MAX = 300
_PILHAS_MAX = 50
_ITEM_BYTES_MAX = 2048
_PILHA_CHARS_MAX = 4000
_LOTE_BYTES_MAX = 48 * 1024
_INTERVALO_S = 5.0
_ESPERA_S_MAX = 60.0
_RESPOSTA_S_MAX = 5.0
_FIM_S_MAX = 2.0
_AVISOS_MAX = 100


def disponivel() -> Disponibilidade:
    recusada = _estado.recusada
    return _portal.disponivel('metricas') if recusada is None else recusada


def contar(evento: str, n: float = 1, /, **rotulos: object) -> None:
    """Adds `n` to the counter of the event: `contar('exportado', 1, formato='pdf')`."""
    estado = _estado
    try:
        if not (estado.ligado or estado.ligar()):
            return
        if not 0 < n < 1e12:
            return estado.descartar('valor')
        if type(n) is not int:
            n = float(n)
        chave = f'{evento}{rotulos}' if rotulos else evento
        with estado.trava:
            celula = estado.contadores.get(chave) or estado.celula(estado.contadores, chave, evento, rotulos, {'n': 0})
            if celula is not None:
                celula['n'] += n
    except Exception:  # noqa: BLE001  a count never costs the caller
        pass


def duracao(evento: str, segundos: float, /, **rotulos: object) -> None:
    """Records how long something took, in seconds: `duracao('exportar', 1.7, formato='pdf')`."""
    estado = _estado
    try:
        if not (estado.ligado or estado.ligar()):
            return
        if not 0 <= segundos < 1e9:
            return estado.descartar('valor')
        chave = f'{evento}{rotulos}' if rotulos else evento
        with estado.trava:
            celula = estado.duracoes.get(chave) or estado.celula(
                estado.duracoes, chave, evento, rotulos, {'baldes': [0] * (len(_LIMITES_S) + 1), 'soma': 0.0}
            )
            if celula is not None:
                celula['baldes'][bisect_left(_LIMITES_S, segundos)] += 1
                celula['soma'] += float(segundos)
    except Exception:  # noqa: BLE001
        pass


def relatar_erro(erro: BaseException) -> None:
    """Sends an exception to the environment log: its kind, message and stack. The same stack again is one more of the same."""
    estado = _estado
    try:
        if not (estado.ligado or estado.ligar()):
            return
        tipo, mensagem = type(erro).__name__[:100], str(erro)[:500]
        quadros = traceback.extract_tb(erro.__traceback__) if isinstance(erro, BaseException) else []
        # The innermost first, as in Node.
        pilha = '\n'.join(f'at {quadro.name} ({quadro.filename}:{quadro.lineno})' for quadro in reversed(quadros))[:_PILHA_CHARS_MAX]
        with estado.trava:
            chave = (tipo, pilha or mensagem)
            achado = estado.erros.get(chave)
            if achado is not None:
                achado.update(mensagem=mensagem, n=achado['n'] + 1)
            elif len(estado.erros) >= _PILHAS_MAX:
                estado.contar_descarte('erros')
            else:
                estado.erros[chave] = {'tipo': tipo, 'mensagem': mensagem, 'pilha': pilha, 'n': 1}
            estado.acordar()
    except Exception:  # noqa: BLE001
        pass


def encerrar(prazo_s: float = _FIM_S_MAX) -> None:
    """Sends what is left, for at most `prazo_s`; the end of the process does it by itself. Never raises."""
    _estado.encerrar(prazo_s)


class _Estado:
    """Sums that were not sent yet, and the thread that sends them. Each process has its own: a fork begins a new one."""

    def __init__(self) -> None:
        self.trava = threading.Lock()
        self.ligado = False
        self.recusada: Disponibilidade | None = None
        self.contadores: dict[str, dict[str, Any]] = {}
        self.duracoes: dict[str, dict[str, Any]] = {}
        self.erros: dict[tuple[str, str], dict[str, Any]] = {}
        self._descartados: dict[str, int] = {}
        self._origem = secrets.token_urlsafe(12)
        self._numero = 0
        self._lotes: list[dict[str, Any]] = []
        self._falhas = 0
        self._thread: threading.Thread | None = None
        self._fim = threading.Event()
        self._feito = threading.Condition()
        self._pedidos = 0
        self._feitos = 0
        self._avisados: set[tuple[str, str]] = set()

    def ligar(self) -> bool:
        self.ligado = self.recusada is None and bool(_portal.disponivel('metricas'))
        return self.ligado

    def descartar(self, motivo: str) -> None:
        with self.trava:
            self.contar_descarte(motivo)
            self.acordar()

    def contar_descarte(self, motivo: str) -> None:
        self._descartados[motivo] = self._descartados.get(motivo, 0) + 1

    def celula(self, mapa: dict[str, dict[str, Any]], chave: str, evento: str, rotulos: dict[str, object], vazia: dict[str, Any]) -> dict[str, Any] | None:
        """The cell of an event with its labels; None when there is no room for another. Called with the lock."""
        self.acordar()
        if len(self.contadores) + len(self.duracoes) >= _SERIES_MAX:
            self.contar_descarte('series')
            return None
        item: dict[str, Any] = {'evento': str(evento)}
        if rotulos:
            item['rotulos'] = {nome: _texto(valor) for nome, valor in rotulos.items()}
        if len(json.dumps(item)) > _ITEM_BYTES_MAX:
            self.contar_descarte('tamanho')
            return None
        mapa[chave] = item
        item.update(vazia)
        return item

    def acordar(self) -> None:
        """There is something to send: the thread sees to it in a while. Called with the lock."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._enviar_sempre, name='svc-metricas', daemon=True)
            self._thread.start()

    def encerrar(self, prazo_s: float) -> None:
        try:
            if self._thread is not None:
                with self._feito:
                    self._pedidos += 1
                    meu = self._pedidos
                    self._fim.set()
                    # An earlier request of another thread may have begun without the newest events.
                    self._feito.wait_for(lambda: self._feitos >= meu, prazo_s)
        except Exception:  # noqa: BLE001
            pass

    def _enviar_sempre(self) -> None:
        while True:
            espera = _INTERVALO_S
            if self._falhas:
                espera = min(_ESPERA_S_MAX, 2.0 ** (self._falhas - 1)) * random.uniform(0.5, 1)
            self._fim.wait(espera)
            with self._feito:
                self._fim.clear()
                alvo = self._pedidos
            pedido = alvo > self._feitos
            try:
                self._tentar(_FIM_S_MAX if pedido else _RESPOSTA_S_MAX)
                if pedido and not self._falhas:
                    self._tentar(_FIM_S_MAX)  # what came while the others were sent, or waited
            except Exception:  # noqa: BLE001  such as a disk without space for app.log
                self._falhas += 1
            if pedido:
                # Without the portal there is nothing to wait for.
                with self._feito:
                    self._feitos = alvo
                    self._feito.notify_all()

    def _tentar(self, espera_s: float) -> None:
        if not self._lotes:
            self._fechar_lotes()
        while self._lotes:
            try:
                resposta = _portal.chamar('metricas', 'POST', '/api/metricas', objeto=self._lotes[0], espera_s=espera_s).bytes
                self._avisar(json.loads(resposta).get('recusados') or [])
            except ErroSvc as problema:
                status = getattr(problema, 'status', 0) or 0
                if status == 403:
                    return self._desistir(problema)
                # No answer, a portal that starts, too many at once: the same batch again. Any other refusal is of this batch alone.
                if status in (0, 401, 408, 429) or status >= 500:
                    self._falhas += 1
                    return
                self._avisar([{'evento': '', 'motivo': str(problema), 'n': 1}])
            self._falhas = 0
            self._lotes.pop(0)

    def _fechar_lotes(self) -> None:
        """Packs the sums since the last call into batches that fit into a request."""
        with self.trava:
            itens = [('contadores', item) for item in self.contadores.values()]
            itens += [('duracoes', item) for item in self.duracoes.values()]
            itens += [('erros', item) for item in self.erros.values()]
            descartados = self._descartados
            self.contadores, self.duracoes, self.erros, self._descartados = {}, {}, {}, {}
            if not itens and not descartados:
                return
        bytes_do_lote = _LOTE_BYTES_MAX
        for qual, item in itens:
            tamanho = len(json.dumps(item)) + 1
            if bytes_do_lote + tamanho > _LOTE_BYTES_MAX:
                self._novo_lote()
                bytes_do_lote = 0
            self._lotes[-1].setdefault(qual, []).append(item)
            bytes_do_lote += tamanho
        if descartados:
            if not itens:
                self._novo_lote()
            self._lotes[-1]['descartados'] = descartados

    def _novo_lote(self) -> None:
        self._numero += 1
        self._lotes.append({'origem': self._origem, 'lote': self._numero, 'versao': _app.version()})

    def _desistir(self, problema: ErroSvc) -> None:
        self.recusada = Disponibilidade(
            disponivel=False, motivo=f'o portal recusou a credencial: {problema}', codigo='CREDENCIAL_RECUSADA'
        )
        self.ligado = False
        self._lotes.clear()

    def _avisar(self, recusados: list[dict[str, Any]]) -> None:
        """Into app.log, each once: that is where the author looks."""
        for recusado in recusados:
            chave = (str(recusado.get('evento')), str(recusado.get('motivo')))
            if chave not in self._avisados and len(self._avisados) < _AVISOS_MAX:
                self._avisados.add(chave)
                Log().erro('metricas: não contado', evento_=chave[0], motivo=chave[1], n=recusado.get('n'))


def _texto(valor: object) -> str:
    return str(valor).lower() if isinstance(valor, bool) else str(valor)


_estado = _Estado()


def _recomecar() -> None:
    global _estado
    _estado = _Estado()


# The parent sends what it added; a lock that another thread held would never be released in the child.
os.register_at_fork(after_in_child=_recomecar)
atexit.register(encerrar)
