/**
 * The apps of a person go to another server: copied beside, compared, put in place, and then the command writes `spec.server` of their document. The portal that does it
 * holds the apps meanwhile; when it ends in between they are where they were, and the move is given again. A row of the store says what ran, and where the old copy
 * is. Decision: docs/decisions/0388-a-person-goes-to-another-server.md
 */
import path from 'node:path';
import { pause } from '../../schema/clock.ts';
import { livesOn } from '../../reconcilers/leaving.ts';
import { SvcError } from '../../schema/errors.ts';
import type { MoveOrder } from '../../schema/gateway.ts';
import { keys } from '../../schema/keys.ts';
import type { Store } from '../../store/store.ts';
import { codedFault } from '../files/file-fault.ts';
import { newId } from '../files/placing.ts';
import { faultPoint } from '../faults.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { enqueuePerson } from '../observe/people.ts';
import { lookAtNow } from '../observe/strangers.ts';
import { prepareAccounts } from '../servers/kit-work.ts';
import type { PersonEntry, ServerEntry } from '../entries.ts';
import type { Emit } from './act-events.ts';
import { whoShares } from '../execute/erasure.ts';
import {
  cleanedAfter,
  cleanedBefore,
  endStaging,
  isSameHome,
  isSameThere,
  itemsOf,
  put,
  removeNames,
  shownItem,
  stage,
  type Item,
  type Standing,
} from './move-items.ts';
import { countOf, lookAt, openSide, personToMove, sideOf, targetOf, type Look } from './move-look.ts';

/** A row of the store from the first step of a move until its old copy is removed. */
interface Move {
  readonly from: string;
  readonly account: string;
  readonly to: string;
  /** Apps that ran and are not started again yet. */
  readonly ran: readonly string[];
  /** Digests of what was copied, as it was on the server they leave; null: nothing is in place yet, or both homes are one. */
  readonly left: readonly string[] | null;
}

const rowName = (person: string): string => `move/${person}`;

export async function moveOf(store: Pick<Store, 'value'>, person: string): Promise<Move | null> {
  const text = await store.value(rowName(person));
  return text === null || text === '' ? null : (JSON.parse(text) as Move);
}

async function putMove(store: Pick<Store, 'putValue'>, person: string, move: Move | null): Promise<void> {
  await store.putValue(rowName(person), move === null ? '' : JSON.stringify(move));
}

/** Answers what is said at its end. A fault of a file is told as that. */
export async function carryOutMove(context: Context, name: string, order: MoveOrder, emit: Emit): Promise<string> {
  try {
    const person = personToMove(context, name);
    const before = await moveOf(context.options.store, name);
    if (order.act === 'clean') return await clean(context, person, order, before, emit);
    const { file, line } = person.placed.place;
    const document = path.resolve(context.options.dir, file);
    emit({ event: 'document', file: document, text: `Person/${name}, ${document}:${line}` });
    if (person.server.name === order.to) return await endOfMoved(context, person, order, before, emit);
    const target = await targetOf(context, person, order.to);
    refuseOldCopy(person, target, before);
    if (person.waits) await lookAtNow(context, person);
    if (order.isPlan) {
      await lookAt(context, person, target, emit, true);
      return 'nothing was done';
    }
    return await move(context, person, target, { before, document, emit });
  } catch (error) {
    throw codedFault(error, null);
  }
}

/** The row of the store holds one of them. */
function refuseOldCopy({ name, server }: PersonEntry, target: ServerEntry, before: Move | null): void {
  if (before === null || before.left === null || before.to !== server.name || before.from === target.name) return;
  throw new SvcError(
    'CONFLICT',
    `their old copy is still on ${before.from}: svc person move ${name} --to ${server.name} --clean --yes removes it; then give this again`,
  );
}

interface Moves {
  readonly before: Move | null;
  readonly document: string;
  readonly emit: Emit;
}

async function move(context: Context, person: PersonEntry, target: ServerEntry, { before, document, emit }: Moves): Promise<string> {
  const { name, server, account } = person;
  const { options } = context;
  // Two at once may have come as far as this.
  personToMove(context, name);
  let row: Move | null = null;
  person.moving = { to: target.name, drain: null, ends: false };
  try {
    await letIn(context, target, account, emit);
    // Something of theirs may run although its supervisor is away.
    await person.link.ensure();
    await lookAt(context, person, target, emit, false);
    const running = person.link.snapshots().flatMap(({ app, wanted }) => (wanted ? [app] : []));
    const ran = [...new Set([...running, ...(before?.to === target.name ? before.ran : [])])];
    row = { from: server.name, account, to: target.name, ran, left: null };
    await putMove(options.store, name, row);
    faultPoint('person-move/noted');
    person.moving = { ...person.moving, drain: { server: server.name, to: target.name, deadlineMs: options.clock.nowMs() } };
    await untilStopped(context, person, emit);
    faultPoint('person-move/stopped');
    // They wrote until now.
    const look = await lookAt(context, person, target, () => undefined, false);
    const left = look.isSame ? null : await copyAll(context, look, emit);
    row = { ...row, left };
    await putMove(options.store, name, row);
    await endSupervisor(context, person);
    faultPoint('person-move/ended');
    emit({ event: 'step', text: `write server: ${target.name} into spec of Person/${name}` });
    emit({ event: 'document', file: document, text: 'now' });
    await untilSwitched(context, person, target.name);
    faultPoint('person-move/switched');
  } catch (error) {
    person.moving = null;
    // They stay where they were: what ran goes on there.
    if (context.entries.people.get(name) === person) {
      enqueuePerson(context, person, true);
      await startAgain(context, name, row?.ran ?? []);
      if (row !== null) await putMove(options.store, name, { ...row, ran: [] });
    }
    throw error;
  }
  return await endOfMoved(context, person, { to: target.name, act: 'move', isPlan: false }, row, emit);
}

/** For those who are on the way to it (`moving`) the kit of a server opens the account. Trouble with other accounts there is no reason to stay: whether this one is open is seen next. */
async function letIn(context: Context, server: ServerEntry, account: string, emit: Emit): Promise<void> {
  if (server.kit === null) return;
  emit({ event: 'step', text: `${account} on ${server.name} is made ready` });
  await prepareAccounts(context, server).catch((error: Error) => emit({ event: 'step', text: `${server.name}: ${error.message}` }));
}

/** Rejects CANCELLED as the portal ends, and CONFLICT when their document became another one. */
function refuseOther({ ending, entries }: Context, person: PersonEntry): void {
  if (ending.aborted) throw new SvcError('CANCELLED', 'the portal ends: give this again');
  if (entries.people.get(person.name) !== person || person.leaving)
    throw new SvcError('CONFLICT', `the document of ${person.name} became another one meanwhile: give this again`);
}

async function untilStopped(context: Context, person: PersonEntry, emit: Emit): Promise<void> {
  const { clock } = context.options;
  const untilMs = clock.monotonicMs() + limits.moveStopMsMax;
  enqueuePerson(context, person, true);
  let told = '';
  for (;;) {
    refuseOther(context, person);
    if (person.link.view().status === 'down') await person.link.ensure();
    const living = [...person.backends.values()].flatMap(({ app, starting }) =>
      livesOn(person.link.snapshot(app), starting) ? [app] : [],
    );
    if (living.length === 0 && person.link.view().status === 'up') {
      await person.link.look();
      if (!person.link.snapshots().some((snapshot) => livesOn(snapshot, false))) return;
    }
    const words = `they end: ${living.join(', ')}`;
    if (living.length > 0 && words !== told) emit({ event: 'step', text: words });
    told = words;
    if (clock.monotonicMs() > untilMs)
      throw new SvcError('TIMEOUT', `${living.join(', ')} of ${person.name} did not end: svc why ${person.name}/${living[0] ?? 'APP'}`);
    await pause(context.options.clock, limits.moveLookMs);
  }
}

/** Answers the digests of what is there now. All is copied and compared before the first of it gets its name. */
async function copyAll(context: Context, { from, to, items }: Look, emit: Emit): Promise<readonly string[]> {
  if (to === null) throw new SvcError('INTERNAL', 'a move without the other side');
  const { clock } = context.options;
  const copied: { item: Item; standing: Standing }[] = [];
  for (const { item, standing } of items)
    if (standing !== 'same') copied.push({ item, standing });
    else if (!(await isSameThere(from, to, item, context.ending))) copied.push({ item, standing: 'older' });
  for (const { item } of copied) {
    let bytes = 0;
    let nextMs = clock.monotonicMs() + limits.moveToldMs;
    await stage(from, to, item, {
      signal: context.ending,
      bytes: (more) => {
        bytes += more;
        if (clock.monotonicMs() < nextMs) return;
        nextMs = clock.monotonicMs() + limits.moveToldMs;
        emit({ event: 'step', text: `${shownItem(item)}: ${(bytes / 1e6).toFixed(1)} of ${(item.survey.bytes / 1e6).toFixed(1)} MB` });
      },
      file: () => undefined,
      leftOut: (file) => emit({ event: 'step', text: `left: ${file.toString('utf8')} is no plain file` }),
    });
    emit({ event: 'step', text: `${shownItem(item)} is copied and the same, ${countOf(item)}` });
  }
  for (const { item, standing } of copied) await put(from, to, item, standing);
  await endStaging(to);
  return items.map(({ item }) => item.survey.digest);
}

/** In a home that both servers share it would be in the way of the other one. */
async function endSupervisor(context: Context, person: PersonEntry): Promise<void> {
  refuseOther(context, person);
  if (person.moving !== null) person.moving = { ...person.moving, ends: true };
  await person.link.look();
  if (person.link.snapshots().some((snapshot) => livesOn(snapshot, false)))
    throw new SvcError('CONFLICT', `an app of ${person.name} was started meanwhile: give this again`);
  await person.link.ask({ op: 'quit' });
}

async function untilSwitched(context: Context, person: PersonEntry, to: string): Promise<void> {
  const { entries, options } = context;
  const untilMs = options.clock.monotonicMs() + limits.moveSwitchMsMax;
  while (entries.people.get(person.name)?.server.name !== to) {
    refuseOther(context, person);
    if (options.clock.monotonicMs() > untilMs)
      throw new SvcError(
        'TIMEOUT',
        `nobody wrote server: ${to} into spec of Person/${person.name}: they stay on ${person.server.name}; give this again`,
      );
    await pause(context.options.clock, limits.moveLookMs);
  }
}

async function startAgain({ options: { store, bus, clock } }: Context, person: string, apps: readonly string[]): Promise<void> {
  for (const app of apps) {
    await store.putIntent({ person, app, wish: 'start', by: 'admin', requestId: `mudanca-${newId().slice(0, 12)}`, atMs: clock.nowMs() });
    bus.enqueue(keys.backend(person, app), true);
  }
}

/** They are there: what ran is started. Also what an earlier try was killed before. */
async function endOfMoved(
  context: Context,
  { name }: PersonEntry,
  { to, isPlan }: MoveOrder,
  row: Move | null,
  emit: Emit,
): Promise<string> {
  const { options, entries } = context;
  if (row === null || row.to !== to || row.ran.length === 0) return saidAt(name, to, row);
  for (const app of row.ran) emit({ event: isPlan ? 'plan' : 'step', text: `${keys.backend(name, app)} is started on ${to}` });
  if (isPlan) return `${name} is on ${to} already`;
  const untilMs = options.clock.monotonicMs() + limits.moveSwitchMsMax;
  // Before they were looked at there nothing counts as installed.
  for (let there = entries.people.get(name); there?.accountSeen !== true; there = entries.people.get(name)) {
    if (context.ending.aborted || options.clock.monotonicMs() > untilMs)
      throw new SvcError('TIMEOUT', `${name} is on ${to}, which was not looked at yet: give this again to start what ran`);
    await pause(context.options.clock, limits.moveLookMs);
  }
  await startAgain(context, name, row.ran);
  faultPoint('person-move/started');
  await putMove(options.store, name, row.left === null ? null : { ...row, ran: [] });
  return saidAt(name, to, row);
}

function saidAt(name: string, to: string, row: Move | null): string {
  const old =
    row?.to === to && row.left !== null ? `; the old copy on ${row.from} stays until svc person move ${name} --to ${to} --clean --yes` : '';
  return `${name} is on ${to}${old}`;
}

/** The old copy, and what was put aside where they are. */
async function clean(context: Context, person: PersonEntry, { to, isPlan }: MoveOrder, row: Move | null, emit: Emit): Promise<string> {
  const { entries, options } = context;
  const { name } = person;
  if (row === null || row.to !== to || row.left === null || person.server.name !== to || row.account !== person.account)
    throw new SvcError('CONFLICT', `no move of ${name} to ${to} left a copy`);
  const server = entries.servers.get(row.from);
  if (server === undefined) throw new SvcError('CONFLICT', `${row.from} has no document any more: the copy there is beyond reach`);
  const other = await whoShares(entries, { name, server, account: row.account });
  if (other !== null) throw new SvcError('CONFLICT', `${other} uses ${row.account} on ${row.from}: nothing is removed there`);
  if (isPlan) {
    await removeOld(context, person, server, row.left, emit, isPlan);
    return 'nothing was done';
  }
  // Another act of theirs may have begun meanwhile.
  personToMove(context, name);
  person.moving = { to: row.from, drain: null, ends: false };
  try {
    await letIn(context, server, row.account, emit);
    await removeOld(context, person, server, row.left, emit, isPlan);
    await putMove(options.store, name, null);
    return `nothing of ${name} that svc made is left on ${row.from}`;
  } finally {
    person.moving = null;
  }
}

async function removeOld(
  { ending: signal }: Context,
  { name, account, server: now }: PersonEntry,
  server: ServerEntry,
  left: readonly string[],
  emit: Emit,
  isPlan: boolean,
): Promise<void> {
  const [from, to] = [await openSide(server, account, emit, isPlan), await sideOf(now, account)];
  if (from === null) {
    emit({ event: 'plan', text: `the old copy on ${server.name} goes` });
    return;
  }
  if (await isSameHome(from, to))
    throw new SvcError('CONFLICT', `the home of ${name} is the same on ${server.name} and ${now.name}: there is no old copy`);
  const items = await itemsOf(from, signal);
  const changed = items.filter(({ survey }) => !left.includes(survey.digest)).map(shownItem);
  if (changed.length > 0)
    throw new SvcError(
      'CONFLICT',
      `changed on ${server.name} since they left: ${changed.join(', ')}: look at that first, and remove it by hand`,
    );
  for (const item of items) emit({ event: isPlan ? 'plan' : 'step', text: `${shownItem(item)} on ${server.name} goes, ${countOf(item)}` });
  if (isPlan) return;
  await removeNames(from, cleanedBefore, signal);
  await removeNames(to, cleanedAfter, signal);
}
