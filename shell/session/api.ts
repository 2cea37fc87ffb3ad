/** The portal's HTTP API as the shell uses it. Every failure is an ApiError with the portal's code and text. Source: schema/wire/http.ts. */
import { addressOf, type Address, type AnswerOf, type InputOf, type PartOf, type RouteName } from '../../schema/routes/call.ts';
import type { AppProjection, ClusterFormAnswer, Problem, SecretsView, SessionAnswer } from '../../schema/wire/http.ts';
import { isLineDoubted, lineSignal } from '../events/line.ts';
import { plainEtag } from '../../schema/wire/etag.ts';
import type { ClosedTab } from '../../schema/bridge/tab-verbs.ts';

export class ApiError extends Error {
  readonly status: number;
  /** The portal's code; 'OFFLINE' when it could not be reached. */
  readonly code: string;

  /** Message of the person's server about the failure. */
  readonly told: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, more: Told = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.told = typeof more.told === 'string' ? more.told : undefined;
    this.retryAfterMs = typeof more.retryAfterMs === 'number' ? more.retryAfterMs : undefined;
  }
}

interface Told {
  readonly told?: unknown;
  readonly retryAfterMs?: unknown;
}

/** May be otherwise in a moment: the portal was not reached, has too much to do, or is in trouble itself. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Above the portal's own deadlines: a restart waits for a stop and a start. */
const requestMsMax = 60_000;

type Headers = Readonly<Record<string, string>>;

function content(body: unknown, headers: Headers = {}): RequestInit {
  if (body === undefined) return { headers };
  if (body instanceof Blob) {
    return { headers: { ...headers, 'content-type': body.type === '' ? 'application/octet-stream' : body.type }, body };
  }
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/**
 * The person for whom this page was loaded: sent with every call, so that the portal does nothing in the name of another person who signed
 * in since.
 */
let loadedFor: { readonly usuario: string; readonly otherPerson: () => void } | null = null;

/** `otherPerson` is called when another person is signed in. */
export function actFor(usuario: string, otherPerson: () => void): void {
  loadedFor = { usuario, otherPerson };
}

export function withPerson({ headers, ...rest }: RequestInit): RequestInit {
  return {
    ...rest,
    headers: { ...(headers as Record<string, string> | undefined), ...(loadedFor && { 'svc-pessoa': loadedFor.usuario }) },
  };
}

/** The validator of an answer as the portal made it, whatever a front did to it; '' without one. */
export const etagOf = ({ headers }: Response): string => plainEtag(headers.get('etag') ?? '');

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** A change is waited for also where the way seems dead: it may be carried out all the same. */
function endOf(method: string, signal: AbortSignal | undefined): AbortSignal {
  if (signal !== undefined) return AbortSignal.any([signal, lineSignal()]);
  const late = AbortSignal.timeout(requestMsMax);
  return isRead(method) ? AbortSignal.any([late, lineSignal()]) : late;
}

/** As many connections as a browser keeps to one origin. */
const keptConnectionsMax = 6;
const doubtedMsMax = 2_000;

/** After a silence a question is asked again where nothing answers soon: a browser lets go of a connection that was given up. */
async function ask(path: string, init: RequestInit & { readonly method: string }, ends: AbortSignal): Promise<Response> {
  for (let left = keptConnectionsMax; isRead(init.method) && isLineDoubted() && left > 0; left -= 1) {
    const impatience = new AbortController();
    const timer = setTimeout(() => impatience.abort(), doubtedMsMax);
    try {
      return await fetch(path, { ...init, signal: AbortSignal.any([ends, impatience.signal]) });
    } catch (error) {
      if (!impatience.signal.aborted || ends.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
  return await fetch(path, { ...init, signal: ends });
}

interface How {
  /** The call takes as long as this lets it, and ends when the way to the portal is dead. */
  readonly signal?: AbortSignal;
  readonly headers?: Headers;
}
type Asking<Name extends RouteName> = object extends InputOf<Name> ? [input?: InputOf<Name>, how?: How] : [input: InputOf<Name>, how?: How];

/** The answer of a route as it comes. A body that is a Blob goes as it is, anything else as JSON. */
export async function send<Name extends RouteName>(name: Name, ...[input, how = {}]: Asking<Name>): Promise<Response> {
  return await request(addressOf(name, input as InputOf<Name>), how);
}

/** The JSON answer of a route. Other parts of the API are in files of their own: session/rooms-api.ts. */
export async function call<Name extends RouteName>(name: Name, ...[input, how = {}]: Asking<Name>): Promise<AnswerOf<Name>> {
  return await json<AnswerOf<Name>>(await request(addressOf(name, input as InputOf<Name>), how));
}

export async function request({ method, path, body }: Address, { signal, headers }: How = {}): Promise<Response> {
  const init = { method, credentials: 'same-origin', cache: 'no-store', ...withPerson(content(body, headers)) } as const;
  const response = await arriving(ask(path, init, endOf(method, signal)));
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem> & Told;
  if (problem.code === 'OTHER_PERSON') loadedFor?.otherPerson();
  throw new ApiError(response.status, problem.code ?? 'INTERNAL', problem.detail ?? problem.error ?? response.statusText, problem);
}

/** A file of the shell, into the browser's cache. */
export async function fetchFile(path: string): Promise<void> {
  const response = await arriving(ask(path, { method: 'GET', credentials: 'same-origin' }, endOf('GET', undefined)));
  if (!response.ok) throw new ApiError(response.status, 'NOT_FOUND', path);
  await arriving(response.arrayBuffer());
}

/**
 * Waits for an answer, its body, or a part of that. A broken or late one counts as a portal that was not reached; an end by the caller
 * stays an AbortError.
 */
export async function arriving<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'OFFLINE', error instanceof Error ? error.message : String(error));
  }
}

export const json = async <T>(response: Response): Promise<T> => (await arriving(response.json())) as T;

/** Null without a session. */
export async function whoAmI(): Promise<SessionAnswer | null> {
  try {
    return await call('GET /api/sessao');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** The pass of a printed link, or what a person typed in. */
export type SignInBody = PartOf<'POST /api/sessao', 'body'>;

export const signIn = async (body: SignInBody): Promise<void> => void (await send('POST /api/sessao', { body }));
/** Reads the owner of a one-time link without using the link up. */
export const linkOwner = (passe: string) => call('POST /api/sessao/link', { body: { passe } });
export const signInMethods = () => call('GET /api/sessao/metodos');

export const listSessions = async () => (await call('GET /api/sessoes')).sessoes;
/** The newest first; from `antes` on when there is one. */
export const readActivity = (antes: string | null) => call('GET /api/atividade', { query: { antes: antes ?? undefined } });
export const endSession = async (id: string): Promise<void> => void (await send('DELETE /api/sessoes/:id', { params: { id } }));
export const endAllSessions = async (others: boolean): Promise<void> =>
  void (await send('DELETE /api/sessoes', { query: { outras: others ? '1' : undefined } }));
/** `proof`: of the key of the session, which the portal then knows without its cookie. */
export const signOut = async (proof?: PartOf<'DELETE /api/sessao', 'body'>): Promise<void> =>
  void (await send('DELETE /api/sessao', proof === undefined ? {} : { body: proof }));

/** `usage`: with what each app uses of processor and memory, which costs the servers a reading. */
export const listApps = async (usage = false): Promise<readonly AppProjection[]> =>
  (await call('GET /api/apps', { query: { uso: usage ? '1' : undefined } })).apps;

/** `pedido`: what it may use of the cluster that it runs on. */
export const startApp = (id: string, pedido?: ClusterFormAnswer['pedido']) =>
  call('POST /api/apps/:id/start', { params: { id }, body: pedido === undefined ? {} : { pedido } });
export const clusterForm = (id: string) => call('GET /api/apps/:id/pedido', { params: { id } });
export const restartApp = (id: string) => call('POST /api/apps/:id/restart', { params: { id }, body: {} });
export const stopApp = async (id: string): Promise<void> => void (await send('POST /api/apps/:id/stop', { params: { id }, body: {} }));

/** Names only; a value goes to the portal and never comes from it. */
export const listSecrets = (id: string): Promise<SecretsView> => call('GET /api/apps/:id/segredos', { params: { id } });
export const putSecret = (id: string, nome: string, value: string): Promise<SecretsView> =>
  call('PUT /api/apps/:id/segredos/:nome', { params: { id, nome }, body: { value } });
export const deleteSecret = (id: string, nome: string): Promise<SecretsView> =>
  call('DELETE /api/apps/:id/segredos/:nome', { params: { id, nome } });

export const sendWindowCount = async (id: string, abertas: number, pagina: string): Promise<void> =>
  void (await send('POST /api/apps/:id/janelas', { params: { id }, body: { abertas, pagina } }));

/**
 * Reports to the app that its last window closed, with the tabs that its windows had. A 404 is ignored, as any other failure. Source: rules
 * 3.3, supervisor rule 6.
 */
export function closeTabs(appUrl: string, abas: readonly ClosedTab[]): void {
  void fetch(new URL('close-tabs', appUrl), {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'include',
    keepalive: true,
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ abas }),
  }).catch(() => undefined);
}

/** The last lines of run.log, then what is written, until the signal fires. */
export async function* followLog(id: string, tail: number, signal: AbortSignal): AsyncGenerator<string> {
  const response = await send('GET /api/apps/:id/log', { params: { id }, query: { tail, seguir: '1' } }, { signal });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await arriving(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export const readPreviousLog = async (id: string, tail: number): Promise<string> =>
  arriving((await send('GET /api/apps/:id/log', { params: { id }, query: { tail, anterior: '1' } })).text());

export const readShop = () => call('GET /api/loja');
/** The newest version by default. */
export const installApp = async (id: string, versao?: string): Promise<void> =>
  void (await send('POST /api/apps/:id/instalacao', { params: { id }, body: versao === undefined ? {} : { versao } }));
export const removeApp = async (id: string): Promise<void> => void (await send('DELETE /api/apps/:id/instalacao', { params: { id } }));
/** Fails when it is too late: what is there then stays. */
export const cancelInstall = async (id: string): Promise<void> =>
  void (await send('DELETE /api/apps/:id/instalacao', { params: { id }, query: { cancelar: '1' } }));
export const updateAllApps = () => call('POST /api/loja/atualizar-tudo', { body: {} });
export const readAdminPackages = () => call('GET /api/admin/pacotes');
export const rollBackPackage = async (key: string): Promise<void> =>
  void (await send('POST /api/admin/packages/rollback', { body: { key } }));
export const undoRollBack = async (key: string): Promise<void> =>
  void (await send('DELETE /api/admin/packages/rollback', { query: { key } }));
