/** The page: counts the words of a text, without asking anybody. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: { rotulo: 'Texto', palavras: (/** @type {number} */ quantas) => (quantas === 1 ? '1 palavra' : `${quantas} palavras`) },
    en: { rotulo: 'Text', palavras: (/** @type {number} */ quantas) => (quantas === 1 ? '1 word' : `${quantas} words`) },
  };

  /** @param {string} id */
  const el = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  const texto = /** @type {HTMLTextAreaElement} */ (el('texto'));
  /** @type {'pt' | 'en'} */
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

  function escrever() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = TEXTOS[idioma].rotulo;
    el('conta').textContent = TEXTOS[idioma].palavras(texto.value.match(/[\p{L}\p{N}]+/gu)?.length ?? 0);
  }

  texto.addEventListener('input', escrever);
  // Theme and language of the desktop; the UI kit follows the theme by itself. Without the desktop there may be no `svc`.
  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    escrever();
  });
  escrever();
})();
