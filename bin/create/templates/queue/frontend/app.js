/** The page: sends a text to be counted and shows the jobs. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      rotulo: 'Texto',
      contar: 'Contar as palavras',
      lugar: 'lugar na fila',
      problema: 'Não deu certo',
      vazio: 'Escreva um texto primeiro.',
      ilegivel: 'as palavras não puderam ser lidas; tentando de novo…',
      espera: 'à espera',
      'a-correr': 'correndo',
      'a-recolher': 'correndo',
      desconhecido: 'o cluster não responde',
      terminado: 'terminado',
      falhou: 'falhou',
      cancelado: 'cancelado',
    },
    en: {
      rotulo: 'Text',
      contar: 'Count the words',
      lugar: 'place in the queue',
      problema: 'It did not work',
      vazio: 'Write a text first.',
      ilegivel: 'the words could not be read; trying again…',
      espera: 'waiting',
      'a-correr': 'running',
      'a-recolher': 'running',
      desconhecido: 'the cluster does not answer',
      terminado: 'done',
      falhou: 'failed',
      cancelado: 'cancelled',
    },
  };
  const OLHAR_MS = 2_000;

  const el = (id) => document.getElementById(id);
  /** Results of jobs by id; null while a result could not be read. */
  const palavras = new Map();
  /** Failures of the last refresh and of the last submission: success of one does not clear the other. */
  const avisos = { olhar: '', mandar: '' };
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

  function escrever() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = TEXTOS[idioma].rotulo;
    el('contar').textContent = TEXTOS[idioma].contar;
  }

  function avisar(de, texto) {
    avisos[de] = texto;
    const dito = [avisos.mandar, avisos.olhar].filter(Boolean).join(' · ');
    // A screen reader says again what is written again.
    if (el('aviso').textContent !== dito) el('aviso').textContent = dito;
  }

  async function pedir(caminho, opcoes) {
    const resposta = await fetch(caminho, { ...opcoes, signal: AbortSignal.timeout(30_000) });
    const valor = await resposta.json();
    if (!resposta.ok) throw new Error(valor.error);
    return valor;
  }

  function linha({ id, nome, estado, lugar, progresso }) {
    const onde = lugar === null ? '' : `${TEXTOS[idioma].lugar}: ${lugar}`;
    const quanto = progresso === null || estado !== 'a-correr' ? '' : `${Math.round(progresso * 100)} %`;
    const achadas = palavras.get(id) === null ? TEXTOS[idioma].ilegivel : palavras.get(id);
    const partes = [nome, TEXTOS[idioma][estado] ?? TEXTOS[idioma].espera, onde, quanto, achadas];
    return Object.assign(document.createElement('li'), { textContent: partes.filter(Boolean).join(' · ') });
  }

  async function ler(id) {
    try {
      const achadas = Object.entries(await pedir(`api/palavras/${id}`));
      palavras.set(id, achadas.map(([palavra, vezes]) => `${palavra} ${vezes}`).join(', '));
    } catch {
      palavras.set(id, null);
    }
  }

  async function olhar() {
    try {
      const { disponivel, motivo, trabalhos } = await pedir('api/trabalhos');
      el('contar').disabled = !disponivel;
      avisar('olhar', disponivel ? '' : motivo);
      const desenhar = () => el('trabalhos').replaceChildren(...trabalhos.map(linha));
      desenhar();
      for (const { id, estado } of trabalhos) if (estado === 'terminado' && typeof palavras.get(id) !== 'string') await ler(id);
      desenhar();
    } catch (problema) {
      avisar('olhar', `${TEXTOS[idioma].problema}: ${problema.message}`);
    }
    setTimeout(() => void olhar(), OLHAR_MS);
  }

  async function mandar() {
    const texto = el('texto').value;
    avisar('mandar', texto.trim() === '' ? TEXTOS[idioma].vazio : '');
    if (texto.trim() === '') return el('texto').focus();
    try {
      const body = JSON.stringify({ texto });
      await pedir('api/trabalhos', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    } catch (problema) {
      avisar('mandar', `${TEXTOS[idioma].problema}: ${problema.message}`);
    }
  }

  el('pedido').addEventListener('submit', (evento) => {
    evento.preventDefault();
    void mandar();
  });
  // Theme and language of the desktop; the UI kit follows the theme by itself. Without the desktop there may be no `svc`.
  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    escrever();
  });
  escrever();
  void olhar();
})();
