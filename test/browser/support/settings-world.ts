/** Apps that add something to Settings, on a portal of their own: one small backend, and a manifest and scripts for each. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPortal, type RunningPortal } from '../../support/portal.ts';

const backend = `
import http from 'node:http';
const page = '<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>' + process.env.SVC_APP_ID + '</title><h1>Página</h1><script src="_sdk/svc.js"></script>';
const server = http.createServer((req, res) => {
  const where = req.url.split('?', 1)[0];
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
});
server.listen(process.env.SVC_APP_SOCKET);
process.on('SIGTERM', () => process.exit(0));
`;

export interface SettingsApp {
  readonly id: string;
  readonly name: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Instead of the backend that all have. */
  readonly main?: string;
}

export interface SettingsWorld {
  readonly portal: RunningPortal;
  stop(): Promise<void>;
}

/** `beside`: further files of the folder that the packages lie in. */
export async function createSettingsWorld(
  apps: readonly SettingsApp[],
  beside: Readonly<Record<string, string>> = {},
): Promise<SettingsWorld> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svca-'));
  const [packages, desired] = [path.join(folder, 'p'), path.join(folder, 'd')];
  await mkdir(desired);
  for (const { id, name, manifest, files = {}, main = backend } of apps) {
    const own = { id, name, version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.mjs' }, ...manifest };
    for (const [file, text] of Object.entries({ 'svc-app.json': JSON.stringify(own), 'main.mjs': main, ...files })) {
      await mkdir(path.dirname(path.join(packages, id, file)), { recursive: true });
      await writeFile(path.join(packages, id, file), text);
    }
  }
  for (const [file, text] of Object.entries(beside)) await writeFile(path.join(packages, file), text);
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)} }`,
    'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa } }',
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa, grupos: [editores] }',
    ...apps.map(({ id }) => `kind: Package\nmetadata: { name: ${id} }\nspec: { app: ${id}, versao: 1.0.0, server: casa }`),
  ];
  await writeFile(path.join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  const portal = await startPortal({ desired });
  return {
    portal,
    stop: async () => {
      await portal.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
