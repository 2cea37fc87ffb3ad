// Runs in the error panel, on the app's own origin: watches the app's state, offers Start and Stop, and loads the page again once the
// app answers. Waits grow between loads, so that an app that says "ready" and then fails is not hammered. Source: spec 3.2.
(() => {
  'use strict';
  const first = JSON.parse(document.getElementById('dados').textContent);
  const words = first.palavras;
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

  /** What was under way is over; a refusal stays to be read. */
  function sayOver() {
    if ([words.iniciando, words.parando, words.semPortal].includes(byId('aviso').textContent)) say(words.espera);
  }

  function show(state) {
    byId('titulo').textContent = (words.estados[state.status] ?? words.estados.unknown).replace('{app}', state.name);
    byId('mensagem').textContent = words.motivos[state.reason] ?? state.reason;
    byId('passo').textContent = state.step ? words.etapa.replace('{etapa}', words.passos[state.step.name] ?? state.step.name) : '';
    // English, for engineers.
    byId('motivo').textContent = state.reason;
    byId('tecnico').textContent = state.message;
    byId('passo-tecnico').textContent = state.step ? state.step.detail : '';
    byId('barra').hidden = !['starting', 'stopping', 'backoff'].includes(state.status);
    byId('iniciar').disabled = state.status === 'starting' || state.status === 'stopping';
    byId('parar').hidden = !state.wanted || state.pinned;
    byId('log').textContent = state.log;
    byId('registro').hidden = state.log === '';
  }

  async function refresh() {
    clearTimeout(timer);
    let waitMs = first.retryAfterMs;
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
  byId('de-novo').addEventListener('click', () => {
    rememberLoad();
    location.reload();
  });

  const events = new EventSource(first.base + '__svc/eventos');
  events.addEventListener('app-status', () => {
    polls = 0;
    void refresh();
  });
  events.addEventListener('app-step', () => void refresh());
  window.addEventListener('pagehide', () => events.close());
  timer = setTimeout(() => void refresh(), Math.min(waitMsMax, first.retryAfterMs));
})();
