/**
 * For the tests of packages: small real apps that are published into a real repository (a folder, or the same behind `svc repository`), a
 * desired folder that wants them, and `svc up` inside this process, so that orders can be posted as the api does.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { begin, type Running } from '../../bin/up/main.ts';
import { publishApp } from '../../kit/repository/publishing/publish.ts';
import type { PortalDocument } from '../../schema/desired/documents.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { emptyServer, freePort, msOften, repository, until } from './portal.ts';

/** Answers its version on every path, as soon as it listens. */
const main = `
import http from 'node:http';
import { readFileSync } from 'node:fs';
const { version } = JSON.parse(readFileSync(new URL('svc-app.json', import.meta.url), 'utf8'));
http.createServer((request, response) => response.end(version)).listen(process.env.SVC_APP_SOCKET);
`;

export interface Author {
  /** Writes a package folder and publishes it into the repository. */
  publish(id: string, version: string, manifest?: Readonly<Record<string, unknown>>): Promise<void>;
  /** A folder with one unpacked package for each app. */
  unpacked(id: string, version: string, manifest?: Readonly<Record<string, unknown>>): string;
}

function writePackage(folder: string, id: string, version: string, manifest: Readonly<Record<string, unknown>>): void {
  const { backend, ...rest } = manifest;
  const whole = {
    id,
    version,
    name: id,
    instalacao: ['sistema', 'pessoa'],
    ...rest,
    backend: { runtime: 'node', entrypoint: 'main.js', aoFechar: 'manter', ...(backend as object | undefined) },
  };
  const files = {
    'svc-app.json': JSON.stringify(whole),
    'main.js': main,
    'package.json': '{"type":"module"}',
    'frontend/index.html': version,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export interface PackageWorld extends Author {
  readonly dir: string;
  readonly state: string;
  readonly repo: string;
  readonly events: readonly (PortalEvent & { readonly person: string })[];
  readonly up: Running;
  /** Documents without their apiVersion; Portal, Server and ana are there already. */
  write(documents: readonly string[], where?: PortalDocument['spec']['repository']): Promise<void>;
  begin(): Promise<Running>;
  view(key: string): ObjectView | null;
  when(key: string, state: string, more?: (found: ObjectView) => boolean, msMax?: number): Promise<ObjectView>;
  /** As the api does. */
  wish(app: string, version: string | null, cancels?: boolean): Promise<void>;
  dispose(): Promise<void>;
}

export function writeDocuments(folder: string, where: PortalDocument['spec']['repository'], documents: readonly string[]): void {
  const all = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(where)} }`,
    'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ".", trusted: true } }',
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana, login: ana, server: casa }',
    ...documents,
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'all.yaml'), all.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
}

export const document = (name: string, app: string, versao: string, more = ''): string =>
  `kind: Package\nmetadata: { name: ${name} }\nspec: { app: ${app}, versao: "${versao}", server: casa${more} }`;

export const pinned = (app: string): string =>
  `kind: Backend\nmetadata: { name: ana-${app} }\nspec: { app: ${app}, pessoa: ana, estado: ligado }`;

let requests = 0;

export async function packageWorld(): Promise<PackageWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'svcp-'));
  const [repo, state, desired] = [join(dir, 'repo'), join(dir, 's'), join(dir, 'd')];
  const port = await freePort();
  const events: (PortalEvent & { readonly person: string })[] = [];
  let up: Running | null = null;
  const running = (): Running => {
    if (up === null) throw new Error('the portal does not run');
    return up;
  };
  const view = (key: string): ObjectView | null => {
    // Also of apps that were never started, of which the loop keeps nothing.
    return (
      running()
        .gateway.admin.objects(key)
        .find((one) => one.key === key) ?? null
    );
  };
  return {
    dir,
    state,
    repo,
    events,
    get up() {
      return running();
    },
    publish: async (id, version, manifest = {}) => {
      const folder = join(dir, 'src', id, version);
      writePackage(folder, id, version, manifest);
      const { outcome, report } = await publishApp(folder, { destination: { kind: 'folder', dir: repo }, nowMs: Date.now() });
      if (outcome !== 'published') throw new Error(`${outcome}: ${JSON.stringify(report.errors)}`);
    },
    unpacked: (id, version, manifest = {}) => {
      writePackage(join(dir, 'open', id), id, version, manifest);
      return join(dir, 'open');
    },
    write: async (documents, where = repo) => {
      writeDocuments(desired, where, documents);
      await up?.gateway.commands.admin.apply(true);
    },
    begin: async () => {
      up = await begin({ dir: desired, listen: `127.0.0.1:${port}`, state }, pino({ level: process.env['SVC_TEST_LOG'] ?? 'silent' }));
      up.controller.context.options.bus.onPublish((person, event) => void events.push({ person, ...event }));
      return up;
    },
    view,
    when: (key, wanted, more = () => true, msMax = 60_000) =>
      until(
        `${key} ${wanted}`,
        () => {
          const found = view(key);
          return found?.state === wanted && more(found) ? found : null;
        },
        msMax,
        msOften,
      ).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}; it is ${JSON.stringify(view(key))}`);
      }),
    wish: async (app, version, cancels = false) => {
      const { store, bus } = running().controller.context.options;
      requests += 1;
      await store.putInstallWish({ person: 'ana', app, version, requestId: `w${requests}`, atMs: Date.now(), cancels });
      bus.enqueue(`Package/ana/${app}`, true);
    },
    dispose: async () => {
      await up?.end();
      await emptyServer(state);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** `svc repository DIR` as a process of its own. */
export async function serveRepository(folder: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(
    join(repository, 'node_modules/.bin/node'),
    [join(repository, 'bin/svc-main.ts'), 'repository', folder, '--listen', `127.0.0.1:${port}`],
    { cwd: repository, stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  await until('the repository', () =>
    fetch(`${url}/v1/catalogo.json`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  return {
    url,
    close: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Serves a file over HTTP, slowly, so that something can happen meanwhile. */
export async function serveSlowly(
  bytes: Buffer,
  chunkMs: () => number,
): Promise<{ readonly url: string; readonly sent: () => number; close(): void }> {
  let sent = 0;
  const server = http.createServer((request, response) => {
    const from = Number(/^bytes=([0-9]+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': bytes.length - from,
      etag: '"one"',
      ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    let at = from;
    const timer = setInterval(() => {
      const part = bytes.subarray(at, at + Math.ceil(bytes.length / 50));
      at += part.length;
      sent += part.length;
      response.write(part);
      if (at < bytes.length) return;
      clearInterval(timer);
      response.end();
    }, chunkMs());
    response.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1/motor/rosto/1.0`,
    sent: () => sent,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The files of a repository over HTTP; while `hold` is set, tarballs stop in their middle. */
export async function holdingRepository(folder: string) {
  const held = new Set<() => void>();
  const state = { hold: false };
  const server = http.createServer((request, response) => {
    const file = join(folder, decodeURIComponent(request.url ?? '/'));
    const bytes = existsSync(file) ? readFileSync(file) : null;
    response.writeHead(bytes === null ? 404 : 200, { 'content-length': bytes?.length ?? 0 });
    if (bytes === null || !state.hold || !file.endsWith('.tgz')) {
      response.end(bytes);
      return;
    }
    response.write(bytes.subarray(0, bytes.length / 2));
    const go = (): void => void response.end(bytes.subarray(bytes.length / 2));
    held.add(go);
    response.once('close', () => held.delete(go));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    hold: () => {
      state.hold = true;
    },
    /** Downloads that stand still. */
    waiting: () => held.size,
    release: () => {
      state.hold = false;
      for (const go of held) go();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
