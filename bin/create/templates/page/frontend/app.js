/** The page: shows the count of the backend and asks it for one more. Addresses have no slash in front: the app may be below a path. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      vez: 'vez',
      vezes: 'vezes',
      contar: 'Contar mais um',
      lida: 'A conta não pôde ser lida; tentando de novo…',
      contado: 'Não contou',
      silencio: 'sem resposta',
    },
    en: {
      vez: 'time',
      vezes: 'times',
      contar: 'Count one more',
      lida: 'The count could not be read; trying again…',
      contado: 'It did not count',
      silencio: 'no answer',
    },
  };
  const TENTAR_DE_NOVO_MS_MAX = 10_000;

  /** @param {string} id */
  const el = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @type {'pt' | 'en'} */
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let falhas = 0;
  /** Why the last click did not count, until one counts: what is read in between does not make it good. */
  let recusa = '';

  function escrever() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = TEXTOS[idioma][el('contagem').textContent === '1' ? 'vez' : 'vezes'];
    el('contar').textContent = TEXTOS[idioma].contar;
    const { lida, contado } = TEXTOS[idioma];
    el('aviso').textContent = [recusa && `${contado}: ${recusa}`, falhas > 0 && lida].filter(Boolean).join(' · ');
  }

  /** @param {'GET' | 'POST'} metodo */
  async function pedir(metodo) {
    let dito = TEXTOS[idioma].silencio;
    try {
      const resposta = await fetch('api/contagem', { method: metodo, signal: AbortSignal.timeout(10_000) });
      if (!resposta.ok) {
        dito = `HTTP ${resposta.status}`;
        throw new Error(dito);
      }
      el('contagem').textContent = (await resposta.json()).contagem;
      falhas = 0;
      if (metodo === 'POST') recusa = '';
    } catch {
      if (metodo === 'POST') {
        recusa = dito;
        void pedir('GET');
      } else {
        // The backend may be restarted at any time: the page finds it again by itself.
        falhas += 1;
        setTimeout(() => void pedir('GET'), Math.min(TENTAR_DE_NOVO_MS_MAX, 250 * 2 ** falhas));
      }
    }
    escrever();
  }

  el('contar').addEventListener('click', () => void pedir('POST'));
  // Theme and language of the desktop; the UI kit follows the theme by itself. Without the desktop there may be no `svc`.
  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    escrever();
  });
  escrever();
  void pedir('GET');
})();
