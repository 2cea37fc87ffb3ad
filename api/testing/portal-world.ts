/**
 * A whole portal on a free port of 127.0.0.1 with real backends behind it, and a small browser: one cookie jar per host, `Host`
 * set by hand since Node resolves no `*.localhost`. Everything that was received is kept, byte by byte, for the canary test.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { createBus, type Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Relay } from '../rooms/contract.ts';
import { createPortal, type Portal, type PortalOptions } from '../portal.ts';
import type { LazySchemas } from '../http/lazy-schemas.ts';
import { createTestWorld, type TestWorld } from './backends.ts';
import { openAuditLog, type AuditLog } from '../../store/audit/log.ts';
import { createFolderBytes } from '../../store/folder-bytes.ts';
import { createMemoryStore } from './memory-store.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { sharedSchemas } from './shared-schemas.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the portal answered: the assertions say what it must be
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** Parsed; the test says what it expects it to be. */
  json(): Json;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Browser {
  readonly cookies: Map<string, string>;
  /** `host` is the shell's by default. Cookies go along and are kept; redirects are not followed. */
  request(url: string, options?: RequestOptions): Promise<Answer>;
  /** As the shell's page calls its API. */
  call(method: string, url: string, body?: unknown): Promise<Answer>;
  /** As typing an address: follows redirects from host to host. */
  visit(url: string): Promise<Answer & { readonly url: string }>;
  socket(url: string, headers?: Record<string, string>): WebSocket;
}

export interface PortalWorld {
  readonly portal: Portal;
  readonly url: string;
  readonly port: number;
  readonly host: string;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: ManualClock | Clock;
  readonly world: TestWorld;
  readonly dir: string;
  readonly controlSocket: string;
  /** Where `WorldOptions.audit` asked for one. */
  readonly audit: AuditLog | undefined;
  /** Lines of the portal's log. */
  readonly logLines: string[];
  /** All bytes that any client received. */
  readonly received: Buffer[];
  /** Host of an app's origin. */
  appHost(app: string): string;
  browser(): Browser;
  signedIn(person: string, options?: { readonly admin?: boolean }): Promise<Browser>;
  control(method: string, url: string, body?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Silent unless given. */
  readonly relay?: Relay;
  readonly origins?: 'subdomain' | 'path';
  readonly apps?: readonly string[];
  /** Further fields of their manifests. */
  readonly manifests?: Readonly<Record<string, Partial<Manifest>>>;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly url?: string;
  /** Absent: any that is free. */
  readonly listenPort?: number;
  readonly trustedProxies?: readonly string[];
  readonly shellScripts?: 'system' | 'person';
  readonly schemas?: LazySchemas;
  /** Keeps an audit record, in its folder. */
  readonly audit?: boolean;
  readonly judgePeer?: NonNullable<PortalOptions['judgePeer']>;
}

/** As svc up does: what can't be put together leaves nothing behind. */
async function listenOrEnd(portal: Portal): ReturnType<Portal['listen']> {
  try {
    return await portal.listen();
  } catch (error) {
    await portal.close();
    throw error;
  }
}

export async function createPortalWorld(options: WorldOptions = {}): Promise<PortalWorld> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'svc-api-'));
  const store = options.store ?? createMemoryStore();
  const bus = createBus();
  const clock = options.clock ?? createManualClock();
  const world = createTestWorld(dir, bus, options.apps ?? ['notas', 'relogio'], options.manifests);
  const logLines: string[] = [];
  const received: Buffer[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logLines.push(chunk.toString());
      done();
    },
  });
  const controlSocket = path.join(dir, 'svc.sock');
  const audit = options.audit === true ? await recordIn(dir, clock) : undefined;
  const settings: PortalOptions = {
    store,
    bus,
    gateway: world.gateway,
    settings: settingsOf(options),
    controlSocket,
    ...foldersIn(dir),
    assets: await writeAssets(dir),
    log: pino({ level: 'info' }, sink),
    clock,
    ...(options.relay === undefined ? {} : { relay: options.relay }),
    schemas: options.schemas ?? sharedSchemas,
    ...(audit === undefined ? {} : { audit }),
    ...(options.judgePeer === undefined ? {} : { judgePeer: options.judgePeer }),
  };
  const portal = await createPortal(settings);
  const { url, port } = await listenOrEnd(portal);
  const host = new URL(url).host;
  const browser = (): Browser => createBrowser({ host, port, url, received });
  return {
    portal,
    url,
    port,
    host,
    store,
    bus,
    clock,
    world,
    dir,
    controlSocket,
    audit,
    logLines,
    received,
    appHost: (app) => `${app}.${host}`,
    browser,
    signedIn: async (person, { admin = false } = {}) => {
      const client = browser();
      const link = new URL(await portal.signInLink(person, { admin }));
      const answer = await client.request(link.pathname + link.search, { headers: navigation });
      if (answer.status !== 302) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
      return client;
    },
    control: (method, target, body) =>
      send({ socketPath: controlSocket, method, path: target, headers: { host: 'svc', ...jsonHeaders(body) } }, text(body), received),
    close: async () => {
      await portal.close();
      await audit?.close();
      await world.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const settingsOf = (options: WorldOptions): PortalOptions['settings'] => ({
  listenHost: '127.0.0.1',
  listenPort: options.listenPort ?? 0,
  url: options.url ?? 'http://svc.localhost:0',
  origins: options.origins ?? 'subdomain',
  trustedProxies: options.trustedProxies ?? [],
  shellScripts: options.shellScripts ?? 'system',
});

const recordIn = (dir: string, clock: Clock): Promise<AuditLog> =>
  openAuditLog({
    dir: path.join(dir, 'audit'),
    portal: 'casa',
    clock,
    rule: () => ({ keepDays: 30, syslog: false }),
    onTrouble: () => undefined,
  });

const foldersIn = (dir: string) => ({
  attachments: createFolderBytes(path.join(dir, 'anexos')),
  jobFiles: createFolderBytes(path.join(dir, 'fila')),
});

/** Headers of a browser that opens a page. */
export const navigation = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'none',
  accept: 'text/html',
} as const;

async function writeAssets(dir: string): Promise<PortalOptions['assets']> {
  const assets = { shellDir: path.join(dir, 'shell'), sdkWebDir: path.join(dir, 'sdk') };
  await mkdir(path.join(assets.shellDir, 'assets'), { recursive: true });
  await mkdir(path.join(assets.sdkWebDir, 'ui'), { recursive: true });
  await writeFile(path.join(dir, 'secret.js'), 'outside');
  await writeFile(path.join(assets.shellDir, 'index.html'), '<!doctype html><title>shell</title>');
  await writeFile(path.join(assets.shellDir, 'assets', 'main-ABCD2345.js'), 'export {}');
  await writeFile(path.join(assets.sdkWebDir, 'svc.js'), 'export const svc = 1');
  await writeFile(path.join(assets.sdkWebDir, 'ui', 'svc.css'), 'body{}');
  return assets;
}

interface BrowserDeps {
  readonly host: string;
  readonly port: number;
  /** In place of 127.0.0.1 and the port. */
  readonly socketPath?: string;
  readonly url: string;
  readonly received: Buffer[];
}

export function createBrowser({ host, port, socketPath, url: origin, received }: BrowserDeps): Browser {
  const place = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
  const cookies = new Map<string, string>();
  const request = async (target: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): Promise<Answer> => {
    const to = headers['host'] ?? host;
    const cookie = cookies.get(to);
    const all = { host: to, ...(cookie === undefined ? {} : { cookie }), ...headers };
    const answer = await send({ ...place, method, path: target, headers: all }, body, received);
    for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, to, line);
    return answer;
  };
  return {
    cookies,
    request,
    call: (method, target, body) =>
      request(target, {
        method,
        headers: { origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', ...jsonHeaders(body) },
        ...(body === undefined ? {} : { body: text(body) ?? '' }),
      }),
    visit: async (target) => {
      let current = new URL(target, origin);
      for (let step = 0; step < 8; step += 1) {
        const answer = await request(current.pathname + current.search, { headers: { ...navigation, host: current.host } });
        const { location } = answer.headers;
        if (answer.status < 300 || answer.status >= 400 || location === undefined) return { ...answer, url: current.href };
        current = new URL(location, current);
      }
      throw new Error(`too many redirects at ${current.href}`);
    },
    socket: (target, headers = {}) => {
      const cookie = cookies.get(headers['host'] ?? host);
      return new WebSocket(`ws://127.0.0.1:${port}${target}`, {
        headers: { host, origin, ...(cookie === undefined ? {} : { cookie }), ...headers },
      });
    },
  };
}

/** Cookies of one host, as the header that goes back. */
function keep(cookies: Map<string, string>, host: string, line: string): void {
  const pair = line.split(';')[0] ?? '';
  const name = `${pair.split('=')[0]}=`;
  const others = (cookies.get(host) ?? '').split('; ').filter((each) => each !== '' && !each.startsWith(name));
  const kept = /max-age=0(?:;|$)/i.test(line) ? others : [...others, pair];
  if (kept.length === 0) cookies.delete(host);
  else cookies.set(host, kept.join('; '));
}

function text(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

function jsonHeaders(body: unknown): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

function send(options: http.RequestOptions, body: string | undefined, received: Buffer[]): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // Node frames no body of a DELETE by itself.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...(options.headers as Record<string, string>), ...length };
  const req = http.request({ ...options, headers, agent: false }, (res) => {
    const chunks: Buffer[] = [];
    res.on('data', (chunk: Buffer) => chunks.push(chunk));
    res.on('error', reject);
    res.on('end', () => {
      const all = Buffer.concat(chunks);
      received.push(Buffer.from(JSON.stringify(res.rawHeaders)), all);
      const whole = all.toString();
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text: whole, json: () => JSON.parse(whole) });
    });
  });
  req.on('error', reject);
  req.end(body);
  return promise;
}
