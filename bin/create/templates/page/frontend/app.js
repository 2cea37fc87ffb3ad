/** The page: shows the count of the backend and asks it for one more. Addresses have no slash in front: the app may be below a path. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: { vezes: 'vezes', contar: 'Contar mais um', fora: 'O app não responde; tentando de novo…' },
    en: { vezes: 'times', contar: 'Count one more', fora: 'The app does not answer; trying again…' },
  };
  const TENTAR_DE_NOVO_MS_MAX = 10_000;

  const el = (id) => document.getElementById(id);
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let falhas = 0;

  function escrever() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = TEXTOS[idioma].vezes;
    el('contar').textContent = TEXTOS[idioma].contar;
    el('aviso').textContent = falhas === 0 ? '' : TEXTOS[idioma].fora;
  }

  async function pedir(metodo) {
    try {
      const resposta = await fetch('api/contagem', { method: metodo, signal: AbortSignal.timeout(10_000) });
      if (!resposta.ok) throw new Error(`HTTP ${resposta.status}`);
      el('contagem').textContent = (await resposta.json()).contagem;
      falhas = 0;
    } catch {
      // The backend may be restarted at any time: the page finds it again by itself.
      falhas += 1;
      setTimeout(() => void pedir('GET'), Math.min(TENTAR_DE_NOVO_MS_MAX, 250 * 2 ** falhas));
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
