/** The page of Rascunhos: one draft in each tab, which the desktop draws (`svc.abas`). Outside of it, a list takes their place. */
(() => {
  'use strict';

  const TITULO_MAX = 60;
  /** A browser sends 64 KiB at most for a page that is gone. */
  const AO_SAIR_MAX = 20_000;
  const TEXTOS = {
    pt: {
      titulo: 'Rascunhos',
      lista: 'Rascunho',
      novo: 'Novo',
      texto: 'Texto',
      vazio: 'Sem título',
      salvando: 'Salvando…',
      salvo: 'Salvo',
      falhou: 'Não foi salvo',
      espera: 'Sem contato com o app. Tentando de novo.',
    },
    en: {
      titulo: 'Drafts',
      lista: 'Draft',
      novo: 'New',
      texto: 'Text',
      vazio: 'Untitled',
      salvando: 'Saving…',
      salvo: 'Saved',
      falhou: 'Not saved',
      espera: 'The app does not answer. Trying again.',
    },
  };
  const el = (id) => document.getElementById(id);
  const { svc } = window;
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let rascunhos = [];
  let ativo = null;
  let espera = null;
  /** Drafts whose text is not stored. */
  const faltam = new Set();
  /** The last attempt to store something failed, or the portal is away. */
  let fora = false;

  /** The first line, as far as a tab has room. */
  function tituloDe({ texto }) {
    const linha = texto
      .split('\n', 1)[0]
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim();
    return Array.from(linha).slice(0, TITULO_MAX).join('').slice(0, TITULO_MAX) || TEXTOS[idioma].vazio;
  }

  function mostrar() {
    const abas = rascunhos.map((um) => ({ id: um.id, titulo: tituloDe(um) }));
    el('lista').replaceChildren(...abas.map(({ id, titulo }) => new Option(titulo, id, false, id === ativo.id)));
    el('sem-abas').hidden = svc?.noAmbiente === true;
    document.title = TEXTOS[idioma].titulo;
    void svc?.abas.definir(abas, { ativa: ativo.id, nova: true });
  }

  function escolher(id) {
    ativo = rascunhos.find((um) => um.id === id) ?? rascunhos[0];
    el('texto').value = ativo.texto;
    el('estado').textContent = '';
  }

  function novo() {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const um = { id, texto: '', fechado: false };
    rascunhos.push(um);
    escolher(um.id);
    mostrar();
    faltam.add(um);
    void salvarTudo();
    el('texto').focus();
  }

  /** Its neighbour is in front then; there is always one. */
  function fechar(id) {
    const lugar = rascunhos.findIndex((um) => um.id === id);
    if (lugar === -1) return;
    const [fechado] = rascunhos.splice(lugar, 1);
    // It is stored all the same, until the last window closes: only its tab is gone.
    fechado.fechado = true;
    faltam.add(fechado);
    void salvarTudo();
    if (rascunhos.length === 0) return novo();
    if (ativo.id === id) escolher(rascunhos[Math.min(lugar, rascunhos.length - 1)].id);
    mostrar();
  }

  function enviar({ id, texto, fechado }, como) {
    const body = JSON.stringify({ texto, fechado });
    return fetch(`api/rascunhos/${id}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body, ...como });
  }

  async function salvar(um) {
    const { texto } = um;
    faltam.add(um);
    const resposta = await enviar(um, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
    fora = !resposta?.ok;
    if (!fora && um.texto === texto) faltam.delete(um);
    el('estado').textContent = TEXTOS[idioma][fora ? 'falhou' : faltam.has(um) ? 'salvando' : 'salvo'];
  }

  function dizerSeFalta() {
    const [primeiro] = faltam;
    void svc?.janela.naoSalvo(primeiro !== undefined, primeiro && { nome: tituloDe(primeiro), salvaSe: true });
  }

  /** All that is not stored; the desktop asks before it closes this window while something is not. */
  async function salvarTudo() {
    clearTimeout(espera);
    await Promise.all(Array.from(faltam, salvar));
    if (faltam.size > 0) espera = setTimeout(() => void salvarTudo(), 3_000);
    dizerSeFalta();
  }

  function ouvir(pedido) {
    if (pedido.acao === 'selecionar') escolher(pedido.id);
    else if (pedido.acao === 'fechar') fechar(pedido.id);
    else if (pedido.acao === 'ordenar') rascunhos = pedido.ids.map((id) => rascunhos.find((um) => um.id === id));
    else novo();
  }

  function traduzir() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    for (const parte of document.querySelectorAll('[data-texto]')) parte.textContent = TEXTOS[idioma][parte.dataset.texto];
    if (ativo !== null) mostrar();
  }

  el('texto').addEventListener('input', () => {
    const mudado = ativo;
    mudado.texto = el('texto').value;
    mostrar();
    faltam.add(mudado);
    el('estado').textContent = TEXTOS[idioma].salvando;
    // A draft short enough to be stored while the window closes needs no question of the desktop.
    if (fora || mudado.texto.length > AO_SAIR_MAX) dizerSeFalta();
    clearTimeout(espera);
    espera = setTimeout(() => void salvarTudo(), 300);
  });
  addEventListener('pagehide', () => {
    for (const um of faltam) void enviar(um, { keepalive: um.texto.length <= AO_SAIR_MAX }).catch(() => undefined);
  });
  el('lista').addEventListener('change', () => (escolher(el('lista').value), mostrar()));
  el('novo').addEventListener('click', novo);

  /** Stored drafts, as soon as the app answers. Until then nothing can be written: it would belong to no draft. */
  async function guardados() {
    for (let falhas = 0; ; falhas += 1) {
      const resposta = await fetch('api/rascunhos', { signal: AbortSignal.timeout(10_000) }).catch(() => null);
      const antes = resposta?.ok ? await resposta.json().catch(() => null) : null;
      if (antes !== null) return antes;
      el('estado').textContent = TEXTOS[idioma].espera;
      await new Promise((pronto) => setTimeout(pronto, Math.min(10_000, 500 * 2 ** falhas)));
    }
  }

  async function comecar() {
    const antes = await guardados();
    el('estado').textContent = '';
    for (const nome of ['texto', 'novo', 'lista']) el(nome).disabled = false;
    // A person who comes back before the last window closed has all drafts again.
    rascunhos = antes.rascunhos.map(({ id, texto }) => ({ id, texto, fechado: false }));
    for (const [lugar, um] of rascunhos.entries()) if (antes.rascunhos[lugar].fechado) faltam.add(um);
    if (faltam.size > 0) void salvarTudo();
    if (rascunhos.length === 0) novo();
    else {
      escolher(antes.ativa);
      mostrar();
    }
    svc?.app.ao('abas', ouvir);
    svc?.app.ao('salvar', () => void salvarTudo());
    svc?.app.ao('portal', ({ presente }) => {
      fora = !presente;
      if (faltam.size === 0) return;
      if (fora) dizerSeFalta();
      else void salvarTudo();
    });
    svc?.app.ao('tema', (dados) => {
      idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
      traduzir();
    });
    traduzir();
  }
  void comecar();
})();
