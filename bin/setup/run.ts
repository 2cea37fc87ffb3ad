/** `svc setup`, step by step: desired state and the front's configuration are written, the portal runs, servers get their kit, doctor looks at all of it. */
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readIfThere, writeFileAtomic } from '../../kit/atomic-file.ts';
import { installationName } from '../../schema/desired/packages.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { keys } from '../../schema/keys.ts';
import type { DoctorRow } from '../../schema/texts/doctor.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { createClient, type Client } from '../client.ts';
import { limits } from '../limits.ts';
import { onServer, plainWord, type SetupOptions } from './answers.ts';
import { ask, hasSystemd, run } from './commands.ts';
import { writeDocuments, type SetUp } from './documents.ts';
import { frontText, places, type Front } from './front.ts';
import { installFront, refuseTakenFront, removeOthers } from './install-front.ts';
import { said, type Said } from './sayings.ts';
import type { Site } from './site.ts';
import { openToLoopback, takeKey } from './this-machine.ts';

export interface Told {
  readonly language: TextLanguage;
  /** A step that is begun. */
  step(text: string): void;
  /** Reports a step that somebody has to do still. */
  left(text: string): void;
}

export interface Prepared extends SetUp {
  /** There was no site before. */
  readonly isNew: boolean;
  readonly site: Site;
  readonly options: SetupOptions;
  /** null: none is asked for. */
  readonly front: { readonly front: Front; readonly text: string } | null;
}

/** Nothing is written yet: what can't be is refused here. `programs`: the apps of the installation. */
export function prepare(site: Site, options: SetupOptions, programs: string): Prepared {
  const isNew = site.names('Portal').length === 0;
  const isFirst = isNew && options.print !== true && options.here === undefined && (options.server ?? []).length === 0;
  const all = isFirst ? { ...options, here: true } : options;
  const setUp = writeDocuments(site, all, programs);
  site.changes();
  const { front: kind } = all;
  if (kind === undefined || kind === 'none') return { ...setUp, isNew, site, options: all, front: null };
  const portal = (field: string): string => site.text('Portal', setUp.portal, ['spec', field]);
  const url = URL.parse(portal('url'));
  if (url?.protocol !== 'https:')
    throw new SvcError('BAD_REQUEST', `--front ${kind} needs the public address: --url https://svc.example.org`);
  const mustExist = all.print !== true;
  const front: Front = {
    kind,
    host: url.hostname,
    isWide: portal('origins') !== 'path',
    portal: portal('listen'),
    certificate: plainWord('certificate', all.certificate, mustExist),
    key: plainWord('key', all.key, mustExist),
    acme: plainWord('acme', all.acme),
    acmeRoot: plainWord('acme-root', all.acmeRoot, mustExist),
    email: plainWord('email', all.email),
  };
  return { ...setUp, isNew, site, options: all, front: { front, text: frontText(front) } };
}

/** Resolves with whether nothing is left to do. */
export async function setUp(prepared: Prepared, told: Told): Promise<boolean> {
  const { site, options, front, here } = prepared;
  const words = said[told.language];
  if (front !== null) refuseTakenFront(front.front);
  if (options.oidcSecretFile !== undefined) keepSecret(options.state, options.oidcSecretFile);
  for (const file of site.write()) told.step(`${words.writes} ${file}`);
  const client = createClient(options.state);
  await startPortal(client, options, { told, words });
  if (here !== null) {
    const passwords = site.value('Portal', prepared.portal, ['spec', 'signIn', 'ssh']) !== undefined;
    if (openToLoopback(passwords)) told.step(words.loopback);
    if (takeKey(await keyOf(options.state))) told.step(words.key);
  }
  const isWhole = await bringKits(client, prepared, { told, words });
  for (const file of options.front === undefined ? [] : removeOthers(options.front)) told.step(`${words.removes} ${file}`);
  if (front !== null) {
    const { file, run: inForeground } = places[front.front.kind];
    const isNew = installFront(front.front, front.text);
    if (isNew) told.step(`${words.writes} ${file}`);
    if (isNew && !hasSystemd()) told.left(`${words.startFront}  ${inForeground}`);
  }
  await client.call('POST /api/admin/apply', { body: { prune: false } });
  // Without what apps need on a server nothing is installed there.
  if (!isWhole) return false;
  const isInstalled = await waitForApps(client, prepared, { told, words });
  await waitForPeople(client);
  return isInstalled;
}

interface Tell {
  readonly told: Told;
  readonly words: Said;
}

function keepSecret(state: string, file: string): void {
  const owner = ask(['id', '-u', 'svc']);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const target = path.join(state, 'oidc-secret');
  writeFileAtomic(target, readFileSync(file, 'utf8').trim(), { mode: 0o600, durable: true });
  const { uid, gid } = owner === null ? statSync(state) : { uid: Number(owner), gid: Number(ask(['id', '-g', 'svc'])) };
  for (const each of [state, target]) chownSync(each, uid, gid);
}

/** Polls `look` until it has a result. Rejects TIMEOUT. */
async function answered<Result>(what: string, msMax: number, look: () => Promise<Result | null>): Promise<Result> {
  const end = performance.now() + msMax;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new SvcError('TIMEOUT', what);
    await pause(limits.setupPollMs);
  }
}

const isUp = async (client: Client): Promise<true | null> => {
  try {
    await client.call('GET /api/admin/objects', { query: { prefix: 'Server/' } });
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'PORTAL_NOT_RUNNING') return null;
    throw error;
  }
};

/** Fields that are read at the start only and wait for one. */
const restartsFor = (answer: PlanAnswer): readonly string[] => (answer.ok ? (answer.restart ?? []) : []);

async function startPortal(client: Client, { dir, state }: SetupOptions, { told, words }: Tell): Promise<void> {
  const wasUp = (await isUp(client)) !== null;
  const waits = wasUp ? restartsFor(await client.call('POST /api/admin/apply', { body: { prune: false } })) : [];
  if (wasUp && waits.length === 0) return;
  if (hasSystemd()) {
    told.step(wasUp ? words.restarts : words.starts);
    run(['systemctl', 'enable', '--quiet', 'svc']);
    run(['systemctl', 'restart', 'svc']);
  } else if (wasUp) return told.left(`${words.restartYourself} ${waits.join(', ')}`);
  else told.left(`${words.startYourself}  svc up ${dir} --state ${state} --no-link`);
  await answered(words.silent, limits.setupPortalMsMax, () => isUp(client));
}

async function keyOf(state: string): Promise<string> {
  const file = path.join(state, 'ssh/id_ed25519.pub');
  return await answered(file, limits.setupPortalMsMax, async () => readIfThere(file));
}

export const serversOverSsh = (site: Site): readonly string[] =>
  site.names('Server').filter((name) => site.value('Server', name, ['spec', 'ssh']) !== undefined);

interface Fault {
  readonly code: string;
  readonly text: string;
}

/** Brings the server kit and makes the accounts of the server ready; null when both are done. */
async function addKit(client: Client, server: string): Promise<Fault | null> {
  let fault: Fault | null = null;
  const events = client.follow('POST /api/admin/servers/:server/kit', { params: { server }, body: { act: 'add', force: false } });
  for await (const event of events) if (event.event === 'error') fault = event;
  return fault;
}

/** Whether all have theirs. */
async function bringKits(client: Client, { site, options }: Prepared, { told, words }: Tell): Promise<boolean> {
  const ready = (await client.call('GET /api/admin/objects', { query: { prefix: 'Server/' } })).filter(({ state }) => state === 'ready');
  const lacking = serversOverSsh(site).filter((name) => !ready.some(({ key }) => key === `Server/${name}`));
  const done = await Promise.all(
    lacking.map(async (name) => {
      told.step(`${words.kit} ${name}`);
      const fault = await addKit(client, name);
      if (fault === null) return true;
      const line = (await keyOf(options.state)).trim();
      const key = fault.code === 'SSH_REFUSED' ? `\n${words.putKey} ${name}:\n  ${line}` : '';
      told.left(`${name}: ${fault.code} ${fault.text}${key}\n${words.andThen}  svc setup`);
      return false;
    }),
  );
  return done.every(Boolean);
}

/** Objects of that Package document: for many servers it is one object a server. */
export const installationsOf = <Object extends Pick<ObjectView, 'key'>>(document: string, all: readonly Object[]): readonly Object[] =>
  all.filter(({ key }) => key === keys.package(document) || key.startsWith(keys.package(installationName(document, ''))));

async function waitForApps(client: Client, { options, site }: Prepared, { told, words }: Tell): Promise<boolean> {
  const ids = onServer('app', options.app).map(({ name }) => name);
  if (ids.length === 0) return true;
  const asked = site.names('Package').filter((name) => ids.includes(site.text('Package', name, ['spec', 'app'])));
  told.step(`${words.apps} ${ids.join(', ')}`);
  const isDone = ({ state }: ObjectView): boolean => state === 'installed' || state === 'failed' || state === 'blocked';
  const look = async (): Promise<readonly ObjectView[] | null> => {
    const all = await client.call('GET /api/admin/objects', { query: { prefix: 'Package/' } });
    const each = asked.map((name) => installationsOf(name, all));
    return each.every((found) => found.length > 0 && found.every(isDone)) ? each.flat() : null;
  };
  const found = await answered(words.appsSlow, limits.setupAppsMsMax, look).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === 'TIMEOUT') return null;
    throw error;
  });
  if (found === null) told.left(words.appsSlow);
  for (const { key, state, message } of found ?? []) if (state !== 'installed') told.left(`${key}: ${message}`);
  return found !== null && found.every(({ state }) => state === 'installed');
}

/** Waits until the members of each group were read once; a directory that does not answer is what the doctor reports. */
async function waitForPeople(client: Client): Promise<void> {
  const look = async (): Promise<true | null> => {
    const all = await client.call('GET /api/admin/objects', { query: { prefix: 'People/' } });
    return all.every(({ state }) => state !== 'unknown') ? true : null;
  };
  await answered('People', limits.setupPeopleMsMax, look).catch((error: unknown) => {
    if (!(error instanceof SvcError && error.code === 'TIMEOUT')) throw error;
  });
}

/**
 * Returns `findings`. People of a group may become known after the kit came: then their accounts are made ready before anything is said of them.
 */
export async function examine(client: Client, language: TextLanguage, servers: readonly string[]): Promise<readonly DoctorRow[]> {
  const rows = await findings(client, language, servers);
  const late = servers.filter((server) => rows.some(({ name }) => name === `${server}: accounts`));
  if (late.length === 0) return rows;
  await Promise.all(late.map((server) => addKit(client, server)));
  return await findings(client, language, servers);
}

/** Rows of the portal's doctor, and of the doctor of each server, that are not well. */
async function findings(client: Client, language: TextLanguage, servers: readonly string[]): Promise<readonly DoctorRow[]> {
  const query = { idioma: language };
  const unwell = ({ checks }: { readonly checks: readonly DoctorRow[] }): readonly DoctorRow[] => checks.filter(({ ok }) => !ok);
  const own = unwell(await client.call('GET /api/admin/doctor', { query }));
  const theirs = await Promise.all(
    servers.map(async (server) => {
      const asked = client.call('GET /api/admin/servers/:server/doctor', { params: { server }, query });
      const rows = await asked.then(unwell).catch((error: unknown): readonly DoctorRow[] => {
        if (!(error instanceof SvcError)) throw error;
        return [
          { name: 'doctor', ok: false, warning: false, detail: `${error.code} ${error.message}`, fix: `svc doctor --server ${server}` },
        ];
      });
      // Rows that the portal reported already are not repeated for each server.
      return rows
        .filter(({ name }) => own.every((row) => row.name !== name))
        .map((row) => Object.assign({}, row, { name: `${server}: ${row.name}` }));
    }),
  );
  return [...own, ...theirs.flat()];
}
