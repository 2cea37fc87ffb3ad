/** The portal's HTTP API as the shell uses it. Every failure is an ApiError with the portal's code and text. Source: schema/wire/http.ts. */
import type { ActivityAnswer } from '../../schema/wire/audit.ts';
import type {
  SecretsView,
  AppProjection,
  LinkOwnerAnswer,
  Problem,
  SessionAnswer,
  SessionsAnswer,
  SignInMethodsAnswer,
  StartAnswer,
} from '../../schema/wire/http.ts';
import { isLineDoubted, lineSignal } from '../events/line.ts';
import { plainEtag } from '../../schema/wire/etag.ts';
import type { ClosedTab } from '../../schema/bridge/tab-verbs.ts';
import type { AdminPackagesAnswer, ShopAnswer, UpdateAllAnswer } from '../../schema/wire/shop.ts';

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

/** A Blob goes as it is, anything else as JSON. With a `signal` it takes as long as that lets it, and ends when the way to the portal is dead. Other parts of the API are in files of their own: session/rooms-api.ts. */
export async function request(method: string, path: string, body?: unknown, signal?: AbortSignal, headers?: Headers): Promise<Response> {
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
const appPath = (app: string, rest: string): string => `/api/apps/${encodeURIComponent(app)}${rest}`;

/** Null without a session. */
export async function whoAmI(): Promise<SessionAnswer | null> {
  try {
    return await json<SessionAnswer>(await request('GET', '/api/sessao'));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** The pass of a printed link, or what a person typed in. */
export type SignInBody = { readonly passe: string } | { readonly login: string; readonly senha: string };

export const signIn = async (body: SignInBody): Promise<void> => void (await request('POST', '/api/sessao', body));
/** Reads the owner of a one-time link without using the link up. */
export const linkOwner = async (passe: string): Promise<LinkOwnerAnswer> => json(await request('POST', '/api/sessao/link', { passe }));
export const signInMethods = async (): Promise<SignInMethodsAnswer> => json(await request('GET', '/api/sessao/metodos'));

export const listSessions = async (): Promise<SessionsAnswer['sessoes']> =>
  (await json<SessionsAnswer>(await request('GET', '/api/sessoes'))).sessoes;
/** The newest first; from `antes` on when there is one. */
export const readActivity = async (antes: string | null): Promise<ActivityAnswer> =>
  json(await request('GET', antes === null ? '/api/atividade' : `/api/atividade?antes=${encodeURIComponent(antes)}`));
export const endSession = async (id: string): Promise<void> => void (await request('DELETE', `/api/sessoes/${encodeURIComponent(id)}`));
export const endAllSessions = async (others: boolean): Promise<void> =>
  void (await request('DELETE', others ? '/api/sessoes?outras=1' : '/api/sessoes'));
/** `proof`: of the key of the session, which the portal then knows without its cookie. */
export const signOut = async (proof?: object): Promise<void> => void (await request('DELETE', '/api/sessao', proof));

/** `usage`: with what each app uses of processor and memory, which costs the servers a reading. */
export async function listApps(usage = false): Promise<readonly AppProjection[]> {
  const answer = await json<readonly AppProjection[] | { readonly apps: readonly AppProjection[] }>(
    await request('GET', usage ? '/api/apps?uso=1' : '/api/apps'),
  );
  return 'apps' in answer ? answer.apps : answer;
}

export const startApp = async (app: string): Promise<StartAnswer> => json(await request('POST', appPath(app, '/start'), {}));
export const restartApp = async (app: string): Promise<StartAnswer> => json(await request('POST', appPath(app, '/restart'), {}));
export const stopApp = async (app: string): Promise<void> => void (await request('POST', appPath(app, '/stop'), {}));

const secretPath = (app: string, name: string): string => appPath(app, `/segredos/${encodeURIComponent(name)}`);
/** Names only; a value goes to the portal and never comes from it. */
export const listSecrets = async (app: string): Promise<SecretsView> => json(await request('GET', appPath(app, '/segredos')));
export const putSecret = async (app: string, name: string, value: string): Promise<SecretsView> =>
  json(await request('PUT', secretPath(app, name), { value }));
export const deleteSecret = async (app: string, name: string): Promise<SecretsView> => json(await request('DELETE', secretPath(app, name)));

export const sendWindowCount = async (app: string, abertas: number, pagina: string): Promise<void> =>
  void (await request('POST', appPath(app, '/janelas'), { abertas, pagina }));

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
export async function* followLog(app: string, tail: number, signal: AbortSignal): AsyncGenerator<string> {
  const response = await request('GET', appPath(app, `/log?tail=${tail}&seguir=1`), undefined, signal);
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

export const readPreviousLog = async (app: string, tail: number): Promise<string> =>
  arriving((await request('GET', appPath(app, `/log?tail=${tail}&anterior=1`))).text());

export const readShop = async (): Promise<ShopAnswer> => json(await request('GET', '/api/loja'));
/** The newest version by default. */
export const installApp = async (app: string, versao?: string): Promise<void> =>
  void (await request('POST', appPath(app, '/instalacao'), versao === undefined ? {} : { versao }));
export const removeApp = async (app: string): Promise<void> => void (await request('DELETE', appPath(app, '/instalacao')));
/** Fails when it is too late: what is there then stays. */
export const cancelInstall = async (app: string): Promise<void> => void (await request('DELETE', appPath(app, '/instalacao?cancelar=1')));
export const updateAllApps = async (): Promise<UpdateAllAnswer> => json(await request('POST', '/api/loja/atualizar-tudo', {}));
export const readAdminPackages = async (): Promise<AdminPackagesAnswer> => json(await request('GET', '/api/admin/pacotes'));
export const rollBackPackage = async (key: string): Promise<void> => void (await request('POST', '/api/admin/packages/rollback', { key }));
export const undoRollBack = async (key: string): Promise<void> =>
  void (await request('DELETE', `/api/admin/packages/rollback?key=${encodeURIComponent(key)}`));
