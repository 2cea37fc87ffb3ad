/**
 * The table of verbs: all requests and events of the page of an app. From it come the runtime check and the deadlines of the shell
 * (shell/bridge/host.ts), the functions of `window.svc` and their deadlines (sdk/web/svc.ts), `verbos` of `svc.capabilities()`, and, by `node
 * setup/verbs-table.ts`, the types of svc.d.ts and docs/verbs.md, which take the sentence above a row. Source: rules 4.3, 6, 7.
 */
import { appVerbs } from './app-verbs.ts';
import { finite, flag, line, oneOf, optional, route } from './check.ts';
import { personVerbs } from './desk-verbs.ts';
import { fileVerbs } from './file-verbs.ts';
import { limits } from './limits.ts';
import { linkVerbs } from './link-verbs.ts';
import { metricVerbs } from './metric-verbs.ts';
import { queueVerbs } from './queue-verbs.ts';
import { roomVerbs } from './room-verbs.ts';
import { settingsVerbs } from './settings-verbs.ts';
import { tabVerbs } from './tab-verbs.ts';
import { askedOrNull, askedOrOwn, inPage, type Verb } from './verb.ts';

export interface Capabilities {
  readonly host: 'svc' | 'none';
  readonly shellVersion: string | null;
  readonly verbos: readonly string[];
}

const rota = optional(route);
const abrir = '(opcoes?: { readonly rota?: string })';

const deskVerbs = {
  /** Abilities of the desktop: names of verbs and events. */
  'app.capacidades': askedOrOwn<object, Capabilities>('SvcCapacidades'),
  /** The same as `app.capacidades`. */
  capabilities: inPage('()', 'Promise<SvcCapacidades>', 'own'),
  /** Calls back for an event; returns the function that cancels. */
  'app.ao': inPage('<E extends keyof SvcEventos>(evento: E, callback: (dados: SvcEventos[E]) => void)', '() => void', 'same'),
  'window.minimize': askedOrNull<object, null>('null'),
  /** Maximises; `alternarMaximizado` goes back and forth. */
  'window.maximize': askedOrNull<object, null>('null'),
  'window.close': askedOrOwn<object, null>('null'),
  'window.alternarMaximizado': askedOrNull<object, null>('null'),
  /**
   * Moves the window from a title bar of the page's own: called with its `pointerdown`. Over the port: `inicio`, `mover`, then `fim` or `cancelar`, in screen coordinates.
   */
  'window.arrastar': askedOrNull<
    { readonly fase: 'inicio' | 'mover' | 'fim' | 'cancelar'; readonly telaX: number; readonly telaY: number },
    null
  >('null', {
    args: { fase: oneOf(['inicio', 'mover', 'fim', 'cancelar']), telaX: finite, telaY: finite },
    takes: '(event: SvcPonto)',
  }),
  /** Opens the window menu at a point of the page, of the window in front: called with its `contextmenu`. */
  'window.menuDoCabecalho': askedOrNull<{ readonly x: number; readonly y: number }, null>('null', {
    args: { x: finite, y: finite },
    takes: '(event: { readonly clientX: number; readonly clientY: number })',
  }),
  /** The same as `janela.abrir`. */
  'window.abrir': inPage(abrir, 'Promise<{ readonly nova: boolean }>', 'own'),
  /**
   * Opens a window of this app, or hands `rota` to the open one when the app keeps to one window (event `abertura`). Where 32 of the app are
   * open: `pedidos-demais`.
   */
  'janela.abrir': askedOrOwn<{ readonly rota?: string }, { readonly nova: boolean }>('{ readonly nova: boolean }', { options: { rota } }),
  /**
   * Says that something in this window (`nome`) is not saved, or that all is. While it is not, the desktop asks before it closes or reloads the window, at signing out, and before the browser's tab goes. With `salvaSe` the question has *Save and close*, which
   * sends the event `salvar`. A page that is loaded again begins with all saved.
   */
  'janela.naoSalvo': askedOrOwn<{ readonly naoSalvo: boolean; readonly nome?: string; readonly salvaSe?: boolean }, null>('null', {
    args: { naoSalvo: flag },
    options: { nome: optional(line(limits.unsavedNameCharsMax)), salvaSe: optional(flag) },
  }),
};

const table = {
  ...deskVerbs,
  ...linkVerbs,
  ...tabVerbs,
  ...personVerbs,
  ...fileVerbs,
  ...appVerbs,
  ...settingsVerbs,
  ...queueVerbs,
  ...roomVerbs,
  ...metricVerbs,
};
type Table = typeof table;

export type VerbName = keyof Table;
type NamesOf<Part> = { readonly [V in VerbName]: Table[V] extends Part ? V : never }[VerbName];
/** Verbs that the shell answers over the port. */
export type AskedVerb = NamesOf<{ readonly by: 'shell' | 'inner' }>;
/** Verbs that the SDK answers outside the shell. */
export type OwnOutside = NamesOf<{ readonly by: 'shell'; readonly outside: 'own' }>;
type Types<V extends AskedVerb> = NonNullable<Table[V]['types']>;
export type ArgsOf<V extends AskedVerb> = Parameters<Types<V>>[0];
export type AnswerOf<V extends AskedVerb> = ReturnType<Types<V>>;

export const verbs: { readonly [V in VerbName]: Verb } = table;
export const verbNames = Object.keys(verbs) as readonly VerbName[];
const isAsked = (name: VerbName): name is AskedVerb => verbs[name].by !== 'page';
export const askedVerbs = verbNames.filter(isAsked);

/** From the shell to the page, with the type that an author reads in svc.d.ts. */
export const events = {
  /**
   * The thing to open in a new or an open window: a route (`rota`), a file or folder (`caminho`), or a link (`url`). Events that came before the page listened are delivered later; after a reload of the desktop the last file comes once more (`deNovo`).
   */
  abertura: 'SvcAbertura',
  /** The appearance of the desktop, at once and at each change. `destaque`: the accent that the person chose. */
  tema: "{ readonly tema: 'claro' | 'escuro'; readonly idioma: string; readonly destaque: SvcDestaque }",
  /**
   * The person chose *Save and close*. The page saves and says `janela.naoSalvo(false)`, at which the window closes; `janela.naoSalvo(true)`, or silence for 15 s, asks the person again.
   */
  salvar: 'object',
  /** The portal does not answer the desktop, or it is back: ask it again then. */
  portal: '{ readonly presente: boolean }',
  /** An invitation, a removal, another name: read `salas.listar` again. */
  mudaram: 'object',
  /**
   * The person did something with a tab. Selecting and reordering are done already; `fechar` and `nova` are requests, which `abas.fechar` and `abas.definir` grant.
   */
  abas: 'SvcAcaoNasAbas',
} as const;
export type ShellEvent = keyof typeof events;

/** The verbs and events of an app, as `verbos` of `svc.capabilities()` lists them. */
export const publicNames: readonly string[] = [...verbNames.filter((name) => verbs[name].by !== 'inner'), ...Object.keys(events)];

/** How long the page waits for an answer; null: as long as it takes. */
export function pageWaitMs(name: AskedVerb): number | null {
  const { deadlineMs } = verbs[name];
  return deadlineMs === null ? null : deadlineMs + limits.verbAnswerGraceMs;
}

/** The first argument that the row does not take; null: all are taken. */
export function wrongArgument(name: AskedVerb, args: Readonly<Record<string, unknown>>): string | null {
  const { args: given, options } = verbs[name];
  return Object.entries({ ...given, ...options }).find(([argument, { accepts }]) => !accepts(args[argument]))?.[0] ?? null;
}

/** The same with what was expected, in a sentence for the author of the page. */
export function argumentProblem(name: AskedVerb, args: Readonly<Record<string, unknown>>): string | null {
  const wrong = wrongArgument(name, args);
  if (wrong === null) return null;
  const { args: given, options } = verbs[name];
  return notValid(name, wrong, { ...given, ...options }[wrong]?.why?.(args[wrong]) ?? null);
}
export const notValid = (verb: string, argument: string, why: string | null): string =>
  `${verb}: o argumento "${argument}" não é válido${why === null ? '' : `: ${why}`}`;

/** Codes of the bridge itself; the portal's refusals have the portal's own codes (docs/errors.md). */
export const bridgeErrors = {
  /** There is no such verb. */
  'verbo-desconhecido': true,
  /** The message names the first argument that is wrong. */
  'argumentos-invalidos': true,
  /** More than 1,000 messages at once, or 400 a second; or more than the verb itself allows, which the message says. */
  'pedidos-demais': true,
  /** Nothing came within the time of the verb. */
  'sem-resposta': true,
  /** It takes a press of the person in the page first, in the window in front (`area.*`, `links.*`, `arquivos.*`). */
  'sem-gesto': true,
  /** The browser, or its person, said no (`area.*`). */
  recusado: true,
  /** The manifest does not declare what the verb needs, which the message names. */
  'nao-declarado': true,
  /** The person gave the app no such file or folder (`disco.*`). */
  'sem-permissao': true,
  /** More than one call carries (`disco.*`). */
  'grande-demais': true,
  /** Any other failure; the message says which. */
  falhou: true,
  /** The answer of another app ended too early: it ended, or the person took their consent back. */
  interrompido: true,
  /** The page is not in the shell: `fora do ambiente <verb>`. */
  'fora-do-ambiente': true,
} as const;
export type BridgeErrorCode = keyof typeof bridgeErrors;
