/** The page of Medidor: counts its clicks, times the answers as the page sees them, and reports what went wrong. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: { titulo: 'Medidor', conta: 'O que você faz aqui é contado, sem dizer quem.', semConta: 'Nada é contado: ', falhou: 'não deu' },
    en: { titulo: 'Meter', conta: 'What you do here is counted, not who does it.', semConta: 'Nothing is counted: ', falhou: 'no luck' },
  };
  const el = (id) => document.getElementById(id);
  const { metricas } = window.svc;
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let disponivel = null;

  function mostrar() {
    const textos = TEXTOS[idioma];
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    document.title = textos.titulo;
    el('titulo').textContent = textos.titulo;
    if (disponivel !== null) el('estado').textContent = disponivel.disponivel ? textos.conta : textos.semConta + disponivel.motivo;
  }

  async function sortear(lados) {
    const inicio = performance.now();
    metricas.contar('clique', 1, { dado: `d${lados}` });
    try {
      const corpo = JSON.stringify({ lados });
      const resposta = await fetch('api/sorteio', { method: 'POST', headers: { 'content-type': 'application/json' }, body: corpo });
      if (!resposta.ok) throw new Error(`o sorteio respondeu ${resposta.status}`);
      el('numero').textContent = (await resposta.json()).numero;
      metricas.duracao('resposta', (performance.now() - inicio) / 1_000);
    } catch (erro) {
      metricas.relatarErro(erro);
      el('numero').textContent = TEXTOS[idioma].falhou;
    }
  }

  for (const botao of document.querySelectorAll('[data-lados]')) {
    botao.addEventListener('click', () => void sortear(Number(botao.dataset.lados)));
  }
  window.svc.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    mostrar();
  });
  mostrar();
  async function perguntar() {
    disponivel = await metricas.disponivel();
    mostrar();
  }
  perguntar().catch(() => {});
})();
