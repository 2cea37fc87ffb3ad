/** The portal's HTTP API as the shell uses it. Every failure is an ApiError with the portal's code and text. Source: schema/wire/http.ts. */
import type { AppProjection, Problem, SessionAnswer, StartAnswer } from '../../schema/wire/http.ts';

export class ApiError extends Error {
  readonly status: number;
  /** The portal's code; 'OFFLINE' when it could not be reached. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

/** Above the portal's own deadlines: a restart waits for a stop and a start. */
const requestMsMax = 60_000;

async function request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal ?? AbortSignal.timeout(requestMsMax),
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, 'OFFLINE', error instanceof Error ? error.message : String(error));
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  throw new ApiError(response.status, problem.code ?? 'INTERNAL', problem.detail ?? problem.error ?? response.statusText);
}

const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;
const appPath = (app: string, rest: string): string => `/api/apps/${encodeURIComponent(app)}${rest}`;

/** Null when nobody is signed in. */
export async function whoAmI(): Promise<SessionAnswer | null> {
  try {
    return await json<SessionAnswer>(await request('GET', '/api/sessao'));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** Spends the one-time pass of a printed link. */
export const signIn = async (passe: string): Promise<void> => void (await request('POST', '/api/sessao', { passe }));
export const signOut = async (): Promise<void> => void (await request('DELETE', '/api/sessao'));

export async function listApps(): Promise<readonly AppProjection[]> {
  const answer = await json<readonly AppProjection[] | { readonly apps: readonly AppProjection[] }>(await request('GET', '/api/apps'));
  return 'apps' in answer ? answer.apps : answer;
}

export const startApp = async (app: string): Promise<StartAnswer> => json(await request('POST', appPath(app, '/start'), {}));
export const restartApp = async (app: string): Promise<StartAnswer> => json(await request('POST', appPath(app, '/restart'), {}));
export const stopApp = async (app: string): Promise<void> => void (await request('POST', appPath(app, '/stop'), {}));

export const sendWindowCount = async (app: string, abertas: number, pagina: string): Promise<void> =>
  void (await request('POST', appPath(app, '/janelas'), { abertas, pagina }));

/** Tells the app that its last window closed. A 404 is ignored, as any other failure. Source: spec 3.3, supervisor rule 6. */
export function closeTabs(appUrl: string): void {
  void fetch(new URL('close-tabs', appUrl), {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'include',
    keepalive: true,
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ abas: [] }),
  }).catch(() => undefined);
}

/** The last lines of run.log, then what is written, until the signal fires. */
export async function* followLog(app: string, tail: number, signal: AbortSignal): AsyncGenerator<string> {
  const response = await request('GET', appPath(app, `/log?tail=${tail}&seguir=1`), undefined, signal);
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export const readPreviousLog = async (app: string, tail: number): Promise<string> =>
  (await request('GET', appPath(app, `/log?tail=${tail}&anterior=1`))).text();
