/** An example app started by its own runtime over a unix socket, as the launcher does. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { validateManifest } from '../../schema/manifest/validate.ts';
import { ask, backendEnv, commandOf, start, temporaryFolder, type Ask, type Backend } from '../../sdk/testing/runtimes.ts';

export const examples = fileURLToPath(new URL('../', import.meta.url));
const token = 'ficha-de-exemplo';
export const asOwner = ['X-Svc-App-Token', token] as const;

/** JSON as it came: the tests say what they expect of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Fields = any;

export interface Started extends Backend {
  readonly manifest: Manifest;
  readonly home: string;
  readonly data: string;
  readonly socket: string;
  readonly call: (asked: Ask) => ReturnType<typeof ask>;
  readonly json: (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly value: Fields }>;
}

export function readManifest(folder: string): Manifest {
  const file = join(folder, 'svc-app.json');
  const report = validateManifest(file, readFileSync(file));
  expect({ errors: report.errors, warnings: report.warnings }).toEqual({ errors: [], warnings: [] });
  return report.manifest!;
}

export function launch(
  kind: 'apps' | 'faults',
  id: string,
  { home = temporaryFolder(), env = {} }: { home?: string; env?: Record<string, string> } = {},
): Started {
  const folder = join(examples, kind, id);
  const manifest = readManifest(folder);
  const dir = join(home, '.svc-apps', id);
  const [socket, data] = [join(dir, 'app.sock'), join(dir, 'data')];
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const { runtime, entrypoint } = manifest.backend;
  if (runtime === 'binary') throw new Error(`${id}: no example is a binary`);
  const variables = {
    SVC_APP_ID: id,
    SVC_APP_SOCKET: socket,
    SVC_APP_DATA_DIR: data,
    SVC_APP_TOKEN: token,
    SVC_APP_BASE_PATH: '/',
    SVC_APP_INSTALLED_HASH: 'x',
  };
  const backend = start(commandOf(runtime, join(folder, entrypoint)), backendEnv(home, { ...variables, ...env }), folder);
  const call = (asked: Ask): ReturnType<typeof ask> => ask(socket, { ...asked, headers: [asOwner, ...(asked.headers ?? [])] });
  return {
    ...backend,
    manifest,
    home,
    data,
    socket,
    call,
    json: async (method, path, body) => {
      const sent = body === undefined ? '' : Buffer.from(JSON.stringify(body), 'utf8').toString('latin1');
      const answer = await call({ method, path, body: sent });
      return { status: answer.status, value: JSON.parse(answer.body) };
    },
  };
}

export async function ready(app: Started): Promise<Started> {
  await app.said(`[${app.manifest.id}] versão ${app.manifest.version} escutando em ${app.socket}`);
  return app;
}
