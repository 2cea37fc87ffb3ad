/** The administrator's part of schema/gateway.ts: the kit of a server put there, gone back from or taken off, and its doctor. */
import { causeOf, type Cause } from '../../schema/cause.ts';
import { reasonText, type Words } from '../../schema/texts/reasons.ts';
import { decideServer } from '../../reconcilers/server.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView, DoctorCheck, ServerAct, ServerActEvent } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { serverChecks, type PortalObservation } from '../servers/checks.ts';
import type { ServerAction } from '../../reconcilers/actions.ts';
import { carryOut } from '../servers/kit-acts.ts';
import { accountsOn, observeKit, serverDesired, serverObserved, prepareAccounts, writeWish } from '../servers/kit-work.ts';
import { noWish, whyNoKit, type KitState, type KitWish } from '../hosts/server/kit-state.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { asksForPortal } from '../execute/portal-credentials.ts';
import type { Entries, ServerEntry } from '../entries.ts';
import { applyInForce } from '../apply.ts';
import { observePackages } from '../observe/packages.ts';
import { eventsOf, type Emit, type Run } from '../people/act-events.ts';
import { drainLook } from './drain.ts';
import { planForgetting } from './plan.ts';
import { keys } from '../../schema/keys.ts';

export function serverGateway(context: Context): Pick<AdminView, 'serverChecks'> & Pick<AdminCommands, 'serverAct'> {
  return {
    serverChecks: async (name) => {
      const local = context.entries.servers.get(name)?.placed.document;
      if (local !== undefined && !('ssh' in local.spec))
        throw new SvcError('BAD_REQUEST', `${name} is this machine: svc doctor without --server looks at it`);
      const { server, kit } = serverOf(context, name);
      return await checks(context, server, kit);
    },
    serverAct: (name, act, force) => acted(context, name, act, force),
  };
}

function serverOf({ entries }: Context, name: string): { readonly server: ServerEntry; readonly kit: KitState } {
  const server = entries.servers.get(name);
  if (!server) throw new SvcError('NOT_FOUND', `no Server document ${name}`);
  if (server.kit === null) throw new SvcError('BAD_REQUEST', whyNoKit(server.placed.document));
  return { server, kit: server.kit };
}

async function checks(context: Context, server: ServerEntry, kit: KitState): Promise<readonly DoctorCheck[]> {
  await observeKit(context, server, true);
  // An observation that took this long says little about the clock; with the connection open, a second one is short.
  if (kit.facts !== null && kit.tookMs > limits.clockSkewMsMax) await observeKit(context, server, true);
  if (kit.facts === null) {
    const { observed } = kit;
    const message = observed.status === 'unknown' ? observed.message : (kit.failure?.message ?? '');
    return [doorRow(context, server, (observed.status === 'unknown' ? observed.cause : undefined) ?? { reason: null, message, fix: null })];
  }
  const shut = (await server.host.door?.()) ?? null;
  const input = {
    facts: kit.facts,
    server: server.name,
    admin: kit.admin.account,
    tookMs: kit.tookMs,
    askedMs: kit.askedMs,
    wantedKit: kit.wanted?.id ?? null,
    kitFault: kit.wanted === null ? (kit.failure?.message ?? null) : null,
    portal: await observePortal(context, server, kit),
    unforwarded: await unforwarded(kit),
    pythonApps: appsOn(context, server, ({ backend }) => backend?.runtime === 'python3'),
  };
  const verdicts = serverChecks(input);
  if (shut === null) return verdicts;
  // The checks went over an earlier connection.
  return verdicts.map((verdict) => (verdict.name === 'ssh' ? doorRow(context, server, causeOf(shut)) : verdict));
}

function doorRow({ options: { dir } }: Context, server: ServerEntry, cause: Cause): DoctorCheck {
  const detail = { pt: reasonText(cause.reason ?? 'ServerUnreachable', 'pt'), en: cause.message };
  return { name: 'ssh', ok: false, warning: false, detail, fix: sshFix(server, cause, dir) };
}

/** Accounts that can't be signed in to, or don't exist, are reported elsewhere. */
async function unforwarded({ facts, admin }: KitState): Promise<readonly string[]> {
  if (facts === null || facts.kit === null) return [];
  return await admin.unforwarded(facts.accounts.filter(({ found }) => found).map(({ name }) => name));
}

/** The portal as backends of that server find it; null where there is no kit to ask with. */
async function observePortal(context: Context, server: ServerEntry, kit: KitState): Promise<PortalObservation | null> {
  const { options } = context;
  if (options.portalUrl === undefined || kit.facts === null || kit.facts.kit === null) return null;
  const url = await options.portalUrl(server.placed.document);
  const answer = await kit.admin.askPortal(url).catch((error: Error) => error.message);
  return { url, answer, wantedBy: appsOn(context, server, asksForPortal) };
}

/** Ids of the apps that people of that server have, of a kind; sorted. */
function appsOn({ entries }: Context, server: ServerEntry, isOne: (manifest: Manifest) => boolean): readonly string[] {
  const apps = new Set<string>();
  for (const person of entries.people.values())
    if (person.server === server) for (const [app, { manifest }] of person.packages) if (isOne(manifest)) apps.add(app);
  return [...apps].toSorted();
}

/** The administrator has to allow the first sign-in; the portal does everything else. */
function sshFix({ name }: ServerEntry, cause: Cause, dir: string): Words {
  if (cause.reason === 'HostKeyChanged')
    return {
      pt: `svc server trust ${name} ${dir} mostra as chaves do servidor e o que escrever; compare com ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub no console dele`,
      en: `svc server trust ${name} ${dir} shows the keys of the server and what to write; compare with ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub on its console`,
    };
  return (
    cause.fix ?? {
      pt: `veja se sshd responde no endereço que Server/${name} diz`,
      en: `look whether sshd answers at the address that Server/${name} says`,
    }
  );
}

function acted(context: Context, name: string, act: ServerAct, force: boolean): AsyncGenerator<ServerActEvent> {
  const run =
    act === 'forget' ? forgetting(context, name, force) : act === 'drain' ? drainLook(context, name) : onKit(context, name, act, force);
  return eventsOf(run, () => context.queue.add(keys.server(name), true));
}

function onKit(context: Context, name: string, act: keyof typeof acts, force: boolean): Run {
  const { server, kit } = serverOf(context, name);
  return async (emit) => {
    // At once: a client that waits for the head of the answer gives up after a minute, which an observation or an act under way may take.
    emit({ event: 'step', text: kit.work === null ? 'look' : `wait: ${kit.busy?.message ?? ''}` });
    return await acts[act](context, server, kit, force, emit);
  };
}

/**
 * Gives a server up whose document is gone: its people, packages and clusters are forgotten with it, and nothing there is ended. Without
 * `force` it is only said. Decision: docs/decisions/0332-a-server-that-is-lost.md
 */
function forgetting(context: Context, name: string, force: boolean): Run {
  const { entries, source, options } = context;
  const server = entries.servers.get(name);
  if (!server) throw new SvcError('NOT_FOUND', `no Server document ${name}`);
  if (!server.leaving) throw new SvcError('CONFLICT', stillWanted(entries, server));
  return async (emit) => {
    emit({ event: 'step', text: 'look' });
    if (!server.lost) await observePackages(context, name);
    if (server.seen.status === 'reachable' && !server.lost)
      throw new SvcError(
        'CONFLICT',
        `${name} answers: what is there ends by itself; svc plan says what, and svc why Server/${name} what it waits for`,
      );
    const changes = await planForgetting(context, server);
    for (const { key, action, detail } of changes) emit({ event: 'plan', text: `${action} ${key}: ${detail}` });
    if (!force) return `${changes.length} change(s); nothing was done: svc server forget ${name} --yes`;
    await source.giveUp(server.key);
    await applyInForce(context);
    const untilMs = options.clock.monotonicMs() + limits.forgetMsMax;
    while (entries.servers.has(name)) {
      const nowMs = options.clock.monotonicMs();
      if (nowMs > untilMs) throw new SvcError('TIMEOUT', `${name} is given up; svc why Server/${name} says what it waits for`);
      await new Promise<void>((resolve) => options.clock.at(nowMs + 50, resolve));
    }
    return `${name} is forgotten; nothing on it was ended or removed`;
  };
}

function stillWanted({ people, packages }: Entries, { name, placed: { place } }: ServerEntry): string {
  const here = [
    ...[...people.values()].filter((person) => person.server.name === name && !person.leaving),
    ...[...packages.values()].filter(({ target, wanted, leaving }) => target.server === name && wanted.by === 'document' && !leaving),
  ].map(({ key }) => key);
  const shown = here.length > 10 ? [...here.slice(0, 10), `${here.length - 10} more`] : here;
  const these = shown.length === 0 ? '' : `, and those that are there (or move them): ${shown.join(', ')}`;
  return `Server/${name} is wanted (${place.file}:${place.line}): remove its document${these}; svc apply says when a removal is held back`;
}

type Act = (context: Context, server: ServerEntry, kit: KitState, force: boolean, emit: Emit) => Promise<string>;

const acts: { readonly [Name in Exclude<ServerAct, 'forget' | 'drain'>]: Act } = {
  plan: async (context, server, kit, _force, emit) => {
    const lines = await planned(context, server, kit);
    for (const text of lines) emit({ event: 'plan', text });
    return lines.length === 0 ? `${server.name} is as it should be` : `${lines.length} change(s)`;
  },
  add: async (context, server, kit, _force, emit) => {
    await writeWish(context, server, kit, noWish);
    const lines = await planned(context, server, kit);
    for (const text of lines) emit({ event: 'plan', text });
    const step = (text: string): void => emit({ event: 'step', text });
    const actions = decided(context, server, noWish);
    for (const action of actions) await carryOut(context, server, action, step);
    if (actions.length === 0) await prepareAccounts(context, server, step);
    const verdicts = await checks(context, server, kit);
    for (const { name, ok, detail, fix } of verdicts)
      if (!ok) emit({ event: 'step', text: `${name}: ${detail.en}${fix === null ? '' : `; fix: ${fix.en}`}` });
    return `${server.name} has the server kit ${kit.wanted?.id ?? ''}`;
  },
  rollback: async (context, server, kit, _force, emit) => {
    await observeKit(context, server, true);
    // The present kit has to be known, or it would be put there again at once. A kit whose commands do not run is there all the same.
    const held = kit.facts?.kitAt ?? null;
    if (held === null)
      throw new SvcError(
        'SERVER_UNREACHABLE',
        kit.observed.status === 'unknown' ? kit.observed.message : 'no server kit is there to go back from',
      );
    const [told] = await asked(context, server, kit, { removed: false, held, pending: 'rollback' }, emit);
    // The loop did it: the restored kit is observed.
    if (told === undefined) await observeKit(context, server, true);
    const now = told ?? kit.facts?.kitAt ?? 'before it';
    return `${server.name} is back at the server kit ${now}; ${held} is not put there again before svc server add`;
  },
  remove: async (context, server, kit, force, emit) => {
    const troubles = await asked(context, server, kit, { removed: true, held: null, pending: force ? 'remove-forced' : 'remove' }, emit);
    return [`nothing of svc runs on ${server.name}; packages and data stay`, ...troubles].join('; ');
  },
};

/** The order is stored before the act, so that the loop starts nothing else there meanwhile. An order that failed is withdrawn. */
async function asked(context: Context, server: ServerEntry, kit: KitState, wish: KitWish, emit: Emit): Promise<readonly string[]> {
  const before = kit.wish ?? noWish;
  await writeWish(context, server, kit, wish);
  const lines: string[] = [];
  try {
    while (kit.work !== null) await kit.work.catch(() => undefined);
    await observeKit(context, server, true);
    if (kit.observed.status === 'unknown') throw new SvcError('SERVER_UNREACHABLE', kit.observed.message);
    for (const action of decided(context, server, kit.wish ?? wish))
      lines.push(...(await carryOut(context, server, action, (text) => emit({ event: 'step', text }))));
    return lines;
  } catch (error) {
    await writeWish(context, server, kit, before);
    throw error;
  }
}

/** Acts of the loop at this moment, without the waits after a failure or for a refused connection: the act itself finds out. */
function decided(context: Context, server: ServerEntry, wish: KitWish): readonly ServerAction[] {
  const desired = serverDesired(context, server);
  const observed = { ...serverObserved(context.entries, server), busy: null, failure: null, door: null };
  const { actions } = decideServer(
    { ...desired, kit: desired.kit && { ...desired.kit, ...wish } },
    observed,
    null,
    context.options.clock.nowMs(),
  );
  return actions.filter((action): action is ServerAction => action.kind.startsWith('server/'));
}

/** Acts of the loop at this moment, and the findings of the observation. */
async function planned(context: Context, server: ServerEntry, kit: KitState): Promise<readonly string[]> {
  await observeKit(context, server, true);
  if (kit.observed.status === 'unknown') throw new SvcError('SERVER_UNREACHABLE', kit.observed.message);
  if (kit.wanted === null) throw new SvcError('KIT_INCOMPLETE', kit.failure?.message ?? 'no kit for this server');
  return decided(context, server, noWish).flatMap((action) => {
    if (action.kind === 'server/kit') {
      const before = kit.facts?.kit ?? null;
      const { bytes } = kit.wanted ?? { bytes: 0 };
      const size = `${(bytes / 1e6).toFixed(1)} MB`;
      return [
        before === null
          ? `put the server kit ${action.id} below /opt/svc (${size})`
          : `replace the server kit ${before} by ${action.id} (${size})`,
        accountsLine(context, server, kit),
      ];
    }
    if (action.kind === 'server/key') return ['change to the new ssh key of the portal'];
    return action.kind === 'server/accounts' ? [accountsLine(context, server, kit)] : [];
  });
}

function accountsLine(context: Context, server: ServerEntry, { facts }: KitState): string {
  const ready = `make ${accountsOn(context, server).join(', ') || 'no account'} ready: key of the portal`;
  return facts !== null && facts.systemd === null
    ? `${ready}; no lingering and no service manager, since systemd does not run there: no ceilings, no lasting sessions, no server-scope apps`
    : `${ready}, lingering, service manager`;
}
