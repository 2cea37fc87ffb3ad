/**
 * The engines of a person in the environment: the loader of each is loaded while its backend answers, and ended when the backend stops or the app
 * is gone or another version. A server that can't be seen changes nothing. A loader that is broken is said in Settings and in the log of its app;
 * the other engines and the desktop go on. Source: rules 2.1 `engine`. Decision: docs/decisions/0205-engines-in-the-environment.md
 */
import type { AppProjection } from '../../schema/wire/http.ts';
import type { AppsModel } from '../state/apps.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { errorLine } from '../scripts/error-line.ts';
import { scriptFault, within } from '../scripts/registry.ts';
import type { EngineEnvironment, RegisteredEngine } from './registry.ts';

export interface EnginesModel {
  /** By app: what its loader was rejected with (`scriptFault` says it). */
  readonly problems: Signal<ReadonlyMap<string, unknown>>;
  /** Once more, without waiting for the backend to start again. */
  retry(app: string): void;
}

export interface EngineDeps {
  readonly load: (app: string, address: string) => Promise<RegisteredEngine>;
  readonly environment: (app: string, sinal: AbortSignal) => EngineEnvironment;
  /** To the log of the app. */
  readonly tell: (app: string, why: string) => void;
}

interface Running {
  readonly address: string;
  /** Null where the portal tells none. */
  readonly pid: number | null;
  readonly over: AbortController;
}

const isUp = ({ status, ready, stale }: AppProjection): boolean => status === 'running' && ready && !stale;
/** `unknown` is none of them. */
const isDown = ({ status }: AppProjection): boolean => status !== 'running' && status !== 'unknown';
const sameProcess = (before: number | null, now: number | null): boolean => before === null || now === null || before === now;

export function createEngines(apps: Pick<AppsModel, 'state' | 'find'>, { load, environment, tell }: EngineDeps): EnginesModel {
  const problems = createSignal<ReadonlyMap<string, unknown>>(new Map());
  /** Also those whose loader failed: they are not tried again while the same process runs. */
  const running = new Map<string, Running>();

  const say = (app: string, error: unknown): void => problems.set(new Map(problems.get()).set(app, error));
  const isWell = (app: string): void => {
    const now = new Map(problems.get());
    if (now.delete(app)) problems.set(now);
  };
  const failed = (app: string, { over }: Running, error: unknown): void => {
    over.abort();
    say(app, error);
    tell(app, scriptFault(error, 'en'));
  };
  const begin = async (app: string, own: Running): Promise<void> => {
    const { signal } = own.over;
    try {
      const engine = await load(app, own.address);
      if (signal.aborted) return;
      const begun = Promise.resolve(engine.ligar(environment(app, signal)));
      // Also of one that began too late.
      begun.then(
        (end) => endWith(signal, end, (error) => tell(app, errorLine(error))),
        () => {},
      );
      await within(begun, 'script.lateToBegin');
    } catch (error) {
      if (!signal.aborted) failed(app, own, error);
    }
  };
  const unload = (app: string, { over }: Running): void => {
    running.delete(app);
    over.abort();
    isWell(app);
  };
  const isStill = ({ address, pid }: Running, app: AppProjection | undefined): boolean =>
    app?.loader?.permitido === true && app.loader.endereco === address && !isDown(app) && sameProcess(pid, app.pid);

  const look = (): void => {
    const { apps: now, loaded, error } = apps.state.get();
    if (!loaded || error !== null) return;
    for (const [app, own] of running) if (!isStill(own, apps.find(app))) unload(app, own);
    for (const app of now) {
      if (app.loader?.permitido !== true || running.has(app.id) || !isUp(app)) continue;
      const own = { address: app.loader.endereco, pid: app.pid, over: new AbortController() };
      running.set(app.id, own);
      void begin(app.id, own);
    }
  };
  apps.state.subscribe(look);
  return {
    problems,
    retry: (app) => {
      const own = running.get(app);
      if (own !== undefined) unload(app, own);
      look();
    },
  };
}

/** Calls what `ligar` returned, once the engine is unloaded. */
function endWith(signal: AbortSignal, end: unknown, threw: (error: unknown) => void): void {
  if (typeof end !== 'function') return;
  const run = (): void => {
    try {
      end();
    } catch (error) {
      threw(error);
    }
  };
  if (signal.aborted) run();
  else signal.addEventListener('abort', run, { once: true });
}
