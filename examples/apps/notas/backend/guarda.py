"""Notes on disk: one JSON file each, written whole or not at all."""

import json
import os
import pathlib
import re
import secrets
import threading
import time

ID = re.compile(r'[a-z0-9]{16}\Z')
TITULO_MAX = 200
TEXTO_MAX = 200_000
NOTAS_MAX = 2_000


class Conflito(Exception):
    """Somebody else (another window) wrote the note since it was read; carries the note as it is now."""

    def __init__(self, nota: dict) -> None:
        super().__init__('a nota mudou em outra janela')
        self.nota = nota


class Invalida(Exception):
    """Raised when the sent value is not a note."""


class Guarda:
    def __init__(self, pasta: pathlib.Path, avisar) -> None:
        self._pasta = pasta
        self._trava = threading.Lock()
        self._notas: dict[str, dict] = {}
        self.revisao = 0
        pasta.mkdir(mode=0o700, parents=True, exist_ok=True)
        for resto in pasta.glob('*.tmp'):  # a write that a kill cut off: the note itself is whole
            resto.unlink(missing_ok=True)
        for arquivo in pasta.glob('*.json'):
            try:
                self._notas[arquivo.stem] = self._conferida(json.loads(arquivo.read_text('utf-8')), arquivo.stem)
            except (OSError, ValueError, Invalida) as problema:
                avisar('nota.ilegivel', arquivo=arquivo.name, erro=str(problema))

    def listar(self) -> list[dict]:
        with self._trava:
            return sorted(self._notas.values(), key=lambda nota: (-nota['atualizada'], nota['id']))

    def criar(self, pedido: object) -> dict:
        with self._trava:
            if len(self._notas) >= NOTAS_MAX:
                raise Invalida(f'o limite é de {NOTAS_MAX} notas')
            return self._gravar(secrets.token_hex(8), pedido, 1)

    def mudar(self, nota_id: str, pedido: object) -> dict | None:
        with self._trava:
            atual = self._notas.get(nota_id)
            if atual is None:
                return None
            if isinstance(pedido, dict) and pedido.get('versao') != atual['versao']:
                raise Conflito(atual)
            return self._gravar(nota_id, pedido, atual['versao'] + 1)

    def apagar(self, nota_id: str) -> bool:
        with self._trava:
            if nota_id not in self._notas:
                return False
            (self._pasta / f'{nota_id}.json').unlink(missing_ok=True)
            self._sincronizar_pasta()
            del self._notas[nota_id]
            self.revisao += 1
            return True

    def _gravar(self, nota_id: str, pedido: object, versao: int) -> dict:
        if not isinstance(pedido, dict):
            raise Invalida('uma nota é um objeto JSON')
        nota = self._conferida(
            {'titulo': pedido.get('titulo', ''), 'texto': pedido.get('texto', ''), 'versao': versao, 'atualizada': int(time.time() * 1000)}, nota_id
        )
        provisorio = self._pasta / f'{nota_id}.tmp'
        with open(os.open(provisorio, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='utf-8') as saida:
            json.dump(nota, saida, ensure_ascii=False)
            saida.flush()
            os.fsync(saida.fileno())
        os.replace(provisorio, self._pasta / f'{nota_id}.json')
        self._sincronizar_pasta()
        self._notas[nota_id] = nota
        self.revisao += 1
        return nota

    def _sincronizar_pasta(self) -> None:
        pasta = os.open(self._pasta, os.O_RDONLY)
        try:
            os.fsync(pasta)
        finally:
            os.close(pasta)

    @staticmethod
    def _conferida(nota: object, nota_id: str) -> dict:
        if not isinstance(nota, dict) or not ID.match(nota_id):
            raise Invalida('não é uma nota')
        titulo, texto, versao, atualizada = (nota.get(campo) for campo in ('titulo', 'texto', 'versao', 'atualizada'))
        if not isinstance(titulo, str) or len(titulo) > TITULO_MAX:
            raise Invalida(f'o título é um texto de até {TITULO_MAX} caracteres')
        if not isinstance(texto, str) or len(texto) > TEXTO_MAX:
            raise Invalida(f'o texto tem até {TEXTO_MAX} caracteres')
        if not isinstance(versao, int) or not isinstance(atualizada, int):
            raise Invalida('versão ou data inválida')
        return {'id': nota_id, 'titulo': titulo, 'texto': texto, 'versao': versao, 'atualizada': atualizada}
