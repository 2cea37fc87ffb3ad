/**
 * A portal with a packed repository behind a real web server, for the store: apps are made from the examples and published as the
 * command does. The server has a valve for each package: half of it comes, the rest when the test says so, or other bytes.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publishApp } from '../../../kit/repository/publishing/publish.ts';
import { repository as home, startPortal, type RunningPortal } from '../../support/portal.ts';

export interface AppToPublish {
  readonly id: string;
  readonly version: string;
  /** Beside id and version. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Text of this version in CHANGELOG.md. */
  readonly news?: string;
  /** Bytes that don't get smaller. */
  readonly payload?: number;
  /** The two colours of its icon, and a letter. */
  readonly icon?: readonly [string, string, string];
  /** Files of docs/screenshots, with what is read out in their place. */
  readonly pictures?: Readonly<Record<string, string>>;
}

/** `open`: as it is. `held`: half of it, the rest once it is opened. `other`: as many other bytes. */
export type Valve = 'open' | 'held' | 'other';

export interface StoreWorld {
  readonly portal: RunningPortal;
  readonly dir: string;
  publish(app: AppToPublish): Promise<void>;
  /** For the tarball of a version, `agenda/1.0.0`. */
  valve(name: string, state: Valve): void;
  /** Writes a file of the desired folder. */
  desired(file: string, text: string): Promise<void>;
  stop(): Promise<void>;
}

export async function createStoreWorld(): Promise<StoreWorld> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svcs-'));
  const folder = path.join(dir, 'repo');
  const desired = path.join(dir, 'desired');
  await Promise.all([mkdir(folder), mkdir(desired)]);
  const valves = new Map<string, { state: Valve; opened: Set<() => void> }>();
  const server = http.createServer((req, res) => void serve(folder, valves, req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = {
    dir,
    publish: (app: AppToPublish) => publish(dir, folder, app),
    valve: (name: string, state: Valve) => {
      const valve = valves.get(name) ?? { state, opened: new Set() };
      valves.set(name, valve);
      valve.state = state;
      if (state === 'held') return;
      for (const go of valve.opened) go();
      valve.opened.clear();
    },
    desired: (file: string, text: string) => writeFile(path.join(desired, file), text),
  };
  await world.desired(
    'casa.yaml',
    [
      `kind: Portal\nmetadata: { name: casa }\nspec: { repository: "${address}" }`,
      'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ".", trusted: true } }',
      'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa, account: ana, grupos: [editores] }',
    ]
      .map((text) => `apiVersion: svc/v1\n${text}\n`)
      .join('---\n'),
  );
  // The catalogue is there before the portal reads it.
  await world.publish({ id: 'notas', version: '1.0.0' });
  const portal = await startPortal({ desired });
  return {
    ...world,
    portal,
    stop: async () => {
      await portal.stop();
      server.closeAllConnections();
      server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** An example app under another name, as its author would publish it. */
async function publish(dir: string, repository: string, app: AppToPublish): Promise<void> {
  const source = path.join(dir, `${app.id}-${app.version}`);
  const example = app.id === 'notas' || app.id === 'motor-eco' ? app.id : 'relogio';
  await cp(path.join(home, 'examples/apps', example), source, { recursive: true });
  const file = path.join(source, 'svc-app.json');
  const manifest = { ...(JSON.parse(await readFile(file, 'utf8')) as object), id: app.id, version: app.version, ...app.manifest };
  await writeFile(file, JSON.stringify(manifest));
  if (app.news !== undefined) await writeFile(path.join(source, 'CHANGELOG.md'), `# Changes\n\n## ${app.version}\n\n${app.news}\n`);
  if (app.payload !== undefined) await writeFile(path.join(source, 'dados.bin'), randomBytes(app.payload));
  if (app.icon !== undefined) await writeFile(path.join(source, 'icon.svg'), picture(...app.icon));
  if (app.pictures !== undefined) {
    for (const name of Object.keys(app.pictures)) await cp(path.join(home, 'docs/screenshots', name), path.join(source, name));
    const imagens = Object.entries(app.pictures).map(([arquivo, texto]) => ({ arquivo, texto }));
    await writeFile(path.join(source, 'loja.json'), JSON.stringify({ documentacao: 'https://ajuda.example/', imagens }));
  }
  const { outcome, report } = await publishApp(source, { destination: { kind: 'folder', dir: repository }, nowMs: Date.now() });
  if (outcome !== 'published') throw new Error(`${outcome}: ${JSON.stringify(report.errors)}`);
}

const picture = (from: string, to: string, letter: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs><rect width="64" height="64" rx="14" fill="url(#g)"/><text x="32" y="43" font-family="sans-serif" font-size="30" font-weight="700" text-anchor="middle" fill="#fff">${letter}</text></svg>`;

type Valves = ReadonlyMap<string, { readonly state: Valve; readonly opened: Set<() => void> }>;

/** A plain web server over the folder: a repository needs no other. */
async function serve(folder: string, valves: Valves, req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const name = new URL(req.url ?? '/', 'http://x').pathname;
  const bytes = await readFile(path.join(folder, path.normalize(name))).catch(() => null);
  if (bytes === null || !name.startsWith('/v1/')) return void res.writeHead(404).end();
  const valve = valves.get(/^\/v1\/pacote\/(.+)\.tgz$/.exec(name)?.[1] ?? '');
  res.writeHead(200, { 'content-length': bytes.length });
  if (valve?.state === 'other') return void res.end(Buffer.alloc(bytes.length, 'x'));
  if (valve?.state !== 'held') return void res.end(bytes);
  // Drop by drop, as over a slow line: whoever loads it tells how far it is twice a second.
  let at = 0;
  const drop = Math.ceil(bytes.length / 2 / 15);
  const dripping = setInterval(() => {
    if (at >= bytes.length / 2) return;
    res.write(bytes.subarray(at, at + drop));
    at += drop;
  }, 100);
  const go = (): void => {
    clearInterval(dripping);
    res.end(bytes.subarray(at));
  };
  valve.opened.add(go);
  res.once('close', () => {
    clearInterval(dripping);
    valve.opened.delete(go);
  });
}
