/** Follows the theme and the language of the shell (event `tema`); outside the shell the browser's own preference counts. */
(() => {
  'use strict';
  window.svc?.app.ao('tema', (dados) => {
    const root = document.documentElement;
    if (dados?.tema === 'claro' || dados?.tema === 'escuro') root.dataset.svcTema = dados.tema;
    if (typeof dados?.idioma === 'string' && dados.idioma !== '') root.dataset.svcIdioma = dados.idioma;
  });
})();
