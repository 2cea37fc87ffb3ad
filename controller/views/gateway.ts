/** schema/gateway.ts over what the controller observed: the views from memory, the commands by the loop and the supervisors. */
import path from 'node:path';
import type { Reason } from '../../schema/backend.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PortalDocument } from '../../schema/desired/documents.ts';
import type { AdminCommands, AdminView, Gateway, PersonRecord } from '../../schema/gateway.ts';
import { keys, readKey } from '../../schema/keys.ts';
import { makeAccount, openAccount } from '../../schema/texts/open-account.ts';
import type { StoredStatus } from '../../store/store.ts';
import { endsWithLogin } from '../../reconcilers/person.ts';
import type { Context } from '../context.ts';
import { rereadFolder } from '../apply.ts';
import { accountLasts } from '../servers/kit-work.ts';
import { wantedPackageOf } from '../package-entries.ts';
import type { BackendEntry, Entries, PersonEntry } from '../entries.ts';
import { linkTrouble } from '../kinds/backend.ts';
import { carryOutMove } from '../people/move.ts';
import { eventsOf } from '../people/act-events.ts';
import { arrived } from './arrived.ts';
import { appCommands, appsView } from './apps.ts';
import { filesCommands } from './files.ts';
import { adminPackages, installationOf, packageCommands, shopView } from './package-gateway.ts';
import { ownFileGateway } from './own-file.ts';
import { planFolder } from './plan.ts';
import { objectView } from './projection.ts';
import { entryOrResting, restingKeys, restingStatus } from './resting.ts';
import { eraseGateway } from './erase-gateway.ts';
import { spaceOnServers } from '../space/space.ts';
import { keyGateway } from './key-gateway.ts';
import { queueView } from './queue.ts';
import { serverGateway } from './server-gateway.ts';
import { createSignInView } from './sign-in.ts';
import { terminalCommands } from './terminals.ts';
import { usageRows } from './usage.ts';
import { whyOf, type WhyInput } from './why.ts';

/** `secretsDir`: what the path of a `{ file }` starts from, the state folder. */
export function createGateway(context: Context, secretsDir: string = context.options.dir): Gateway {
  const { entries } = context;
  const ways = createSignInView(context, secretsDir);
  const servers = serverGateway(context);
  const ssh = keyGateway(context);
  const erasing = eraseGateway(context);
  return {
    people: {
      find: (usuario) => recordOf(entries, entries.people.get(usuario)),
      all: () => [...entries.people.values()].flatMap((person) => recordOf(entries, person) ?? []),
      signIn: () => ways.signIn(),
    },
    apps: appsView(context),
    shop: shopView(context),
    queue: queueView(context),
    admin: {
      ...adminView(context),
      serverChecks: (name) => servers.serverChecks(name),
      sshKey: () => ssh.sshKey(),
    },
    commands: {
      people: {
        checkPassword: (login, password) => ways.checkPassword(login, password),
        arrived: (who) => arrived(context, who),
        ...terminalCommands(entries),
      },
      apps: appCommands(context),
      files: filesCommands(context),
      admin: {
        apply: (prune) => apply(context, prune),
        ...ownFileGateway(context, () => refuseWatching(context)),
        ...packageCommands(context),
        serverAct: (name, act, force) => {
          if (act !== 'plan') refuseWatching(context);
          return servers.serverAct(name, act, force);
        },
        heldOf: (person) => erasing.heldOf(person),
        space: (query) => spaceOnServers(context, query),
        askErasure: async (person, roomsTo) => {
          refuseWatching(context);
          return await erasing.askErasure(person, roomsTo);
        },
        finishErasure: (person) => {
          refuseWatching(context);
          return erasing.finishErasure(person);
        },
        movePerson: (name, order) => {
          if (!order.isPlan) refuseWatching(context);
          return eventsOf(
            (emit) => {
              emit({ event: 'step', text: 'look' });
              return carryOutMove(context, name, order, emit);
            },
            () => context.queue.add(keys.person(name), true),
          );
        },
        rotateKey: (server, isPlan) => {
          refuseWatching(context);
          return ssh.rotateKey(server, isPlan);
        },
      },
    },
  };
}

function adminView(context: Context): Omit<AdminView, 'serverChecks' | 'sshKey'> {
  const { entries, recorder } = context;
  return {
    objects: (keyPrefix, { after, limit } = { after: '', limit: Infinity }) => {
      const found = recorder.all().flatMap(({ key }) => (key.startsWith(keyPrefix) ? [key] : []));
      const all = [...new Set([...found, ...restingKeys(entries, keyPrefix)])].filter((key) => key > after);
      // Only what is answered is made.
      return all
        .sort()
        .slice(0, limit)
        .flatMap((key) => {
          const known = statusOf(context, key);
          return known === null ? [] : objectView(backendEntryOf(context, key), known);
        });
    },
    why: async (asked) => {
      const key = installationOf(entries, asked);
      const status = statusOf(context, key);
      if (!status) return null;
      const entry = backendEntryOf(context, key);
      const isFinal = entries.packages.get(key)?.failure?.retry === 'terminal';
      const packageKey = entry ? wantedPackageOf(entries, entry.person.server.name, entry.app, entry.person.name) : null;
      const log = entry ? await lastLines(entry) : '';
      return whyOf({ status, entry, log, packageKey, isFinal, ...whereabouts(entries, status), dir: context.options.dir });
    },
    packages: () => adminPackages(context),
    usage: (usuario) => usageRows(entries, usuario),
    plan: (dir) => planFolder(context, dir === null ? null : path.resolve(dir), false),
  };
}

/** The server of an object, and the fix when it can't be had, where the attempt reported it. */
function whereabouts({ servers, people }: Entries, { kind, key, reason, details }: StoredStatus): Pick<WhyInput, 'server' | 'causeFix'> {
  const { name, parts } = readKey(key);
  const person = ['Backend', 'Supervisor', 'Person'].includes(kind) ? people.get(parts[0]) : undefined;
  const named = typeof details['server'] === 'string' ? details['server'] : '';
  const server = person?.server ?? servers.get(kind === 'Server' ? name : named);
  const causes = [
    server?.reachability.cause,
    server?.door,
    server?.kit?.observed.status === 'unknown' ? server.kit.observed.cause : null,
    person && linkTrouble(person.link),
  ];
  const cause = causes.find((each) => each?.fix != null && (each.reason ?? 'ServerUnreachable') === reason);
  const ofAccount = person === undefined ? null : accountFix(person, reason);
  const failure = kind === 'Server' ? server?.kit?.failure : undefined;
  const failed = failure != null && (failure.reason ?? 'InstallFailed') === reason ? failure.fix : null;
  return { server: server?.name ?? null, causeFix: ofAccount ?? cause?.fix?.en ?? failed?.en ?? null };
}

function accountFix({ account, closed }: PersonEntry, reason: Reason): string | null {
  if (reason === 'AccountMissing') return makeAccount(account);
  return reason === 'AccountClosed' && closed !== null ? openAccount(account, closed) : null;
}

const statusOf = (context: Context, key: string): StoredStatus | null => context.recorder.last(key) ?? restingStatus(context, key);

function backendEntryOf(context: Context, key: string): BackendEntry | undefined {
  const { kind, parts } = readKey(key);
  const [whose, app] = parts;
  const person = kind === 'Backend' ? context.entries.people.get(whose) : undefined;
  return person && app !== undefined ? entryOrResting(context, person, app) : undefined;
}

/** Reading the folder and acting on servers is the business of the leading portal. */
function refuseWatching({ options: { leads = true } }: Context): void {
  if (!leads)
    throw new SvcError(
      'CONFLICT',
      'another portal of this store leads, and does that: svc get Portal -o yaml names it; give the command there',
    );
}

async function apply(context: Context, prune: boolean): ReturnType<AdminCommands['apply']> {
  refuseWatching(context);
  const { entries, queue, options } = context;
  const planned = await planFolder(context, null, prune);
  if (!planned.ok) return planned;
  await rereadFolder(context, prune);
  // After an apply the caller wants the present state, not that of the last observation.
  for (const server of entries.servers.values()) Object.assign(server, { observedAtMs: 0, inventoryAtMs: 0, everybody: true });
  for (const key of context.everyKey()) queue.add(key, false);
  options.log.info({ prune, changes: planned.changes.length }, 'apply');
  return planned;
}

function recordOf({ portal }: Entries, person: PersonEntry | undefined): PersonRecord | null {
  if (!person || person.leaving) return null;
  const { nome, login, grupos } = person.placed.document.spec;
  const closed = person.closed === null ? {} : { isClosed: true };
  const admin = isAdmin(portal?.document.spec.admins, person.name, grupos) ? { isAdmin: true } : {};
  const record = { usuario: person.name, nome, login, grupos: grupos ?? [], servidor: person.server.name, ...closed, ...admin };
  if (accountLasts(person) !== false) return record;
  return { ...record, notice: { reason: 'LingerBroken', message: endsWithLogin(person.server.name) } };
}

/** Decision: docs/decisions/0399-administrators-by-name-and-group.md */
function isAdmin(admins: PortalDocument['spec']['admins'], name: string, grupos: readonly string[] = []): boolean {
  if (admins === undefined) return false;
  return admins.people?.includes(name) === true || grupos.some((group) => admins.groups?.includes(group) === true);
}

async function lastLines(entry: BackendEntry): Promise<string> {
  const ask = (previous: boolean) => entry.person.link.ask({ op: 'log', app: entry.app, tail: 20, previous });
  try {
    const { text } = await ask(false);
    return text === '' ? (await ask(true)).text : text;
  } catch {
    return '';
  }
}
