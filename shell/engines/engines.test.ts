/** When the loader of an engine begins and ends, by what the portal says of its backend. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { AppsState } from '../state/apps.ts';
import { createSignal } from '../state/signal.ts';
import { scriptFault } from '../scripts/registry.ts';
import { createEngines } from './engines.ts';
import type { RegisteredEngine } from './registry.ts';

const voice = (more: Partial<AppProjection> = {}): AppProjection =>
  ({
    id: 'voz',
    status: 'running',
    ready: true,
    stale: false,
    pid: 7,
    loader: { endereco: '/api/apps/voz/loader.js?v=1', permitido: true },
    ...more,
  }) as AppProjection;

function world(ligar: RegisteredEngine['ligar'] = () => undefined, load?: (app: string, address: string) => Promise<RegisteredEngine>) {
  const state = createSignal<AppsState>({ apps: [], loaded: false, error: null });
  const seen: string[] = [];
  const registered: RegisteredEngine = {
    ligar: (environment) => {
      seen.push('begins');
      environment.sinal.addEventListener('abort', () => seen.push('signal'));
      return ligar(environment);
    },
  };
  const engines = createEngines(
    { state, find: (id) => state.get().apps.find((app) => app.id === id) },
    {
      load: async (app, address) => {
        seen.push(`loads ${address.slice(-3)}`);
        return await (load?.(app, address) ?? Promise.resolve(registered));
      },
      environment: (app, sinal) => ({ app, idioma: 'pt', tema: 'claro', sinal, pedir: async () => new Response() }),
      tell: (app, why) => void seen.push(`${app}: ${why}`),
    },
  );
  const say = async (...apps: AppProjection[]): Promise<void> => {
    state.set({ apps, loaded: true, error: null });
    await vi.advanceTimersByTimeAsync(0);
  };
  const problems = (language: 'pt' | 'en' = 'pt') => [...engines.problems.get()].map(([app, error]) => [app, scriptFault(error, language)]);
  return { engines, state, seen, say, problems };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a loader is loaded once its backend answers, not before, and once', async () => {
  const { seen, say } = world();
  await say(voice({ status: 'stopped', ready: false }));
  await say(voice({ status: 'starting', ready: false }));
  await say(voice({ ready: false }));
  expect(seen).toEqual([]);
  await say(voice());
  await say(voice());
  expect(seen).toEqual(['loads v=1', 'begins']);
});

test.for<readonly [string, Partial<AppProjection>]>([
  ['an app that is not an engine, or has none', { loader: null }],
  ['a package whose scripts do not run in the shell', { loader: { endereco: '/x?v=1', permitido: false } }],
  ['code that is no longer what is on the disk', { stale: true }],
])('%s: nothing is loaded', async ([, app]) => {
  const { seen, say } = world();
  await say(voice(app));
  expect(seen).toEqual([]);
});

test.for<readonly [string, AppProjection[]]>([
  ['the backend stops', [voice({ status: 'stopping', ready: false })]],
  ['the backend fails', [voice({ status: 'backoff', ready: false })]],
  ['the app is removed', []],
  ['its scripts may run no more', [voice({ loader: { endereco: '/api/apps/voz/loader.js?v=1', permitido: false } })]],
])('%s: the engine ends, and its signal fires first', async ([, after]) => {
  const { seen, say } = world(() => () => void seen.push('ends'));
  await say(voice());
  await say(...after);
  expect(seen).toEqual(['loads v=1', 'begins', 'signal', 'ends']);
});

test.for<readonly [string, Partial<AppProjection>]>([
  ['a server that can not be seen', { status: 'unknown', ready: false }],
  ['a health check that waits', { ready: false }],
])('%s changes nothing', async ([, app]) => {
  const { seen, say } = world();
  await say(voice());
  await say(voice(app));
  await say(voice());
  expect(seen).toEqual(['loads v=1', 'begins']);
});

test('a list that could not be read ends nothing', async () => {
  const { seen, say, state } = world();
  await say(voice());
  state.set({ apps: [], loaded: true, error: 'away' });
  expect(seen).toEqual(['loads v=1', 'begins']);
});

test.for<readonly [string, Partial<AppProjection>, string]>([
  ['another process', { pid: 8 }, 'v=1'],
  ['another version', { loader: { endereco: '/api/apps/voz/loader.js?v=2', permitido: true } }, 'v=2'],
])('%s: it ends and begins again', async ([, app, version]) => {
  const { seen, say } = world(() => () => void seen.push('ends'));
  await say(voice());
  await say(voice(app));
  expect(seen).toEqual(['loads v=1', 'begins', 'signal', 'ends', `loads ${version}`, 'begins']);
});

test('a loader that does not load is said, told to the log, and tried again when the backend starts again or the person wants', async () => {
  let broken = true;
  const { engines, seen, say, problems } = world(undefined, async () => {
    if (broken) throw new Error('sem sorte');
    return { ligar: () => void seen.push('begins') };
  });
  await say(voice());
  await say(voice());
  expect([seen, problems()]).toEqual([['loads v=1', 'voz: sem sorte'], [['voz', 'sem sorte']]]);
  await say(voice({ status: 'stopped', ready: false }));
  expect(problems()).toEqual([]);
  await say(voice());
  expect(seen.slice(2)).toEqual(['loads v=1', 'voz: sem sorte']);
  broken = false;
  engines.retry('voz');
  await vi.advanceTimersByTimeAsync(0);
  expect([seen.slice(4), problems()]).toEqual([['loads v=1', 'begins'], []]);
});

test('one that throws when it begins has its signal fired, and others go on', async () => {
  const { seen, say, problems } = world(({ app }) => {
    if (app === 'voz') throw new Error('nada');
  });
  await say(voice(), voice({ id: 'outra' }));
  expect(problems()).toEqual([['voz', 'nada']]);
  expect(seen.filter((line) => line === 'begins')).toHaveLength(2);
  expect(seen).toContain('voz: nada');
});

test('one that begins too late is given up, and what it returns then is ended at once', async () => {
  const late = Promise.withResolvers<() => void>();
  const { seen, say, problems } = world(() => late.promise);
  await say(voice());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(problems()).toEqual([['voz', 'O motor não começou em 10 s.']]);
  expect(problems('en')).toEqual([['voz', 'The engine did not begin within 10 s.']]);
  expect(seen).toContain('voz: The engine did not begin within 10 s.');
  late.resolve(() => void seen.push('ends'));
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.at(-1)).toBe('ends');
});

test('an engine that stops while its script is on the way never begins', async () => {
  const script = Promise.withResolvers<RegisteredEngine>();
  const { seen, say, problems } = world(undefined, () => script.promise);
  await say(voice());
  await say(voice({ status: 'stopped', ready: false }));
  script.resolve({ ligar: () => void seen.push('begins') });
  await vi.advanceTimersByTimeAsync(0);
  expect([seen, problems()]).toEqual([['loads v=1'], []]);
});

test('an end that throws is told and does no harm', async () => {
  const { seen, say } = world(() => () => {
    throw new Error('não acaba');
  });
  await say(voice());
  await say();
  await say(voice());
  expect(seen).toEqual(['loads v=1', 'begins', 'signal', 'voz: não acaba', 'loads v=1', 'begins']);
});
