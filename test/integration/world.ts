/** Shared parts of the integration tests: a desired folder of their own, orders and views over the control socket, a watch for twins. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectView, StartAnswer } from '../../schema/wire/http.ts';
import { processesBelow, processesBelowEach, repository, until, type ProcessOnServer, type RunningPortal } from '../support/portal.ts';

export interface DesiredOptions {
  /** App ids below `packages`. */
  readonly apps: readonly string[];
  /** Folder with one package folder per app. */
  readonly packages?: string;
  /** Where the portal takes them from, when that is another folder. */
  readonly repository?: string;
  readonly pinned?: readonly string[];
  /** Beside ana, who owns the account; in her group `editores` too. */
  readonly people?: readonly string[];
  readonly origins?: 'subdomain' | 'path';
  /** `spec.fila` of the Portal, in YAML; without it the queue is off. */
  readonly fila?: string;
  /** Whole documents but for their first line, for example a Cluster. */
  readonly more?: readonly string[];
}

/** Versions are read from the manifests, so that the tests follow the examples. */
export async function writeDesired(folder: string, options: DesiredOptions): Promise<string> {
  const packages = options.packages ?? join(repository, 'examples/apps');
  const fila = options.fila === undefined ? '' : `, fila: ${options.fila}`;
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(options.repository ?? packages)}, origins: ${options.origins ?? 'subdomain'}${fila} }`,
    ...(options.more ?? []),
    'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ".", trusted: true } }',
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

/**
 * A start that is refused is never carried out: waiting for it would only hide why. The supervisor may see an app that was just installed before
 * the portal lists it: until then there is an object, and nothing to be started.
 */
export async function order(portal: RunningPortal, verb: 'start' | 'stop' | 'restart', app: string): Promise<StartAnswer> {
  let answer: Awaited<ReturnType<RunningPortal['admin']>>;
  const carriedOut = async (): Promise<boolean> => {
    answer = await portal.admin('POST', `/api/admin/backends/ana/${app}/${verb}`);
    return verb !== 'start' || answer.status !== 404;
  };
  await until(`${app} listed`, carriedOut, 20_000);
  const { status, body } = answer!;
  if (verb === 'start' && status !== 200) throw new Error(`${verb} of ${app}: ${status} ${JSON.stringify(body)}`);
  return body as StartAnswer;
}

/** Resolves when the apps are installed for ana: from then on they can be started. */
export async function whenInstalled(portal: RunningPortal, ...apps: readonly string[]): Promise<void> {
  for (const app of apps) await until(`${app} installed`, async () => (await view(portal, `Backend/ana/${app}`)) !== null);
}

export async function whenState(portal: RunningPortal, app: string, state: string, msMax = 60_000): Promise<ObjectView> {
  let last: ObjectView | null = null;
  const look = async (): Promise<ObjectView | null> => {
    last = (await view(portal, `Backend/ana/${app}`).catch(() => null)) ?? last;
    return last?.state === state ? last : null;
  };
  return await until(`ana/${app} ${state}`, look, msMax).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}; last seen: ${JSON.stringify(last)}`);
  });
}

/** Pids of the backend image itself: the launcher and what wraps it do not count. */
export function backendPids(state: string, app: string): readonly number[] {
  return backendsOf(processesBelow(state), app);
}

function backendsOf(processes: readonly ProcessOnServer[], app: string): readonly number[] {
  const image = new RegExp(`/svc-apps/(\\.versions/)?${app}/`);
  return processes
    .filter((found) => found.app === app && found.argv.some((word) => image.test(word)) && !isLauncher(found.argv))
    .map((found) => found.pid);
}

function isLauncher(argv: readonly string[]): boolean {
  return argv.some((word) => word.includes('svc-app-run') || word.includes('kit/launch') || word.endsWith('flock'));
}

export function supervisorPids(state: string): readonly number[] {
  return processesBelow(state)
    .filter(
      (found) =>
        found.argv.some((word) => /svc-app-supervisor(\.[cm]js)?$|kit\/supervise\/main\.ts$/.test(word)) &&
        !found.argv[0]?.endsWith('flock'),
    )
    .map((found) => found.pid);
}

interface TwinWatch {
  readonly state: string;
  readonly worst: Record<string, number>;
}
const watches = new Set<TwinWatch>();
let watching: ReturnType<typeof setInterval> | null = null;

/** How often each process was found to be of no watch. */
let strangers = new Map<string, number>();

/**
 * A single walk over all processes serves every watch. The owner of a process is settled when it begins, not later: a stranger is read
 * again in each tenth walk only.
 */
function lookForTwins(): void {
  const all = [...watches];
  const before = strangers;
  strangers = new Map();
  const processes = processesBelowEach(
    all.map(({ state }) => state),
    (pid) => {
      const nth = (before.get(pid) ?? 0) + 1;
      strangers.set(pid, nth);
      return nth > 10 && nth % 10 > 0;
    },
  );
  for (const { pid } of processes.flat()) strangers.delete(String(pid));
  for (const [at, { worst }] of all.entries())
    for (const app of Object.keys(worst)) worst[app] = Math.max(worst[app] ?? 0, backendsOf(processes[at] ?? [], app).length);
}

/** Looks all the time whether two processes of one app live at once; `worst` is the most that it saw per app. */
export function watchForTwins(state: string, apps: readonly string[]): { worst(): Readonly<Record<string, number>>; stop(): void } {
  const watch: TwinWatch = { state, worst: Object.fromEntries(apps.map((app) => [app, 0])) };
  watches.add(watch);
  // A known stranger may be one of this watch's own.
  strangers.clear();
  watching ??= setInterval(lookForTwins, 40);
  return {
    worst: () => watch.worst,
    stop: () => {
      watches.delete(watch);
      if (watches.size > 0 || watching === null) return;
      clearInterval(watching);
      watching = null;
    },
  };
}
