/** `window.svc` (spec 4.3, 6, 7), served by the portal at <base>_sdk/svc.js. Put together by setup/build.ts; types for authors: svc.d.ts. */
import { createBridge, inFrame } from './bridge.ts';
import { createRooms } from './rooms.ts';
import { drag, watchInput } from './window.ts';

interface Opening {
  readonly rota?: string;
}

function start(): void {
  // Outside the shell. Source: spec 7, "web SDK outside the shell".
  const bridge = createBridge({
    'app.capacidades': () => ({ host: 'none', shellVersion: null, verbos: [] }),
    'window.close': () => {
      if (!inFrame) window.close();
      return null;
    },
    'janela.abrir': ({ rota }: Opening) => ({ nova: window.open(rota ?? document.baseURI, '_blank', 'noopener') !== null }),
    'window.minimize': () => null,
    'window.maximize': () => null,
    'window.alternarMaximizado': () => null,
    'window.arrastar': () => null,
    'window.menuDoCabecalho': () => null,
  });
  const script = document.currentScript;
  const file = script instanceof HTMLScriptElement && script.src !== '' ? new URL('salas.js', script.src).href : null;
  const capacidades = (): Promise<unknown> => bridge.ask('app.capacidades');
  const abrir = (opcoes?: Opening): Promise<unknown> => bridge.ask('janela.abrir', { ...opcoes });
  const svc = Object.freeze({
    /** False when the page is not inside the shell (spec 4.3); also once the wait for the shell ended without it. */
    get noAmbiente() {
      return bridge.inside;
    },
    capabilities: capacidades,
    app: Object.freeze({ capacidades, ao: (evento: string, callback: (dados: never) => void) => bridge.on(evento, callback) }),
    window: Object.freeze({
      minimize: () => bridge.ask('window.minimize'),
      maximize: () => bridge.ask('window.maximize'),
      close: () => bridge.ask('window.close'),
      alternarMaximizado: () => bridge.ask('window.alternarMaximizado'),
      arrastar: (event: PointerEvent) => drag(bridge, event),
      menuDoCabecalho: (event: MouseEvent) => bridge.ask('window.menuDoCabecalho', { x: event.clientX, y: event.clientY }),
      abrir,
    }),
    janela: Object.freeze({ abrir }),
    ...createRooms(bridge, file),
  });
  Object.defineProperty(window, 'svc', { value: svc, writable: true, configurable: true, enumerable: true });
  if (!inFrame) return;
  watchInput(bridge);
  bridge.start();
}

if (!('svc' in window)) start();
