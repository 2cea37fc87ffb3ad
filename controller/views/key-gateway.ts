/** `svc keys rotate`: another ssh key for the portal, on all servers or one, and how the change stands. */
import type { AdminCommands, AdminView, ServerActEvent } from '../../schema/gateway.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import type { ServerEntry } from '../entries.ts';
import type { Context } from '../context.ts';
import { carryOut } from '../servers/kit-acts.ts';
import { accountsOn } from '../servers/kit-work.ts';
import { whyNoKit } from '../hosts/server/kit-state.ts';
import { beginChange, fingerprintOf, markServer, serversLeft, takeWhenDone, usesOwnKey } from '../servers/ssh-key.ts';
import type { SshKeys } from '../hosts/server/ssh-keys.ts';
import { eventsOf, type Emit, type Run } from '../people/act-events.ts';

export function keyGateway(context: Context): Pick<AdminView, 'sshKey'> & Pick<AdminCommands, 'rotateKey'> {
  return {
    sshKey: async () => {
      const standing = (await context.options.sshKeys?.standing()) ?? null;
      if (standing === null) return null;
      const { current, madeAtMs, next } = standing;
      const left = next === null ? [] : await serversLeft(context, next);
      return { fingerprint: fingerprintOf(current), madeAtMs, next: next === null ? null : { fingerprint: fingerprintOf(next), left } };
    },
    rotateKey: (server, isPlan) => rotated(context, server, isPlan),
  };
}

function rotated(context: Context, server: string | null, isPlan: boolean): AsyncGenerator<ServerActEvent> {
  const { sshKeys, portals } = context.options;
  if (portals !== undefined)
    throw new SvcError(
      'CONFLICT',
      'several portals use this store, each with its own copy of the ssh key: put another key beside the old one on the servers, and the file in ssh/ of each portal, by hand (docs/several-portals.md)',
    );
  const targets = serversOf(context, server);
  if (sshKeys === undefined) throw new SvcError('BAD_REQUEST', 'this portal changes no ssh key');
  const run: Run = async (emit) => {
    // A first key is made when a server is to be reached.
    if ((await sshKeys.standing()) === null) return 'the portal has no ssh key of its own, so there is none to change';
    return isPlan ? await planned(context, sshKeys, targets, emit) : await rotate(context, sshKeys, server, emit);
  };
  return eventsOf(run, () => {
    for (const { name } of targets) context.queue.add(keys.server(name), true);
  });
}

/** The servers that the portal's own key opens. Rejects NOT_FOUND, and BAD_REQUEST for one that it does not open. */
function serversOf({ entries }: Context, name: string | null): readonly ServerEntry[] {
  const all = [...entries.servers.values()].filter(({ placed, lost }) => !lost && usesOwnKey(placed.document));
  if (name === null) return all;
  const server = entries.servers.get(name);
  if (server === undefined) throw new SvcError('NOT_FOUND', `no Server document ${name}`);
  if (!all.includes(server))
    throw new SvcError(
      'BAD_REQUEST',
      `the portal's own key does not open ${name}: ${'ssh' in server.placed.document.spec ? 'its document names another one, which is read at each connection' : 'it is this machine'}`,
    );
  return [server];
}

async function planned(context: Context, keysOfPortal: SshKeys, targets: readonly ServerEntry[], emit: Emit): Promise<string> {
  const standing = await keysOfPortal.standing();
  const next = standing?.next ?? null;
  if (next === null) emit({ event: 'plan', text: 'make a new ssh key beside the one of the portal' });
  const left = next === null ? targets : (await serversLeft(context, next)).flatMap(({ name }) => context.entries.servers.get(name) ?? []);
  const meant = left.filter((server) => targets.includes(server));
  for (const server of meant) emit({ event: 'plan', text: lineOf(context, server) });
  return meant.length === 0 && next !== null ? 'every server has the new key' : 'nothing was done';
}

function lineOf(context: Context, server: ServerEntry): string {
  const { name, placed, kit } = server;
  const accounts = accountsOn(context, server).length;
  if (kit === null) return `${name}: see whether somebody put the new key there: ${whyNoKit(placed.document)}`;
  return `${name}: put the new key beside the old one for ${kit.admin.account} and ${accounts} account(s), try it, take the old one off`;
}

async function rotate(context: Context, own: SshKeys, name: string | null, emit: Emit): Promise<string> {
  const isFirst = ((await own.standing())?.next ?? null) === null;
  const next = await beginChange(context, own, name);
  emit({
    event: 'step',
    text: `${isFirst ? 'the new key is' : 'a change is under way, to'} ${fingerprintOf(next)}; until it is everywhere both are valid`,
  });
  const left = await serversLeft(context, next);
  const servers = left.flatMap(({ name: each, isMeant }) => (isMeant ? (context.entries.servers.get(each) ?? []) : []));
  const failures = (await Promise.all(servers.map((server) => onServer(context, own, server, next, emit)))).flat();
  await takeWhenDone(context);
  const now = await own.standing();
  if (now?.next === null) return `every server has the new key ${fingerprintOf(next)}; the old one is gone`;
  const others = (await serversLeft(context, next)).map((each) => each.name);
  if (failures.length === 0)
    return `${name ?? ''} has the new key; with the old one still: ${others.join(', ')}; svc keys rotate goes on with them`;
  throw new SvcError(
    'KIT_FAILED',
    `with the old key still, which goes on opening them: ${others.join(', ')}; it is tried again by itself, and svc doctor says how it stands`,
  );
}

/** Answers who keeps the old key. */
async function onServer(context: Context, own: SshKeys, server: ServerEntry, next: string, emit: Emit): Promise<readonly string[]> {
  const { name, kit } = server;
  const step = (text: string): void => emit({ event: 'step', text: `${name}: ${text}` });
  try {
    if (kit === null) await seeByHand(context, own, server, next);
    else await carryOut(context, server, { kind: 'server/key', server: name, key: next }, step);
    step('has the new key');
    return [];
  } catch (error) {
    step(`keeps the old key: ${(error as Error).message}`);
    return [name];
  }
}

/** Where somebody else keeps the keys, they put the line there; that it works is seen. */
async function seeByHand(context: Context, own: SshKeys, server: ServerEntry, next: string): Promise<void> {
  const { document } = server.placed;
  const admin = 'ssh' in document.spec ? (document.spec.ssh.admin ?? 'root') : '';
  for (const account of [admin, ...accountsOn(context, server)]) {
    if ((await own.refuses(document, account, 'next')) === null) continue;
    // An account that neither key opens is reported elsewhere.
    if ((await own.refuses(document, account, 'current')) !== null && account !== admin) continue;
    throw new SvcError(
      'SSH_REFUSED',
      `${account} does not let it in. ${whyNoKit(document)}. Put this line beside the old one, then svc keys rotate: ${next} svc-portal`,
    );
  }
  await markServer(context, server.name, next);
}
