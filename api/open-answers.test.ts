/** Whatever takes long ends with its session: every route of the API that can, by the API's own document. */
import http from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../store/store.ts';
import { withEdges } from '../store/with-edges.ts';
import type { ManualClock } from './testing/manual-clock.ts';
import { createMemoryStore } from './testing/memory-store.ts';
import { createPortalWorld, type Browser, type PortalWorld } from './testing/portal-world.ts';

interface Operation {
  /** Missing for bytes as they are. */
  readonly requestBody?: unknown;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: { readonly pattern?: string } }[];
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const isStream = (content: Readonly<Record<string, unknown>> | undefined): boolean =>
  Object.keys(content ?? {}).some((type) => !/^application\/(?:problem\+|merge-patch\+)?json$/.test(type));

/** Asked with the token of a job. Acts on servers, keys and people are ended or refused at once here. Small files of an app come from a folder here, which answers at once. */
const isLeftOut = (path: string): boolean =>
  /^\/api\/(?:fila\/executor|admin\/(?:servers|keys|people\/[^/]+\/(?:erasure|move))|loja)|\/(?:icone[a-z-]*|secao\.js|loader\.js)$/.test(
    path,
  );

/** Sends or gives bytes that are no JSON, or is held until something changes. */
function canBeLong(method: string, { parameters = [], requestBody, responses = {} }: Operation): boolean {
  const isHeld = parameters.some(({ name }) => ['espera', 'seguir', 'follow'].includes(name));
  return isHeld || (method === 'put' && requestBody === undefined) || Object.values(responses).some(({ content }) => isStream(content));
}

const samples: Readonly<Record<string, string>> = {
  sha: 'a'.repeat(64),
  caminho: '/tmp/x',
  texto: 'x',
  desde: '0',
  tamanho: '9',
  espera: '30',
  app: 'notas',
  person: 'ana',
  seguir: '1',
  follow: '1',
};

const ids = [
  ['/api/apps/', 'notas'],
  ['/api/salas/', `s${'A'.repeat(21)}`],
  ['/api/arquivos/', 'a'.repeat(32)],
  ['/api/fila/', `j${'a'.repeat(20)}`],
  ['/api/admin/fila/', `j${'a'.repeat(20)}`],
] as const;

let own: PortalWorld;
let isHanging: boolean;
let hangs = 0;
let ana: Browser;
let elsewhere: Browser;

const never = (): Promise<never> => {
  hangs += 1;
  return new Promise(() => undefined);
};

/** As soon as a test says so, nothing of it answers. */
function hanging<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get: (target, name, receiver) => {
      const found: unknown = Reflect.get(target, name, receiver);
      return isHanging && typeof found === 'function' ? never : found;
    },
  });
}

beforeEach(async () => {
  [isHanging, hangs] = [false, 0];
  const store = createMemoryStore();
  const held: Store = { ...store, jobs: hanging(store.jobs), rooms: hanging(store.rooms) };
  own = await createPortalWorld({ store: held });
  own.world.filesOf = never;
  ana = await own.signedIn('ana', { admin: true });
  elsewhere = await own.signedIn('ana', { admin: true });
});
afterEach(async () => {
  isHanging = false;
  await own.close();
});

const begun = (browser: Browser, method: string, path: string): Promise<string> => {
  const cookie = browser.cookies.get(own.host) ?? '';
  const headers = { host: own.host, cookie, origin: own.url, 'sec-fetch-site': 'same-origin' };
  const isBody = method === 'PUT';
  const body: Record<string, string> = isBody ? { 'content-type': 'image/png', 'content-length': '9' } : { 'if-none-match': '"1"' };
  const request = http.request({ host: '127.0.0.1', port: own.port, method, path, agent: false, headers: { ...headers, ...body } });
  const over = new Promise<string>((resolve) => {
    request.on('response', (answer) => {
      answer.on('error', () => resolve('ended'));
      answer.on('end', () => resolve(`${method} ${path} answered ${answer.statusCode}`));
      answer.resume();
    });
    request.on('error', () => resolve('ended'));
  });
  // Half of a body.
  if (isBody) request.write('1234');
  else request.end();
  return over;
};

/** A path with what its parameters ask for. */
function filled(path: string, { parameters = [] }: Operation): string {
  const query = parameters.filter((each) => each.in === 'query' && samples[each.name] !== undefined);
  const id = ids.find(([part]) => path.startsWith(part))?.[1] ?? 'x';
  const names = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => samples[name] ?? { id, versao: '1' }[name] ?? 'x').replace('*', 'x');
  return `${names}?${query.map(({ name }) => `${name}=${encodeURIComponent(samples[name] ?? '')}`).join('&')}`;
}

/** How many of two calls of a person reach the store: what the world prints of an app is followed without it, and of a version they ask one after the other. */
const reaching = ([, path]: readonly [string, string]): number => (/\/log\?/.test(path) ? 0 : /\/historico\/[^/]+\?/.test(path) ? 1 : 2);

const endings: Readonly<Record<string, () => Promise<unknown>>> = {
  'signing out': () => ana.call('DELETE', '/api/sessao'),
  'ending one session from another': async () => {
    const { sessoes } = (await elsewhere.call('GET', '/api/sessoes')).json() as { sessoes: readonly { id: string; atual: boolean }[] };
    return await elsewhere.call('DELETE', `/api/sessoes/${sessoes.find(({ atual }) => !atual)?.id}`);
  },
  'an account that is closed': async () => await withEdges(own.store, own.bus).deleteSessionsOf('ana'),
  'a person who is removed': async () => {
    Object.assign(own.world.gateway.people, { find: () => null });
    own.bus.peopleChanged();
    await expect.poll(async () => (await own.store.sessionsOf('ana', 0)).length).toBe(0);
  },
};
const isOfAll = (ending: string): boolean => ending.startsWith('a');

test.for(Object.keys(endings))(
  'every route that can take long ends within a second of %s, and those of another session go on',
  async (ending) => {
    const document = (await ana.call('GET', '/api/openapi.json')).json() as Document;
    const long = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        !isLeftOut(path) && canBeLong(method, operation) ? [[method.toUpperCase(), filled(path, operation)] as const] : [],
      ),
    );
    expect(long.length).toBeGreaterThan(15);
    isHanging = true;
    const [mine, others] = [ana, elsewhere].map((browser) => long.map(([method, path]) => begun(browser, method, path)));
    await expect.poll(() => hangs).toBe(long.reduce((sum, each) => sum + reaching(each), 0));
    await endings[ending]!();
    (own.clock as ManualClock).advance(1_000);
    expect(await Promise.all(mine ?? [])).toEqual(long.map(() => 'ended'));
    const rest = (others ?? []).map((each) => (isOfAll(ending) ? each : Promise.race([each, Promise.resolve('open')])));
    expect(await Promise.all(rest)).toEqual(long.map(() => (isOfAll(ending) ? 'ended' : 'open')));
  },
);

test('a file that is on its way is not written after the sign-out', async () => {
  const taken = Promise.withResolvers<unknown>();
  const began = Promise.withResolvers<void>();
  own.world.filesOf = async () =>
    ({
      write: async (_path: Uint8Array, body: AsyncIterable<Uint8Array>) => {
        try {
          for await (const chunk of body) if (chunk.length > 0) began.resolve();
          taken.resolve('whole');
        } catch (error) {
          taken.resolve(error);
          throw error;
        }
      },
    }) as never;
  const over = begun(ana, 'PUT', '/api/arquivos/conteudo?caminho=%2Ftmp%2Fx');
  await began.promise;
  await ana.call('DELETE', '/api/sessao');
  expect(await taken.promise).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await over).toBe('ended');
});
