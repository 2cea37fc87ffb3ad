/**
 * `window.svc` (rules 4.3, 6, 7), served by the portal at <base>_sdk/svc.js. Put together by setup/build.ts from the table of verbs
 * (schema/bridge/verbs.ts); types for authors: svc.d.ts.
 */
import { ask } from './apps.ts';
import { asBlob } from './blob.ts';
import { createBridge, inFrame, type Bridge } from './bridge.ts';
import { writeClipboard } from './clipboard.ts';
import { createPageMetrics } from './metrics.ts';
import { outside } from './outside.ts';
import { createQueue } from './queue.ts';
import { createRooms } from './rooms.ts';
import { verbFunctions, type Functions } from './verbs.ts';
import { createUnsaved, drag, followDev, keepFocus, watchInput, watchLinks } from './window.ts';

const hear = (bridge: Bridge) => (evento: string, callback: (dados: never) => void) => bridge.on(evento, callback);

/** Functions beyond the table: what the page passes to a verb, and what the SDK does by itself. */
function ownFunctions(bridge: Bridge, file: string | null): Readonly<Record<string, Functions>> {
  const metrics = createPageMetrics(bridge);
  const abrir = async (opcoes?: { readonly rota?: string }): Promise<unknown> => await bridge.ask('janela.abrir', { ...opcoes });
  return {
    app: { ao: hear(bridge) },
    apps: { pedir: ask(bridge) },
    window: {
      arrastar: (event: PointerEvent) => drag(bridge, event),
      menuDoCabecalho: (event: MouseEvent) => bridge.ask('window.menuDoCabecalho', { x: event.clientX, y: event.clientY }),
      abrir,
      close: async () => {
        metrics.handOver();
        return await bridge.ask('window.close');
      },
    },
    janela: { naoSalvo: createUnsaved(bridge) },
    area: { escrever: writeClipboard },
    disco: {
      escrever: async (caminho: string, conteudo: unknown, opcoes?: { readonly versao?: string; readonly novo?: boolean }) =>
        await bridge.ask('disco.escrever', {
          caminho,
          conteudo: typeof conteudo === 'string' ? new Blob([conteudo]) : asBlob('disco.escrever', conteudo),
          ...opcoes,
        }),
    },
    metricas: metrics.functions,
    fila: createQueue(bridge),
    ...createRooms(bridge, file, hear(bridge)),
  };
}

function start(): void {
  const bridge = createBridge(outside);
  const script = document.currentScript;
  const file = script instanceof HTMLScriptElement && script.src !== '' ? new URL('salas.js', script.src).href : null;
  const svc = Object.freeze({
    /** False when the page is not inside the shell (rules 4.3); also once the wait for the shell ended without it. */
    get noAmbiente() {
      return bridge.inside;
    },
    capabilities: () => bridge.ask('app.capacidades'),
    ...verbFunctions(bridge, ownFunctions(bridge, file)),
  });
  Object.defineProperty(window, 'svc', { value: svc, writable: true, configurable: true, enumerable: true });
  if (!inFrame) return;
  watchInput(bridge);
  keepFocus();
  watchLinks(bridge);
  followDev(bridge);
  bridge.start();
}

if (!('svc' in window)) start();
