/** The page of Leitor: each marked word is asked of a dictionary, and the whole dictionary can be read as it comes. */
(() => {
  'use strict';

  const CAPACIDADE = 'dicionario/v1';
  const TEXTO = 'Antes da *aurora*, a *bruma* cobria o *cais*. Quem vinha pela *vereda* via só o *farol* e a *maré*, e um *xisto* molhado.';
  const TEXTOS = {
    pt: {
      titulo: 'Leitor',
      como: 'Escolha uma palavra para ver o sentido.',
      fonte: 'Dicionário',
      qualquer: 'O de sempre',
      todas: 'Ler o dicionário inteiro',
      parar: 'Parar',
      sentido: 'Sentido',
      perguntando: 'Perguntando…',
      desconhecida: 'Este dicionário não tem a palavra.',
      parado: 'Parado.',
      fim: 'Fim.',
      CONSENT_REFUSED: 'Você não permite que este aplicativo use o dicionário.',
      CONSENT_NEEDED: 'Sem a sua permissão não há resposta.',
      CAPABILITY_UNKNOWN: 'Nenhum dicionário está instalado.',
      interrompido: 'O dicionário parou de responder.',
      falhou: 'O dicionário não respondeu',
    },
    en: {
      titulo: 'Reader',
      como: 'Choose a word to see what it means.',
      fonte: 'Dictionary',
      qualquer: 'The usual one',
      todas: 'Read the whole dictionary',
      parar: 'Stop',
      sentido: 'Meaning',
      perguntando: 'Asking…',
      desconhecida: 'This dictionary does not have the word.',
      parado: 'Stopped.',
      fim: 'The end.',
      CONSENT_REFUSED: 'You do not let this app use the dictionary.',
      CONSENT_NEEDED: 'Without your permission there is no answer.',
      CAPABILITY_UNKNOWN: 'No dictionary is installed.',
      interrompido: 'The dictionary stopped answering.',
      falhou: 'The dictionary did not answer',
    },
  };

  const el = (id) => document.getElementById(id);
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let leitura = null;

  function traduzir() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    document.title = TEXTOS[idioma].titulo;
    for (const parte of document.querySelectorAll('[data-texto]')) parte.textContent = TEXTOS[idioma][parte.dataset.texto];
  }

  function dizer(palavras, sentido = '') {
    el('estado').textContent = palavras;
    el('sentido').textContent = sentido;
  }

  /** Shows an error: refusals of the portal or the bridge have a code; the dictionary's own answers have none. */
  function dizerErro(problema) {
    const textos = TEXTOS[idioma];
    dizer(
      problema.name === 'AbortError'
        ? textos.parado
        : (textos[problema.code] ?? `${textos.falhou} (${problema.code ?? problema.message}).`),
    );
  }

  const pedir = (caminho, opcoes = {}) => {
    const app = el('fonte').value;
    return window.svc.apps.pedir(CAPACIDADE, caminho, app === '' ? opcoes : { ...opcoes, app });
  };

  /** CAPABILITY_UNKNOWN where no dictionary is installed; one that is there has no code. */
  const codigoDe = async (resposta) => (await resposta.json().catch(() => null))?.code;

  async function definir(palavra) {
    dizer(TEXTOS[idioma].perguntando);
    try {
      const resposta = await pedir(`/palavras/${encodeURIComponent(palavra)}`);
      if (resposta.status === 404) return dizer(TEXTOS[idioma][await codigoDe(resposta)] ?? TEXTOS[idioma].desconhecida, palavra);
      if (!resposta.ok) throw new Error(String(resposta.status));
      dizer('', `${palavra}: ${(await resposta.json()).sentido}`);
    } catch (problema) {
      dizerErro(problema);
    }
  }

  async function lerTodas() {
    leitura = new AbortController();
    el('lista').replaceChildren();
    el('parar').hidden = false;
    dizer(TEXTOS[idioma].perguntando);
    let resto = '';
    try {
      const resposta = await pedir('/todas', { signal: leitura.signal });
      if (!resposta.ok) throw Object.assign(new Error(String(resposta.status)), { code: await codigoDe(resposta) });
      const { body } = resposta;
      for await (const pedaco of body.pipeThrough(new TextDecoderStream())) {
        const linhas = `${resto}${pedaco}`.split('\n');
        resto = linhas.pop();
        for (const linha of linhas) mostrar(JSON.parse(linha));
      }
      dizer(TEXTOS[idioma].fim);
    } catch (problema) {
      dizerErro(problema);
    }
    el('parar').hidden = true;
  }

  function mostrar({ palavra, sentido }) {
    const item = document.createElement('li');
    item.textContent = `${palavra}: ${sentido}`;
    el('lista').append(item);
  }

  /** A choice where there is one: listing starts no dictionary. */
  async function listar() {
    const ofertas = await window.svc.apps.listar(CAPACIDADE).catch(() => []);
    const opcoes = ofertas.map(({ app, rotulo }) => new Option(rotulo, app));
    el('fonte').replaceChildren(new Option(TEXTOS[idioma].qualquer, ''), ...opcoes);
    for (const id of ['fonte', 'rotulo-fonte']) el(id).hidden = ofertas.length < 2;
  }

  for (const [n, parte] of TEXTO.split('*').entries()) {
    if (n % 2 === 0) el('texto').append(parte);
    else {
      const botao = document.createElement('button');
      botao.type = 'button';
      botao.textContent = parte;
      botao.addEventListener('click', () => void definir(parte));
      el('texto').append(botao);
    }
  }
  el('todas').addEventListener('click', () => void lerTodas());
  el('parar').addEventListener('click', () => leitura?.abort());
  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    traduzir();
  });
  traduzir();
  if (window.svc) void listar();
})();
