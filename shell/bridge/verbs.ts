/**
 * The bridge protocol between the shell and the page of an app. Spec 4.3 and 6 name the verbs; arguments, codes and transport are ours.
 * One MessagePort per window:
 *
 *   page  -> window.parent : { svc: 'ola', v: 1 }
 *   shell -> page          : { svc: 'porta', v: 1 } and the port; only after event.source is that window's iframe and event.origin the app's.
 *   page  -> port          : { id, verbo, args }                    a request; `args` is an object, {} when the verb takes none
 *   shell -> port          : { id, ok: true, valor } | { id, ok: false, erro: { code, message, status?, retryAfterMs? } }
 *   shell -> port          : { evento, dados }                      'abertura' { rota } · 'tema' { tema, idioma } · 'mudaram' {}
 *   page  -> port          : { evento: 'ponteiro' }                 a pointerdown in the page: the shell raises the window
 *   page  -> port          : { evento: 'tecla', dados: { tecla } }  a shortcut of the shell pressed in the page (see `shellKeys`)
 *
 * The portal's error panel in such a frame has no port; it says who it is, and asks for a key of the shell:
 *
 *   panel -> window.parent : { svc: 'painel', v: 1, tecla? }
 *   shell -> panel         : { svc: 'aparencia', v: 1, dados }       'dados' as in 'tema'; again whenever it changes
 *
 * A second 'ola' (the page was reloaded) replaces the port, and the old page's port is dead; of many within 100 ms the first and the last
 * get one. The app never says who it is: the window that it is in does. Errors carry one of four codes: 'verbo-desconhecido',
 * 'argumentos-invalidos', 'pedidos-demais', 'falhou'. A page gets 1,000 messages at once and 400 a second; what is more is refused, or
 * dropped where nothing waits for it. A drag begun in the page travels as screen coordinates: client coordinates move with the window, and
 * a pointer that leaves the iframe would lose the shell's events. 'ponteiro' and 'tecla' exist because neither crosses the border of an
 * iframe by itself. A page without the SDK works too: the shell notices clicks in it by its own blur and `document.activeElement`, and the
 * shell's keys work only while the shell has the focus.
 */

import { roomVerbArguments, type RoomVerbs } from './room-verbs.ts';

/** Arguments and answer of every verb. `null` means that nothing comes back. */
export interface BridgeVerbs extends RoomVerbs {
  'window.minimize': { readonly args: object; readonly valor: null };
  /** Maximises; `alternarMaximizado` goes back and forth. */
  'window.maximize': { readonly args: object; readonly valor: null };
  'window.close': { readonly args: object; readonly valor: null };
  'window.alternarMaximizado': { readonly args: object; readonly valor: null };
  /**
   * A drag begun inside the page, in screen coordinates (an iframe's own ones move with the window). The page captures the
   * pointer and sends inicio, then mover for every pointermove, then fim (or cancelar).
   */
  'window.arrastar': {
    readonly args: { readonly fase: 'inicio' | 'mover' | 'fim' | 'cancelar'; readonly telaX: number; readonly telaY: number };
    readonly valor: null;
  };
  /** Opens the window menu at a point of the page. */
  'window.menuDoCabecalho': { readonly args: { readonly x: number; readonly y: number }; readonly valor: null };
  /** Opens a window of the same app, or hands `rota` to the open one when the app keeps to one window (event 'abertura'). */
  'janela.abrir': { readonly args: { readonly rota?: string }; readonly valor: { readonly nova: boolean } };
  'app.capacidades': {
    readonly args: object;
    readonly valor: { readonly host: 'svc'; readonly shellVersion: string; readonly verbos: readonly string[] };
  };
}

export type VerbName = keyof BridgeVerbs;

/** Events from the shell to the page, and messages of the page that get no answer. */
export const shellEvents = ['abertura', 'tema', 'mudaram'] as const;
export type ShellEvent = (typeof shellEvents)[number];

/** Keys that belong to the shell even while a page has the focus. */
export const shellKeys = ['Control+k', 'Meta', 'F6', 'Shift+F6'] as const;
export type ShellKey = (typeof shellKeys)[number];

/** Of the bridge itself; what the portal refuses has the portal's own code (docs/errors.md). */
export type BridgeErrorCode = 'verbo-desconhecido' | 'argumentos-invalidos' | 'pedidos-demais' | 'sem-resposta' | 'falhou';

const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const optional = (value: unknown, check: (value: unknown) => boolean): boolean => value === undefined || check(value);

/**
 * A place inside the app: never a scheme, an absolute path, a backslash or a `..` segment, also not a percent-encoded one.
 * Source: spec 2.2, `rota`.
 */
export function isRoute(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 512) return false;
  if (/^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith('/') || /[\\\u0000-\u001f]/.test(value)) return false;
  const path = (value.split(/[?#]/, 1)[0] ?? '').replaceAll(/%2e/gi, '.').replaceAll(/%2f|%5c/gi, '/');
  return !path.startsWith('/') && !path.split('/').includes('..');
}

const phases: ReadonlySet<unknown> = new Set(['inicio', 'mover', 'fim', 'cancelar']);
const none = (): boolean => true;

/** One check per verb; `args` is known to be an object. */
export const verbArguments: { readonly [V in VerbName]: (args: Readonly<Record<string, unknown>>) => boolean } = {
  'window.minimize': none,
  'window.maximize': none,
  'window.close': none,
  'window.alternarMaximizado': none,
  'window.arrastar': (args) => phases.has(args['fase']) && finite(args['telaX']) && finite(args['telaY']),
  'window.menuDoCabecalho': (args) => finite(args['x']) && finite(args['y']),
  'janela.abrir': (args) => optional(args['rota'], isRoute),
  'app.capacidades': none,
  ...roomVerbArguments,
};

/** How long the shell works on a request before it answers `sem-resposta`. The page waits a little longer (sdk/web/bridge.ts). */
export function verbDeadlineMs(verb: VerbName): number {
  if (verb === 'salas.anexar' || verb === 'salas.anexo') return 180_000;
  return verb.startsWith('salas.') || verb.startsWith('pessoas.') ? 20_000 : 9_000;
}

export const verbNames = Object.keys(verbArguments) as readonly VerbName[];
