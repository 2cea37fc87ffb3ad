/**
 * `window.svc`: the page's end of the bridge to the shell (spec 4.3, 6, 7). Served by the portal at <base>_sdk/svc.js as it is.
 *
 * The protocol stands in shell/bridge/verbs.ts: the page says `ola` to its parent, the shell answers with one MessagePort, and
 * everything else goes over that port. Outside the shell, or with no port within 3 s, verbs degrade instead of throwing (spec 7).
 */
(() => {
  'use strict';
  if (window.svc) return;

  const PORT_WAIT_MS = 3_000;
  const ANSWER_WAIT_MS = 10_000;
  const KEPT_EVENTS_MAX = 32;
  const SHELL_KEYS = { 'Control+k': true, F6: true, 'Shift+F6': true };

  const inFrame = window.parent !== window;
  /** 'conectando' until the port or the wait ends, then 'ligado' or 'fora'. A late port still connects. */
  let state = inFrame ? 'conectando' : 'fora';
  let port = null;
  let lastId = 0;
  const waiting = new Map();
  const queue = [];
  const listeners = new Map();
  const kept = new Map();

  const failure = (code, message) => Object.assign(new Error(message), { code });

  // Outside the shell. Source: spec 7, "web SDK outside the shell".
  const outside = {
    'app.capacidades': () => ({ host: 'none', shellVersion: null, verbos: [] }),
    'window.close': () => (inFrame ? null : (window.close(), null)),
    'janela.abrir': ({ rota }) => ({ nova: window.open(rota ?? document.baseURI, '_blank', 'noopener') !== null }),
    'window.minimize': () => null,
    'window.maximize': () => null,
    'window.alternarMaximizado': () => null,
    'window.arrastar': () => null,
    'window.menuDoCabecalho': () => null,
  };

  function degrade(request) {
    clearTimeout(request.timer);
    waiting.delete(request.id);
    const instead = outside[request.verbo];
    if (instead) request.resolve(instead(request.args));
    else request.reject(failure('fora-do-ambiente', `fora do ambiente ${request.verbo}`));
  }

  function send(request) {
    try {
      port.postMessage({ id: request.id, verbo: request.verbo, args: request.args });
    } catch (problem) {
      clearTimeout(request.timer);
      waiting.delete(request.id);
      request.reject(failure('argumentos-invalidos', `${request.verbo}: ${problem.message}`));
    }
  }

  function ask(verbo, args = {}) {
    return new Promise((resolve, reject) => {
      const request = { id: (lastId += 1), verbo, args, resolve, reject, timer: 0 };
      if (state === 'fora') return degrade(request);
      waiting.set(request.id, request);
      request.timer = setTimeout(() => {
        waiting.delete(request.id);
        reject(failure('sem-resposta', `${verbo}: o ambiente não respondeu em ${ANSWER_WAIT_MS / 1_000} s`));
      }, ANSWER_WAIT_MS);
      if (state === 'ligado') send(request);
      else queue.push(request);
    });
  }

  /** One-way: what the shell wants to know and never answers. */
  function tell(evento, dados) {
    if (state === 'ligado') port.postMessage(dados === undefined ? { evento } : { evento, dados });
  }

  function deliver(evento, dados) {
    const callbacks = listeners.get(evento);
    if (!callbacks?.size || evento === 'tema') {
      // An opening that comes before the app listens is not lost; of a theme only the last counts.
      kept.set(evento, evento === 'tema' ? [dados] : [...(kept.get(evento) ?? []), dados].slice(-KEPT_EVENTS_MAX));
    }
    for (const callback of callbacks ?? []) run(callback, dados);
  }

  function run(callback, dados) {
    try {
      callback(dados);
    } catch (problem) {
      reportError(problem);
    }
  }

  function received({ data }) {
    if (data === null || typeof data !== 'object') return;
    if (typeof data.evento === 'string') return deliver(data.evento, data.dados);
    const request = waiting.get(data.id);
    if (!request) return;
    waiting.delete(data.id);
    clearTimeout(request.timer);
    if (data.ok === true) request.resolve(data.valor);
    else request.reject(failure(String(data.erro?.code ?? 'falhou'), String(data.erro?.message ?? `${request.verbo} falhou`)));
  }

  function connect(given) {
    port?.close();
    port = given;
    port.addEventListener('message', received);
    port.start();
    state = 'ligado';
    for (const request of queue.splice(0)) if (waiting.has(request.id)) send(request);
  }

  function greeted(event) {
    // Only the very parent, and where the browser says who that is, only from its origin.
    if (event.source !== window.parent || event.data?.svc !== 'porta' || event.data.v !== 1 || event.ports.length !== 1) return;
    const ancestor = window.location.ancestorOrigins?.[0];
    if (ancestor !== undefined && ancestor !== event.origin) return;
    connect(event.ports[0]);
  }

  function greet() {
    state = 'conectando';
    // The message says nothing but "here I am", so it may go to any parent; the parent proves itself by the port.
    window.parent.postMessage({ svc: 'ola', v: 1 }, '*');
    setTimeout(() => {
      if (state !== 'conectando') return;
      state = 'fora';
      for (const request of queue.splice(0)) if (waiting.has(request.id)) degrade(request);
    }, PORT_WAIT_MS);
  }

  function subscribe(evento, callback) {
    if (typeof callback !== 'function') throw new TypeError('svc.app.ao espera (evento, função)');
    const callbacks = listeners.get(evento) ?? new Set();
    listeners.set(evento, callbacks.add(callback));
    const missed = kept.get(evento) ?? [];
    if (evento !== 'tema') kept.delete(evento);
    // After the caller's own statement, so that it can use what it gets back.
    queueMicrotask(() => missed.forEach((dados) => callbacks.has(callback) && run(callback, dados)));
    return () => callbacks.delete(callback);
  }

  /**
   * A drag of the window that begins in the page's own title bar. Called with the pointerdown event; screen coordinates, because
   * the page's own ones move with the window. The pointer is captured so that no move is lost at the edge of the frame.
   */
  function drag(event) {
    const done = ask('window.arrastar', phase('inicio', event));
    const target = event.target instanceof Element ? event.target : document.documentElement;
    if (state === 'fora') return done;
    try {
      target.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is up already: the end below still comes.
    }
    const ended = new AbortController();
    const options = { signal: ended.signal };
    let frame = 0;
    let last = event;
    const mine = (handler) => (moved) => moved.pointerId === event.pointerId && handler(moved);
    const end = (fase) =>
      mine((moved) => {
        ended.abort();
        cancelAnimationFrame(frame);
        ask('window.arrastar', phase(fase, moved)).catch(() => {});
      });
    const move = mine((moved) => {
      // Released where no event reached us (out of the frame, when the browser could not keep the capture): the drag is over.
      if (moved.buttons === 0) {
        end('fim')(moved);
        return;
      }
      last = moved;
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        ask('window.arrastar', phase('mover', last)).catch(() => {});
      });
    });
    target.addEventListener('pointermove', move, options);
    target.addEventListener('pointerup', end('fim'), options);
    target.addEventListener('pointercancel', end('cancelar'), options);
    target.addEventListener('lostpointercapture', end('fim'), options);
    return done;
  }

  const phase = (fase, event) => ({ fase, telaX: event.screenX, telaY: event.screenY });

  function watchKeys() {
    let metaAlone = false;
    const options = { capture: true };
    addEventListener(
      'keydown',
      (event) => {
        metaAlone = event.key === 'Meta';
        const control = event.ctrlKey && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';
        const tecla = control ? 'Control+k' : event.key === 'F6' && event.shiftKey ? 'Shift+F6' : event.key;
        if (state !== 'ligado' || SHELL_KEYS[tecla] !== true || event.repeat) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        tell('tecla', { tecla });
      },
      options,
    );
    addEventListener('keyup', (event) => event.key === 'Meta' && metaAlone && tell('tecla', { tecla: 'Meta' }), options);
    addEventListener('pointerdown', () => ((metaAlone = false), tell('ponteiro')), options);
  }

  const capacidades = () => ask('app.capacidades');

  window.svc = Object.freeze({
    /** False when the page is not inside the shell (spec 4.3); also once the wait for the shell ended without it. */
    get noAmbiente() {
      return state !== 'fora';
    },
    capabilities: capacidades,
    app: Object.freeze({ capacidades, ao: subscribe }),
    window: Object.freeze({
      minimize: () => ask('window.minimize'),
      maximize: () => ask('window.maximize'),
      close: () => ask('window.close'),
      alternarMaximizado: () => ask('window.alternarMaximizado'),
      arrastar: drag,
      menuDoCabecalho: (event) => ask('window.menuDoCabecalho', { x: event.clientX, y: event.clientY }),
      abrir: (opcoes) => ask('janela.abrir', opcoes),
    }),
    janela: Object.freeze({ abrir: (opcoes) => ask('janela.abrir', opcoes) }),
  });

  if (inFrame) {
    addEventListener('message', greeted);
    watchKeys();
    greet();
    // A page that comes back from the back/forward cache has a dead port.
    addEventListener('pageshow', (event) => event.persisted && greet());
  }
})();
