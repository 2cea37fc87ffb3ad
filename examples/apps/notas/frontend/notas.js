/** The page of Notas: list and editor, saves by itself, finds its backend again by itself. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      titulo: 'Notas',
      nova: 'Nova nota',
      lista: 'Suas notas',
      buscar: 'Buscar nas notas',
      voltar: 'Voltar',
      apagar: 'Apagar',
      campoTitulo: 'Título',
      campoTexto: 'Texto',
      vazia: 'Nenhuma nota ainda. Crie a primeira.',
      nada: 'Nenhuma nota com esse texto.',
      semTitulo: 'Sem título',
      salvando: 'Salvando…',
      salva: 'Salva',
      fora: 'Sem contato com o app. O que você escrever fica aqui e é salvo quando ele voltar.',
      conflito: 'A nota mudou em outra janela; o seu texto foi guardado em uma nota nova.',
      confirma: 'Apagar esta nota?',
      cancelar: 'Cancelar',
      apagarMesmo: 'Apagar nota',
      recusada: 'A nota não pôde ser salva: ',
    },
    en: {
      titulo: 'Notes',
      nova: 'New note',
      lista: 'Your notes',
      buscar: 'Search notes',
      voltar: 'Back',
      apagar: 'Delete',
      campoTitulo: 'Title',
      campoTexto: 'Text',
      vazia: 'No notes yet. Write the first one.',
      nada: 'No note has that text.',
      semTitulo: 'Untitled',
      salvando: 'Saving…',
      salva: 'Saved',
      fora: 'The app does not answer. What you write stays here and is saved when it is back.',
      conflito: 'The note changed in another window; your text was kept as a new note.',
      confirma: 'Delete this note?',
      cancelar: 'Cancel',
      apagarMesmo: 'Delete note',
      recusada: 'The note could not be saved: ',
    },
  };
  const SALVAR_APOS_MS = 600;
  const FALTA_APOS_MS = 3_000;
  const RELER_MS = 3_000;
  /** A browser sends 64 KiB at most for a page that is gone. */
  const AO_SAIR_MAX = 20_000;
  const TENTAR_DE_NOVO_MS_MAX = 10_000;

  const el = (id) => document.getElementById(id);
  const titulo = el('campo-titulo');
  const texto = el('campo-texto');
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let notas = [];
  let revisao = -1;
  let aberta = null;
  let escolheu = false;
  let sujo = false;
  let salvando = false;
  let relogioDeSalvar = 0;
  let falhas = 0;
  let faltava = false;
  let relogioDaFalta = 0;
  let procurarAgora = () => {};

  const diz = (chave) => TEXTOS[idioma][chave];

  function traduzir() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    document.title = diz('titulo');
    for (const no of document.querySelectorAll('[data-texto]')) no.textContent = diz(no.dataset.texto);
    el('busca').placeholder = diz('buscar');
    desenhar();
  }

  async function pedir(metodo, caminho, corpo) {
    const resposta = await fetch(caminho, {
      method: metodo,
      headers: corpo === undefined ? {} : { 'Content-Type': 'application/json' },
      body: corpo === undefined ? undefined : JSON.stringify(corpo),
      signal: AbortSignal.timeout(15_000),
    });
    // An answer that isn't ours (the portal's, while the backend is away) counts as no contact.
    if (!(resposta.headers.get('content-type') ?? '').startsWith('application/json')) throw new Error(`HTTP ${resposta.status}`);
    const valor = await resposta.json();
    if (resposta.status >= 500 || resposta.status === 401 || resposta.status === 403) throw new Error(`HTTP ${resposta.status}`);
    return { status: resposta.status, valor };
  }

  function aviso(frase) {
    el('aviso').hidden = frase === '';
    if (el('aviso').textContent !== frase) el('aviso').textContent = frase;
  }

  function comContato(sim) {
    if (sim && falhas > 0) aviso('');
    falhas = sim ? 0 : falhas + 1;
    if (!sim) aviso(diz('fora'));
  }

  function desenhar() {
    const busca = el('busca').value.trim().toLowerCase();
    const visiveis = notas.filter((nota) => `${nota.titulo}\n${nota.texto}`.toLowerCase().includes(busca));
    const focada = document.activeElement?.dataset?.nota;
    el('notas').replaceChildren(
      ...visiveis.map((nota) => {
        const item = document.createElement('li');
        const botao = document.createElement('button');
        const nome = document.createElement('strong');
        const trecho = document.createElement('small');
        botao.type = 'button';
        botao.className = 'svc-item';
        botao.dataset.nota = nota.id;
        if (nota.id === aberta?.id) botao.setAttribute('aria-current', 'true');
        nome.textContent = nota.titulo || diz('semTitulo');
        trecho.textContent = `${new Date(nota.atualizada).toLocaleString(document.documentElement.lang, { dateStyle: 'short', timeStyle: 'short' })} ${nota.texto.slice(0, 80)}`;
        botao.append(nome, trecho);
        botao.addEventListener('click', () => void abrir(nota.id, true));
        item.append(botao);
        return item;
      }),
    );
    if (focada) el('notas').querySelector(`[data-nota="${focada}"]`)?.focus();
    el('vazia').hidden = visiveis.length > 0;
    el('vazia').textContent = diz(notas.length === 0 ? 'vazia' : 'nada');
  }

  function mostrarEditor() {
    const sim = aberta !== null;
    el('editor').hidden = !sim;
    document.body.dataset.vista = sim ? 'nota' : 'lista';
    if (sim) {
      titulo.value = aberta.titulo;
      texto.value = aberta.texto;
    }
    el('estado').textContent = '';
    desenhar();
  }

  function rota(caminho) {
    const destino = new URL(caminho, document.baseURI);
    if (destino.href !== location.href) history.pushState(null, '', destino);
  }

  async function abrir(id, comFoco) {
    escolheu = true;
    await salvar();
    if (sujo) return; // still not saved: nothing that was written is thrown away
    // A list that was asked for before a note was made does not have it.
    aberta = notas.find((nota) => nota.id === id) ?? (aberta?.id === id ? aberta : null);
    rota(aberta ? `nota/${aberta.id}` : '.');
    mostrarEditor();
    if (comFoco && aberta) texto.focus();
  }

  async function criar() {
    escolheu = true;
    await salvar();
    if (sujo) return; // as in `abrir`
    try {
      if (falhas > 0) throw new Error('fora');
      const { status, valor } = await pedir('POST', 'api/notas', { titulo: '', texto: '' });
      if (status !== 201) return aviso(diz('recusada') + valor.error);
      notas = [valor, ...notas.filter((nota) => nota.id !== valor.id)];
      await abrir(valor.id, false);
    } catch {
      comContato(false);
      // Written here, and made when the app is back.
      aberta = { id: null, titulo: '', texto: '', versao: 0 };
      mostrarEditor();
    }
    titulo.focus();
  }

  /** Reports text that could not be saved for a while, so that the desktop asks before it closes this window. */
  function dizerSeFalta(agora) {
    const falta = aberta !== null && (sujo || salvando);
    clearTimeout(relogioDaFalta);
    if (falta && !agora) relogioDaFalta = setTimeout(() => dizerSeFalta(true), FALTA_APOS_MS);
    if (falta === faltava || (falta && !agora)) return;
    faltava = falta;
    const nome =
      titulo.value
        .slice(0, 100)
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim() || diz('semTitulo');
    void window.svc?.janela.naoSalvo(falta, { nome, salvaSe: true });
  }

  /** Answers the question that is on the page. */
  let responder = () => {};

  /** A dialog of the page's own: a browser may refuse confirm() to a page inside another. */
  function confirmado() {
    const dialogo = el('confirma');
    // A note closed a moment ago may not have reported yet: it was not answered with yes.
    responder(false);
    dialogo.returnValue = '';
    dialogo.showModal();
    return new Promise((pronto) => (responder = pronto));
  }

  async function apagar() {
    if (!aberta) return;
    const { id } = aberta;
    if (!(await confirmado())) return;
    if (id === null) {
      sujo = false;
      dizerSeFalta(false);
      return await abrir(null, false);
    }
    try {
      await pedir('DELETE', `api/notas/${id}`);
      clearTimeout(relogioDeSalvar);
      sujo = false;
      notas = notas.filter((nota) => nota.id !== id);
      await abrir(null, false);
      el('nova').focus();
    } catch {
      comContato(false);
    }
  }

  /** The note that was begun while the app was away. False: it still is. */
  async function criarAgora() {
    try {
      const { status, valor } = await pedir('POST', 'api/notas', { titulo: '', texto: '' });
      if (status !== 201) throw new Error(valor.error);
      aberta = valor;
      notas = [valor, ...notas.filter((nota) => nota.id !== valor.id)];
      rota(`nota/${valor.id}`);
      return true;
    } catch {
      comContato(false);
      return false;
    }
  }

  /** Saves what was written. A note that changed in another window is not overwritten: ours becomes a new one. */
  async function salvar() {
    clearTimeout(relogioDeSalvar);
    if (!aberta || !sujo || salvando) return;
    salvando = true;
    if (aberta.id === null && !(await criarAgora())) {
      salvando = false;
      el('estado').textContent = '';
      return;
    }
    sujo = false;
    const { id } = aberta;
    const enviado = { titulo: titulo.value, texto: texto.value };
    el('estado').textContent = diz('salvando');
    try {
      const { status, valor } = await pedir('PUT', `api/notas/${id}`, { ...enviado, versao: aberta.versao });
      if (status === 200) {
        aberta = valor;
        notas = [valor, ...notas.filter((nota) => nota.id !== id)];
        el('estado').textContent = diz('salva');
      } else if (status === 409 || status === 404) {
        const copia = await pedir('POST', 'api/notas', enviado);
        aberta = copia.valor;
        rota(`nota/${aberta.id}`);
        await reler(true);
        aviso(diz('conflito'));
      } else {
        el('estado').textContent = diz('recusada') + valor.error;
      }
      comContato(true);
      desenhar();
    } catch {
      sujo = true;
      el('estado').textContent = '';
      comContato(false);
    } finally {
      salvando = false;
      dizerSeFalta(sujo);
    }
  }

  async function reler(sempre) {
    const { status, valor } = await pedir('GET', 'api/notas');
    if (status !== 200) throw new Error(valor.error);
    if (valor.revisao === revisao && valor.notas.length === notas.length && !sempre) return;
    revisao = valor.revisao;
    notas = valor.notas;
    const nova = aberta && notas.find((nota) => nota.id === aberta.id);
    if (nova && nova.versao !== aberta.versao && !sujo && !salvando) {
      aberta = nova;
      if (titulo.value !== nova.titulo) titulo.value = nova.titulo;
      if (texto.value !== nova.texto) texto.value = nova.texto;
    }
    desenhar();
  }

  async function acompanhar() {
    for (;;) {
      try {
        await reler(false);
        comContato(true);
        if (sujo) await salvar();
      } catch {
        comContato(false);
      }
      const espera = falhas === 0 ? RELER_MS : Math.min(TENTAR_DE_NOVO_MS_MAX, 500 * 2 ** Math.min(falhas, 6));
      await new Promise((pronto) => {
        const relogio = setTimeout(pronto, espera);
        procurarAgora = () => (clearTimeout(relogio), pronto());
      });
    }
  }

  async function irPara(caminho) {
    const achado = /(?:^|\/)nota\/([a-z0-9]+)$/.exec(caminho.split(/[?#]/, 1)[0]);
    if (achado?.[1] === 'nova') return criar();
    return abrir(achado?.[1] ?? null, false);
  }

  function mudou() {
    sujo = true;
    el('estado').textContent = diz('salvando');
    // A window that closes now can save neither of these.
    dizerSeFalta(falhas > 0 || aberta.id === null || texto.value.length > AO_SAIR_MAX);
    clearTimeout(relogioDeSalvar);
    relogioDeSalvar = setTimeout(() => void salvar(), SALVAR_APOS_MS);
  }

  for (const evento of ['online', 'focus']) addEventListener(evento, () => procurarAgora());
  el('nova').addEventListener('click', () => void criar());
  el('apagar').addEventListener('click', () => void apagar());
  // The event of one that is open again by now is that of the question before.
  el('confirma').addEventListener('close', ({ target }) => target.open || responder(target.returnValue === 'sim'));
  el('voltar').addEventListener('click', () => void abrir(null, false).then(() => el('nova').focus()));
  el('busca').addEventListener('input', desenhar);
  el('editor').addEventListener('submit', (evento) => evento.preventDefault());
  for (const campo of [titulo, texto]) campo.addEventListener('input', mudou);
  addEventListener('popstate', () => void irPara(location.pathname));
  addEventListener('pagehide', () => {
    if (aberta && (sujo || salvando) && aberta.id !== null) {
      const corpo = JSON.stringify({ titulo: titulo.value, texto: texto.value, versao: aberta.versao });
      void fetch(`api/notas/${aberta.id}`, {
        method: 'PUT',
        body: corpo,
        headers: { 'Content-Type': 'application/json' },
        keepalive: texto.value.length <= AO_SAIR_MAX,
      }).catch(() => undefined);
    }
  });
  addEventListener('keydown', (evento) => {
    if (evento.altKey && evento.key.toLowerCase() === 'n') {
      evento.preventDefault();
      void criar();
    } else if (evento.key === 'Escape' && aberta && !el('confirma').open && el('voltar').offsetParent !== null)
      void abrir(null, false).then(() => el('nova').focus());
  });
  el('notas').addEventListener('keydown', (evento) => {
    const passo = { ArrowDown: 1, ArrowUp: -1 }[evento.key];
    const itens = [...el('notas').querySelectorAll('button')];
    const alvo = passo && itens[itens.indexOf(document.activeElement) + passo];
    if (!alvo) return;
    evento.preventDefault();
    alvo.focus();
  });
  // Without the shell (bench) there is no `svc`: the page works all the same.
  window.svc?.app.ao('abertura', ({ rota: pedida }) => void irPara(pedida));
  window.svc?.app.ao('portal', ({ presente }) => (presente ? procurarAgora() : comContato(false)));
  window.svc?.app.ao('salvar', async () => {
    await salvar();
    // Saved, it was said already.
    faltava = false;
    if (sujo || salvando) dizerSeFalta(true);
  });
  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    traduzir();
  });

  traduzir();
  void reler(true)
    // A person who was quicker than the list stays where they went.
    .then(() => (escolheu ? undefined : irPara(location.pathname)))
    .catch(() => comContato(false))
    .finally(() => void acompanhar());
})();
