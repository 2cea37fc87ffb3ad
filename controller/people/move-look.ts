/** Looks at what a move of a person would do, and whether it can be done. Changes nothing but a file that it makes and removes at once, to see whether both homes are one. */
import { keys } from '../../schema/keys.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { isUnderWay } from '../jobs/board.ts';
import { serverOfCluster } from '../jobs/sync-clusters.ts';
import type { Context } from '../context.ts';
import type { PersonEntry, ServerEntry } from '../entries.ts';
import { whoShares } from '../execute/erasure.ts';
import { isSameHome, itemsOf, shownItem, stagedBytes, standingOf, type Item, type Side, type Standing } from './move-items.ts';
import type { Emit } from './act-events.ts';

export interface Look {
  readonly from: Side;
  /** Null: the account there does not let the portal in yet; in a plan only. */
  readonly to: Side | null;
  readonly isSame: boolean;
  readonly items: readonly { readonly item: Item; readonly standing: Standing }[];
}

export async function sideOf({ name, host }: ServerEntry, account: string): Promise<Side> {
  const { home } = await host.place(account);
  return { server: name, fs: await host.files(account), home: Buffer.from(home) };
}

/** The same once it was seen that the account lets the portal in. In a plan null where it does not yet: the kit of a server puts the key there for those who are on the way to it. */
export async function openSide(server: ServerEntry, account: string, emit: Emit, isPlan: boolean): Promise<Side | null> {
  try {
    const side = await sideOf(server, account);
    await side.fs.lstat(side.home);
    return side;
  } catch (error) {
    if (!isPlan || server.kit === null || !(error instanceof SvcError) || error.code !== 'SSH_REFUSED') throw error;
    emit({
      event: 'step',
      text: `${account} on ${server.name} does not let the portal in, which is mended first: what is there is not known`,
    });
    return null;
  }
}

export const countOf = ({ survey: { files, bytes } }: Item): string =>
  `${files} ${files === 1 ? 'file' : 'files'}, ${(bytes / 1e6).toFixed(1)} MB`;

/** Rejects NOT_FOUND and CONFLICT, with what to change. */
export function personToMove({ entries }: Pick<Context, 'entries'>, name: string): PersonEntry {
  const person = entries.people.get(name);
  if (person === undefined) throw new SvcError('NOT_FOUND', `no Person document ${name}`);
  if (person.leaving) throw new SvcError('CONFLICT', `the document of ${name} was removed: they leave already`);
  const { from, place } = person.placed;
  if (from !== undefined)
    throw new SvcError(
      'CONFLICT',
      `${from} makes ${name} a person, on its own server (${place.file}:${place.line}): take them out of the group that it names, write a document Person/${name} with server: ${person.server.name}, and give this again`,
    );
  if (person.moving !== null) throw new SvcError('CONFLICT', `${name} is on the way to ${person.moving.to} already`);
  return person;
}

/** Rejects NOT_FOUND and CONFLICT where nobody can go there, and what its connection says. */
export async function targetOf({ entries }: Pick<Context, 'entries'>, person: PersonEntry, name: string): Promise<ServerEntry> {
  const server = entries.servers.get(name);
  if (server === undefined) throw new SvcError('NOT_FOUND', `no Server document ${name}`);
  if (server.leaving) throw new SvcError('CONFLICT', `the document of ${name} was removed: it leaves`);
  if (server.drain !== null)
    throw new SvcError('CONFLICT', `${name} is taken out of use: svc server drain ${name} --undo takes it into use again`);
  for (const each of [person.server, server])
    if (each.reachability.status !== 'reachable')
      throw new SvcError('SERVER_UNREACHABLE', `${each.name} does not answer: ${each.reachability.message}`);
  await server.host.place(person.account);
  const closed = (await server.host.closed([person.account])).get(person.account);
  if (closed !== undefined) throw new SvcError('CONFLICT', `the account ${person.account} on ${name} is ${closed}`);
  for (const each of [person.server, server]) {
    const other = await whoShares(entries, { ...person, server: each });
    if (other !== null)
      throw new SvcError('CONFLICT', `${other} uses the same account or home on ${each.name}: whose files are whose is not known`);
  }
  return server;
}

/** Tells what there is, and rejects with all that is in the way. */
export async function lookAt(context: Context, person: PersonEntry, target: ServerEntry, emit: Emit, isPlan: boolean): Promise<Look> {
  const { ending: signal } = context;
  const from = await sideOf(person.server, person.account);
  const to = await openSide(target, person.account, emit, isPlan);
  const isSame = to !== null && (await isSameHome(from, to));
  const found = await itemsOf(from, signal);
  const items: Look['items'][number][] = [];
  for (const item of found) items.push({ item, standing: to === null || isSame ? 'nothing' : await standingOf(to, item, signal) });
  const running = person.link.snapshots().flatMap(({ app, wanted }) => (wanted ? [app] : []));
  for (const app of running) emit({ event: 'plan', text: `${keys.backend(person.name, app)} is stopped, and started on ${target.name}` });
  if (isSame) emit({ event: 'step', text: `the home is the same on both servers: nothing is copied` });
  else for (const { item, standing } of items) emit({ event: 'plan', text: planOf(item, standing) });
  const used = new Set([...running, ...found.map(({ app }) => app)]);
  tellStaying(person, target, emit);
  const lacks = await lacksOf(context, person, target, used);
  if (to !== null && !isSame) lacks.push(...(await lacksOnDisk(to, items, signal)));
  emit({ event: 'plan', text: `${keys.person(person.name)} is on ${target.name} instead of ${person.server.name}` });
  if (lacks.length > 0) throw new SvcError('CONFLICT', lacks.join('; '));
  return { from, to, isSame, items };
}

function planOf(item: Item, standing: Standing): string {
  if (standing === 'same') return `${shownItem(item)} of ${item.app} is there already, ${countOf(item)}`;
  const link = item.survey.kind === 'link' ? ', as a link: where it leads stays' : '';
  return `${shownItem(item)} of ${item.app} is copied, ${countOf(item)}${link}${standing === 'older' ? '; what stands there is older and is put aside' : ''}`;
}

function tellStaying(person: PersonEntry, target: ServerEntry, emit: Emit): void {
  for (const [app, { scope, manifest, version }] of person.packages) {
    if (manifest.escopo === 'servidor')
      emit({ event: 'step', text: `${app} is for everybody on ${person.server.name}: what it has of them stays there` });
    const there = target.system.get(app);
    if (scope === 'sistema' && there !== undefined && there.version !== version)
      emit({ event: 'step', text: `${app} is ${version} here and ${there.version} on ${target.name}` });
  }
}

async function lacksOnDisk(to: Side, items: Look['items'], signal: AbortSignal): Promise<readonly string[]> {
  const newer = items.filter(({ standing }) => standing === 'newer').map(({ item }) => shownItem(item));
  const bytes = items.reduce((sum, { item, standing }) => sum + (standing === 'same' ? 0 : item.survey.bytes), 0);
  const { freeBytes, totalBytes } = await to.fs.space(to.home);
  const needed = bytes - (await stagedBytes(to, signal)) + limits.moveSpareBytes;
  const megabytes = (count: number): string => `${Math.ceil(count / 1e6)} MB`;
  return [
    ...newer.map((name) => `${name} on ${to.server} was changed after the one that would go there: move one of them away`),
    ...(totalBytes > 0 && bytes > 0 && freeBytes < needed
      ? [`${to.server} has no room: ${megabytes(needed)} are needed, and ${megabytes(freeBytes)} free for the account`]
      : []),
  ];
}

/** Why apps that they use could not run there. */
async function lacksOf(
  { entries, ending }: Context,
  person: PersonEntry,
  target: ServerEntry,
  used: ReadonlySet<string>,
): Promise<string[]> {
  const lacks = jobsInTheWay(entries, person);
  const requirements = new Map<string, string>();
  const { name: there, host } = target;
  for (const app of used) {
    const installed = person.packages.get(app);
    if (installed === undefined) continue;
    const { scope, manifest } = installed;
    if (scope === 'sistema' && !target.system.has(app))
      lacks.push(`${app} is not installed on ${there}: ${documentOf(entries, person.server.name, app)} has to be for ${there}, too`);
    if (scope === 'pessoa') for (const each of manifest.requiredPackages ?? []) requirements.set(each, app);
  }
  const { missing, gpu } = await host.inventory([...requirements.keys()]);
  for (const each of missing) lacks.push(`${there} lacks the package ${each}, which ${requirements.get(each) ?? 'an app'} needs`);
  const hasPython = await hasPythonFor(person, used, host, ending);
  for (const app of used) {
    const installed = person.packages.get(app);
    if (installed?.scope !== 'pessoa') continue;
    if (installed.manifest.recursos?.gpu?.modo === 'necessaria' && !gpu)
      lacks.push(`${app} does not run without a GPU, and ${there} has none`);
    const { runtime } = installed.manifest.backend;
    if (runtime === 'python3' && !hasPython) lacks.push(`${there} has no ${runtime}, which runs ${app}`);
  }
  return lacks;
}

/** The outputs of a job are read as the account, which that server opens for its own people. */
function jobsInTheWay({ jobs, clusters }: Context['entries'], { name, server }: PersonEntry): string[] {
  const isBy = (cluster: string): boolean => {
    const found = clusters.get(cluster);
    return found !== undefined && serverOfCluster(found.placed.document) === server.name;
  };
  const found = [...jobs.live()].filter(({ row }) => row.usuario === name && isUnderWay(row) && isBy(row.cluster));
  return found.length === 0 ? [] : [`jobs of theirs are under way by ${server.name}, which have to end first: ${found.length}`];
}

function documentOf({ packages }: Context['entries'], server: string, app: string): string {
  const found = [...packages.values()].find(({ target }) => target.server === server && target.app === app && target.scope === 'sistema');
  return found?.key ?? `a Package document of ${app}`;
}

/** Asked once, where an app of theirs needs it. Node comes with the kit. */
async function hasPythonFor(
  { packages }: PersonEntry,
  used: ReadonlySet<string>,
  host: ServerEntry['host'],
  signal: AbortSignal,
): Promise<boolean> {
  const isNeeded = [...packages].some(
    ([app, { scope, manifest }]) => used.has(app) && scope === 'pessoa' && manifest.backend.runtime === 'python3',
  );
  if (!isNeeded) return true;
  const asked = { argv: ['sh', '-s'], stdin: 'command -v python3\n', onLine: () => undefined, msMax: limits.moveAskMsMax };
  const { code } = await host.run(null, { ...asked, signal });
  return code === 0;
}
