/** The page of Relógio: shows the time that the server pushes and connects again by itself. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: { titulo: 'Relógio', conectando: 'Conectando…', ligado: 'Ao vivo do servidor', fora: 'Sem contato; tentando de novo' },
    en: { titulo: 'Clock', conectando: 'Connecting…', ligado: 'Live from the server', fora: 'No contact; trying again' },
  };
  const ESPERA_MS_MAX = 5_000;
  /** The server speaks every second; a silence this long means that the connection is dead. */
  const SILENCIO_MS_MAX = 5_000;

  const el = (id) => document.getElementById(id);
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let estado = 'conectando';
  let falhas = 0;

  function mostrar(novo) {
    estado = novo;
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    document.title = TEXTOS[idioma].titulo;
    el('titulo').textContent = TEXTOS[idioma].titulo;
    el('estado').dataset.estado = novo;
    if (el('estado').textContent !== TEXTOS[idioma][novo]) el('estado').textContent = TEXTOS[idioma][novo];
  }

  function marcar({ agora, fuso }) {
    // Shown in the server's own zone: it is the server's clock.
    const la = new Date(agora + fuso * 60_000);
    const lingua = document.documentElement.lang;
    el('hora').dateTime = new Date(agora).toISOString();
    el('hora').textContent = la.toLocaleTimeString(lingua, { timeZone: 'UTC', hour12: false });
    el('data').textContent = la.toLocaleDateString(lingua, { timeZone: 'UTC', dateStyle: 'full' });
  }

  function conectar() {
    const endereco = new URL('ws', document.baseURI);
    endereco.protocol = endereco.protocol === 'https:' ? 'wss:' : 'ws:';
    const ws = new WebSocket(endereco);
    let silencio = 0;
    const vivo = () => {
      clearTimeout(silencio);
      silencio = setTimeout(() => ws.close(), SILENCIO_MS_MAX);
    };
    vivo();
    ws.addEventListener('message', ({ data }) => {
      const mensagem = JSON.parse(data);
      vivo();
      falhas = 0;
      if (mensagem.tipo === 'hora') marcar(mensagem);
      if (estado !== 'ligado') mostrar('ligado');
    });
    ws.addEventListener('close', () => {
      clearTimeout(silencio);
      falhas += 1;
      mostrar('fora');
      setTimeout(conectar, Math.min(ESPERA_MS_MAX, 250 * 2 ** Math.min(falhas, 5)));
    });
  }

  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    mostrar(estado);
  });
  mostrar('conectando');
  conectar();
})();
