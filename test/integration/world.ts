/** What the integration tests share: a desired folder of their own, orders and views over the control socket, a watch for twins. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectView, StartAnswer } from '../../schema/wire/http.ts';
import { processesBelow, repository, until, type RunningPortal } from '../support/portal.ts';

export interface DesiredOptions {
  /** App ids below `packages`. */
  readonly apps: readonly string[];
  /** Folder with one package folder per app. */
  readonly packages?: string;
  readonly pinned?: readonly string[];
  /** Beside ana, who owns the account; in her group `editores` too. */
  readonly people?: readonly string[];
}

/** Versions are read from the manifests, so that the tests follow the examples. */
export async function writeDesired(folder: string, options: DesiredOptions): Promise<string> {
  const packages = options.packages ?? join(repository, 'examples/apps');
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)} }`,
    'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: "." } }',
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa, account: ana, grupos: [editores] }',
  ];
  for (const name of options.people ?? []) {
    documents.push(
      `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa, account: ${name}, grupos: [editores] }`,
    );
  }
  for (const app of options.apps) {
    const { version } = (await import(join(packages, app, 'svc-app.json'), { with: { type: 'json' } })).default as { version: string };
    documents.push(
      `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: "${version}", server: casa, instalacao: sistema }`,
    );
  }
  for (const app of options.pinned ?? []) {
    documents.push(`kind: Backend\nmetadata: { name: ana-${app} }\nspec: { app: ${app}, pessoa: ana, estado: ligado }`);
  }
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  return folder;
}

export async function view(portal: RunningPortal, key: string): Promise<ObjectView | null> {
  const answer = await portal.admin('GET', `/api/admin/objects?prefix=${encodeURIComponent(key)}`);
  return (answer.body as readonly ObjectView[]).find((object) => object.key === key) ?? null;
}

export async function order(portal: RunningPortal, verb: 'start' | 'stop' | 'restart', app: string): Promise<StartAnswer> {
  const answer = await portal.admin('POST', `/api/admin/backends/ana/${app}/${verb}`);
  return answer.body as StartAnswer;
}

export function whenState(portal: RunningPortal, app: string, state: string, msMax = 60_000): Promise<ObjectView> {
  return until(
    `ana/${app} ${state}`,
    async () => {
      const found = await view(portal, `Backend/ana/${app}`).catch(() => null);
      return found?.state === state ? found : null;
    },
    msMax,
  );
}

/** Pids of the backend image itself: the launcher and what wraps it do not count. */
export function backendPids(state: string, app: string): readonly number[] {
  return processesBelow(state)
    .filter(
      (found) =>
        found.app === app &&
        found.argv.some((word) => new RegExp(`/svc-apps/(\\.versions/)?${app}/`).test(word)) &&
        !isLauncher(found.argv),
    )
    .map((found) => found.pid);
}

function isLauncher(argv: readonly string[]): boolean {
  return argv.some((word) => word.includes('svc-app-run') || word.includes('kit/launch') || word.endsWith('flock'));
}

export function supervisorPids(state: string): readonly number[] {
  return processesBelow(state)
    .filter(
      (found) =>
        found.argv.some((word) => /svc-app-supervisor(\.mjs)?$|kit\/supervise\/main\.ts$/.test(word)) && !found.argv[0]?.endsWith('flock'),
    )
    .map((found) => found.pid);
}

/** Looks all the time whether two processes of one app live at once; `worst` is the most that it saw per app. */
export function watchForTwins(state: string, apps: readonly string[]): { worst(): Readonly<Record<string, number>>; stop(): void } {
  const worst: Record<string, number> = Object.fromEntries(apps.map((app) => [app, 0]));
  const timer = setInterval(() => {
    for (const app of apps) worst[app] = Math.max(worst[app] ?? 0, backendPids(state, app).length);
  }, 40);
  return { worst: () => worst, stop: () => clearInterval(timer) };
}
