// Runs in the error panel, on the app's own origin: watches the app's state, offers Start and Stop, and loads the page again once the app
// answers. Waits grow between loads, so that an app that says "ready" and then fails is not hammered. Source: rules 3.2.
(() => {
  'use strict';
  const first = JSON.parse(document.getElementById('dados').textContent);
  let words = first.palavras[first.idioma];
  let shown = first.estado;
  const byId = (id) => document.getElementById(id);
  const waitMsMax = 60_000;
  let polls = 0;
  let timer = 0;
  let leaving = false;
  let pressing = false;

  // How often this page was loaded again without success; survives the load itself.
  const memory = 'svc-painel:' + location.pathname;
  const loads = () => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(memory) ?? 'null');
      return kept && Date.now() - kept.at < 5 * 60_000 ? kept.n : 0;
    } catch {
      return 0;
    }
  };
  const rememberLoad = () => {
    try {
      sessionStorage.setItem(memory, JSON.stringify({ n: loads() + 1, at: Date.now() }));
    } catch {
      // Storage may be closed to a framed page: then every wait starts at the shortest.
    }
  };
  const loadWaitMs = () => (loads() === 0 ? 0 : Math.min(waitMsMax, 1_000 * 2 ** loads()));

  function loadAgain() {
    if (leaving) return;
    leaving = true;
    const waitMs = loadWaitMs();
    say(waitMs === 0 ? words.abrindo : words.tentaEm.replace('{s}', String(Math.ceil(waitMs / 1_000))));
    setTimeout(() => {
      rememberLoad();
      location.reload();
    }, waitMs);
  }

  function say(text) {
    if (byId('aviso').textContent !== text) byId('aviso').textContent = text;
  }

  /** Clears the words of an action that is over; a refusal stays to be read. */
  function sayOver() {
    if ([words.iniciando, words.parando, words.semPortal].includes(byId('aviso').textContent)) say(words.espera);
  }

  const buttons = ['iniciar', 'parar', 'deNovo'];

  function exitText(exit) {
    if (!exit) return '';
    return exit.signal === null ? words.saidaCodigo.replace('{n}', exit.code) : words.saidaSinal.replace('{s}', exit.signal);
  }

  // Names of what is shown come with the state (panel-face.ts); the words for them came with the page.
  function show(latest) {
    // The portal may not know yet what this page met: a connection that failed stays said until the state says why.
    const isUnexplained = latest.face.title === 'opening' && shown.face.title === 'running';
    const { title: said, cause } = shown.face;
    const state = isUnexplained
      ? { ...latest, reason: shown.reason, message: shown.message, face: { ...latest.face, title: said, cause } }
      : latest;
    shown = state;
    const { face } = state;
    const title = (words.titulos[face.title] ?? words.titulos.unknown).replace('{app}', () => state.name);
    if (byId('titulo').textContent !== title) {
      byId('titulo').textContent = title;
      document.title = title;
    }
    byId('mensagem').textContent = words.motivos[face.cause] ?? face.cause;
    byId('saida').textContent = exitText(face.exit);
    byId('passo').textContent = state.step ? words.etapa.replace('{etapa}', words.passos[state.step.name] ?? state.step.name) : '';
    // English, for engineers.
    byId('motivo').textContent = state.reason;
    byId('tecnico').textContent = state.message;
    byId('passo-tecnico').textContent = state.step ? state.step.detail : '';
    byId('barra').hidden = !['starting', 'stopping', 'backoff'].includes(state.status);
    for (const name of buttons) {
      const at = face.buttons.indexOf(name);
      byId(name).hidden = at === -1;
      byId(name).classList.toggle('main', at === 0);
    }
    showLog(state.log);
  }

  // The last sentence of an error: behind it come where it happened, and what the runtime says at its end.
  const cause =
    /^(?:Uncaught )?(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b(?: \[\w+\])?:.*$|^(?:panic|fatal(?: error)?): .*$|^thread .* panicked at .*$/gim;

  function showLog(log) {
    byId('registro').hidden = log === '';
    const box = byId('log');
    if (box.textContent === log) return;
    const found = [...log.matchAll(cause)].at(-1);
    if (found === undefined) {
      box.textContent = log;
      box.scrollTop = box.scrollHeight;
      return;
    }
    const sentence = document.createElement('strong');
    sentence.textContent = found[0];
    box.replaceChildren(log.slice(0, found.index), sentence, log.slice(found.index + found[0].length));
    // Together with as much of the newest lines as there is room for.
    box.scrollTop = Math.min(sentence.offsetTop - box.offsetTop, box.scrollHeight);
  }

  async function refresh() {
    clearTimeout(timer);
    let waitMs = first.estado.retryAfterMs;
    try {
      const answer = await fetch(first.base + '__svc/estado', { headers: { accept: 'application/json' }, cache: 'no-store' });
      if (answer.status === 401 || answer.status === 403) {
        // The session ended: a navigation leads to signing in.
        loadAgain();
        return;
      }
      const state = await answer.json();
      if (answer.ok) {
        if (!leaving) show(state);
        if (!pressing) sayOver();
        if (state.ready) {
          loadAgain();
          return;
        }
        waitMs = state.retryAfterMs ?? waitMs;
      }
    } catch {
      say(words.semPortal);
    }
    polls += 1;
    const grown = Math.min(waitMsMax, 1_000 * 2 ** Math.min(polls, 6));
    timer = setTimeout(() => void refresh(), Math.min(waitMsMax, Math.max(waitMs, grown)));
  }

  async function press(button, verb, text) {
    button.disabled = true;
    pressing = true;
    say(text);
    polls = 0;
    try {
      const answer = await fetch(first.base + '__svc/' + verb, { method: 'POST' });
      if (!answer.ok) say(words.motivos[(await answer.json()).code] ?? words.falhou);
    } catch {
      say(words.semPortal);
    }
    button.disabled = false;
    pressing = false;
    void refresh();
  }

  byId('iniciar').addEventListener('click', (event) => void press(event.currentTarget, 'iniciar', words.iniciando));
  byId('parar').addEventListener('click', (event) => void press(event.currentTarget, 'parar', words.parando));
  byId('deNovo').addEventListener('click', () => {
    rememberLoad();
    location.reload();
  });

  const logAtFirst = byId('log').textContent;
  byId('log').textContent = '';
  showLog(logAtFirst);
  const events = new EventSource(first.base + '__svc/eventos');
  events.addEventListener('app-status', () => {
    polls = 0;
    void refresh();
  });
  events.addEventListener('app-step', () => void refresh());
  window.addEventListener('pagehide', () => events.close());
  timer = setTimeout(() => void refresh(), Math.min(waitMsMax, first.estado.retryAfterMs));

  function speak(language) {
    const next = first.palavras[language];
    if (!next || next === words) return;
    words = next;
    document.documentElement.lang = language === 'pt' ? 'pt-BR' : language;
    for (const name of buttons) byId(name).textContent = words[name];
    byId('registro-titulo').textContent = words.registro;
    byId('detalhe-titulo').textContent = words.detalhe;
    byId('ajuda').textContent = words.ajuda;
    byId('ajuda').href = first.portal + '/ajuda/' + language + '/failures.html#app';
    say(words.espera);
    show(shown);
  }

  // In a window of the desktop: its looks and its language are this page's too, and its keys reach it from here.
  // Source: schema/bridge/protocol.ts, "painel".
  if (window.parent === window) return;
  const tell = (more) => window.parent.postMessage({ svc: 'painel', v: 1, ...more }, first.portal);
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source !== window.parent || origin !== first.portal || data?.svc !== 'aparencia') return;
    document.documentElement.dataset.tema = data.dados.tema;
    document.documentElement.dataset.destaque = data.dados.destaque;
    speak(data.dados.idioma);
  });
  window.addEventListener('keydown', (event) => {
    // Source: schema/bridge/key-letter.ts.
    const is = (letter) =>
      event.key.toLowerCase() === letter || (/^[^a-z]$/i.test(event.key) && event.code === `Key${letter.toUpperCase()}`);
    const control = event.ctrlKey && !event.altKey && !event.shiftKey && is('k');
    const switching = event.altKey && !event.ctrlKey && !event.metaKey && is('q');
    const tecla = switching
      ? event.shiftKey
        ? 'Alt+Shift+q'
        : 'Alt+q'
      : control
        ? 'Control+k'
        : event.key === 'F6'
          ? event.shiftKey
            ? 'Shift+F6'
            : 'F6'
          : null;
    if (tecla === null || event.repeat) return;
    event.preventDefault();
    tell({ tecla });
  });
  tell({});
})();
