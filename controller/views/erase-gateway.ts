/** `svc person erase`: what is held of a person, and its end. */
import path from 'node:path';
import type { AdminCommands } from '../../schema/gateway.ts';
import type { Held, HeldOfPerson, SharedRoom } from '../../schema/erasure.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import { faultPoint } from '../faults.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { rereadFolder } from '../apply.ts';
import { erasureOf, onTheirServer, ownedBy, putErasure } from '../execute/erasure.ts';
import { eventsOf, type Emit } from '../people/act-events.ts';

type EraseGateway = Pick<AdminCommands, 'heldOf' | 'askErasure' | 'finishErasure'>;

export function eraseGateway(context: Context): EraseGateway {
  return {
    heldOf: (person) => heldOf(context, person),
    askErasure: (person, roomsTo) => ask(context, person, roomsTo),
    finishErasure: (person) => eventsOf((emit) => finish(context, person, emit)),
  };
}

/** Data that stays for everybody who is erased, and why. */
const stays: readonly Held[] = [
  {
    what: 'lines of the audit record',
    count: null,
    unit: 'rows',
    note: 'who did what stays for as long as Portal.spec.audit says; the chain does not hold without them',
  },
  { what: 'what they wrote in rooms of others', count: null, unit: 'rows', note: 'it is part of documents of others' },
  { what: 'backups', count: null, unit: 'rows', note: 'snapshots from before hold them until they go by their retention' },
];

/** Rejects NOT_FOUND where nothing is held of anybody by that name. */
async function heldOf({ entries, options, ending, source }: Context, name: string): Promise<HeldOfPerson> {
  const { store } = options;
  const entry = entries.people.get(name);
  const [rows, owned, bytes, jobBytes, erasure] = await Promise.all([
    store.personal(name),
    ownedBy(store.rooms, name),
    store.rooms.attachmentBytesOf(name),
    store.jobs.jobSpace(name),
    erasureOf(store, name),
  ]);
  if (entry === undefined && rows.length === 0 && erasure === null)
    throw new SvcError('NOT_FOUND', `no person ${name}, and nothing is held of anybody by that name`);
  const onDisk = (what: string, count: number): readonly Held[] => (count === 0 ? [] : [{ what, count, unit: 'bytes', note: null }]);
  const there =
    entry === undefined
      ? (erasure?.left ?? [])
      : await onTheirServer({ entries, ending }, entry, 'look').catch((error: Error): readonly Held[] => [
          { what: `folders on ${entry.server.name}`, count: null, unit: 'bytes', note: `can't be seen: ${error.message}` },
        ]);
  const placed = source.current().documents.get(keys.person(name));
  return {
    person: name,
    document:
      placed === undefined
        ? null
        : { file: path.resolve(options.dir, placed.place.file), line: placed.place.line, from: placed.from ?? null },
    server: entry?.server.name ?? erasure?.server ?? null,
    account: entry?.account ?? erasure?.account ?? null,
    held: [
      ...rows.map(({ what, count }): Held => ({ what, count, unit: 'rows', note: null })),
      ...onDisk('attachments of their rooms', bytes),
      ...onDisk('files of their jobs', jobBytes),
      ...there,
      ...stays,
    ],
    sharedRooms: owned.flatMap(({ room, others }): readonly SharedRoom[] =>
      others === 0 ? [] : [{ id: room.id, nome: room.nome, app: room.app, people: others }],
    ),
    erasure,
  };
}

/** From now on nothing is kept of them when they leave. Rejects CONFLICT naming the rooms that others are in, where nobody is to have those. */
async function ask(context: Context, name: string, roomsTo: string | null): Promise<HeldOfPerson> {
  const { entries, options } = context;
  const entry = entries.people.get(name);
  const before = await heldOf(context, name);
  if (entry === undefined && before.erasure === null)
    throw new SvcError(
      'CONFLICT',
      `${name} is no person any more, and where they had their apps is not known: write the Person document again, ask, and remove it`,
    );
  if (roomsTo !== null && (roomsTo === name || entries.people.get(roomsTo)?.leaving !== false))
    throw new SvcError('NOT_FOUND', `rooms can't go to ${roomsTo}: no such person who stays`);
  const to = roomsTo ?? before.erasure?.roomsTo ?? null;
  if (before.sharedRooms.length > 0 && to === null) {
    const rooms = before.sharedRooms.map(({ nome, app, people }) => `${JSON.stringify(nome)} (${app}, ${people} more)`);
    throw new SvcError(
      'CONFLICT',
      `others are in rooms that ${name} owns: name who gets them with --rooms-to: ${rooms.slice(0, 20).join(', ')}`,
    );
  }
  if (entry !== undefined) {
    const erasure = { server: entry.server.name, account: entry.account, roomsTo: to, askedAtMs: options.clock.nowMs(), left: null };
    await putErasure(options.store, name, erasure);
    // A person who is leaving already is erased by the same removal from here on.
    if (entry.leaving) Object.assign(entry, { erasure, signedOut: false });
    faultPoint('erase/asked');
  }
  return await heldOf(context, name);
}

/** Once their document is gone: waits until they are, and says what is left. */
async function finish(context: Context, name: string, emit: Emit): Promise<string> {
  const { entries, options, queue } = context;
  const { clock, store } = options;
  emit({ event: 'step', text: 'look' });
  const asked = await erasureOf(store, name);
  if (asked === null) throw new SvcError('CONFLICT', `nobody asked that ${name} is erased`);
  // The guard is for what goes unseen; this removal was asked for by name.
  await rereadFolder(context, (key) => key === keys.person(name));
  const placed = context.source.current().documents.get(keys.person(name));
  if (placed !== undefined)
    throw new SvcError(
      'CONFLICT',
      `the document Person/${name} is in force: remove it (${placed.place.file}:${placed.place.line}); the rest follows by itself`,
    );
  emit({ event: 'step', text: `${name} leaves` });
  queue.add(keys.person(name), true);
  const untilMs = clock.monotonicMs() + limits.eraseWaitMsMax;
  let last = '';
  while (entries.people.has(name)) {
    const nowMs = clock.monotonicMs();
    if (nowMs > untilMs || context.ending.aborted)
      throw new SvcError(
        'TIMEOUT',
        `${name} is still leaving; it goes on by itself: svc why Person/${name}, and this command again at the end`,
      );
    const said = context.recorder.last(keys.person(name))?.message ?? '';
    if (said !== last && said !== '') emit({ event: 'step', text: said });
    last = said;
    await new Promise<void>((resolve) => clock.at(nowMs + 100, resolve));
  }
  // The end of an object writes its own last row and event.
  await store.endPersonal(name);
  const { held: left } = await heldOf(context, name);
  for (const { what, count, note } of left)
    emit({ event: 'step', text: `left: ${what}${count === null ? '' : `: ${count}`}${note === null ? '' : ` (${note})`}` });
  await putErasure(store, name, null);
  await store.endPersonal(name);
  const counted = left.filter((each) => !stays.includes(each)).length;
  return counted === 0
    ? `nothing is left of ${name} but what is said above to stay`
    : `${counted} thing(s) of ${name} are left, and why is said above`;
}
