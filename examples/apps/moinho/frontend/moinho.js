/** The page of Moinho: sends a text to be counted and shows the jobs. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      rotulo: 'Texto',
      moer: 'Contar as palavras',
      lugar: 'lugar na fila',
      problema: 'Não deu certo',
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
      moer: 'Count the words',
      lugar: 'place in the queue',
      problema: 'It did not work',
      espera: 'waiting',
      'a-correr': 'running',
      'a-recolher': 'running',
      desconhecido: 'the cluster does not answer',
      terminado: 'done',
      falhou: 'failed',
      cancelado: 'cancelled',
    },
  };
  const el = (id) => document.getElementById(id);
  const palavras = new Map();
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

  function escrever() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = TEXTOS[idioma].rotulo;
    el('moer').textContent = TEXTOS[idioma].moer;
  }

  function linha({ id, nome, estado, lugar, progresso }) {
    const item = document.createElement('li');
    item.className = 'svc-item';
    const onde = lugar === null ? '' : `${TEXTOS[idioma].lugar}: ${lugar}`;
    const quanto = progresso === null || estado !== 'a-correr' ? '' : `${Math.round(progresso * 100)} %`;
    const como = TEXTOS[idioma][estado] ?? TEXTOS[idioma].espera;
    item.textContent = [nome, como, onde, quanto, palavras.get(id) ?? ''].filter(Boolean).join(' · ');
    return item;
  }

  async function pedir(caminho, opcoes) {
    const resposta = await fetch(caminho, opcoes);
    const valor = await resposta.json();
    if (!resposta.ok) throw new Error(valor.error);
    return valor;
  }

  async function olhar() {
    try {
      const { disponivel, motivo, trabalhos } = await pedir('api/trabalhos');
      el('moer').disabled = !disponivel;
      if (!disponivel) el('aviso').textContent = motivo;
      for (const { id, estado } of trabalhos) {
        if (estado !== 'terminado' || palavras.has(id)) continue;
        const achadas = Object.entries((await pedir(`api/trabalhos/${id}`)).palavras ?? {});
        palavras.set(id, achadas.map(([palavra, vezes]) => `${palavra} ${vezes}`).join(', '));
      }
      el('trabalhos').replaceChildren(...trabalhos.map(linha));
    } catch (problema) {
      el('aviso').textContent = `${TEXTOS[idioma].problema}: ${problema.message}`;
    }
    setTimeout(() => void olhar(), 2_000);
  }

  async function mandar() {
    el('aviso').textContent = '';
    try {
      const body = JSON.stringify({ texto: el('texto').value });
      await pedir('api/moer', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    } catch (problema) {
      el('aviso').textContent = `${TEXTOS[idioma].problema}: ${problema.message}`;
    }
  }

  el('pedido').addEventListener('submit', (evento) => {
    evento.preventDefault();
    void mandar();
  });
  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    escrever();
  });
  escrever();
  void olhar();
})();
