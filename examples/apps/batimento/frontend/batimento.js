/** The page of Batimento: the number of the last beat; asks again every second, whatever happened to the service. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: { titulo: 'Batimento', vivo: 'O serviço está vivo', fora: 'Sem contato; tentando de novo' },
    en: { titulo: 'Heartbeat', vivo: 'The service is alive', fora: 'No contact; trying again' },
  };
  const el = (id) => document.getElementById(id);
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let estado = 'vivo';

  function mostrar() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    document.title = TEXTOS[idioma].titulo;
    el('titulo').textContent = TEXTOS[idioma].titulo;
    if (el('estado').textContent !== TEXTOS[idioma][estado]) el('estado').textContent = TEXTOS[idioma][estado];
  }

  async function perguntar() {
    try {
      const resposta = await fetch('api/batimento', { signal: AbortSignal.timeout(5_000) });
      const { batimento } = await resposta.json();
      el('numero').textContent = new Intl.NumberFormat(document.documentElement.lang).format(batimento);
      estado = 'vivo';
    } catch {
      estado = 'fora';
    }
    mostrar();
    setTimeout(() => void perguntar(), 1_000);
  }

  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    mostrar();
  });
  mostrar();
  void perguntar();
})();
