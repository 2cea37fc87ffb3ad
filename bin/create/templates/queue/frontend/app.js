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
  const palavras = new Map();
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

  function escrever() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = TEXTOS[idioma].rotulo;
    el('contar').textContent = TEXTOS[idioma].contar;
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
    const partes = [nome, TEXTOS[idioma][estado] ?? TEXTOS[idioma].espera, onde, quanto, palavras.get(id) ?? ''];
    return Object.assign(document.createElement('li'), { textContent: partes.filter(Boolean).join(' · ') });
  }

  async function ler(id) {
    const achadas = Object.entries(await pedir(`api/palavras/${id}`));
    palavras.set(id, achadas.map(([palavra, vezes]) => `${palavra} ${vezes}`).join(', '));
  }

  async function olhar() {
    try {
      const { disponivel, motivo, trabalhos } = await pedir('api/trabalhos');
      el('contar').disabled = !disponivel;
      if (!disponivel) el('aviso').textContent = motivo;
      for (const { id, estado } of trabalhos) if (estado === 'terminado' && !palavras.has(id)) await ler(id);
      el('trabalhos').replaceChildren(...trabalhos.map(linha));
    } catch (problema) {
      el('aviso').textContent = `${TEXTOS[idioma].problema}: ${problema.message}`;
    }
    setTimeout(() => void olhar(), OLHAR_MS);
  }

  async function mandar() {
    const texto = el('texto').value;
    el('aviso').textContent = texto.trim() === '' ? TEXTOS[idioma].vazio : '';
    if (texto.trim() === '') return el('texto').focus();
    try {
      const body = JSON.stringify({ texto });
      await pedir('api/trabalhos', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    } catch (problema) {
      el('aviso').textContent = `${TEXTOS[idioma].problema}: ${problema.message}`;
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
