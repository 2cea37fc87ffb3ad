/** Acts on a leaving person who is to be erased. controller/execute/erasure.ts says in which order, and why each may be repeated. */
import { keys } from '../../schema/keys.ts';
import type { ActionOf } from '../../reconcilers/actions.ts';
import { faultPoint } from '../faults.ts';
import type { PersonEntry } from '../entries.ts';
import { erasureOf, onTheirServer, putErasure, settleRooms } from './erasure.ts';
import { guarded, type ExecutorOptions } from './guarded.ts';

export async function signOut(options: ExecutorOptions, { person }: ActionOf<'person/sign-out'>): Promise<void> {
  const { entries, store, rooms, clock } = options;
  await store.deleteSessionsOf(person);
  // Another person may get the name.
  await store.deletePasskeysOf(person);
  const erasure = await erasureOf(store, person);
  faultPoint('erase/signed-out');
  if (erasure !== null) {
    await settleRooms(rooms, person, erasure, clock);
    await options.forgetWriter(person);
  }
  faultPoint('erase/rooms');
  await rooms.forgetPerson(person, clock.nowMs());
  await store.keepConsents(person, new Set());
  const entry = entries.people.get(person);
  if (entry) Object.assign(entry, { erasure, signedOut: true });
}

/** People whose folders are being removed, which may take longer than the loop waits before it asks again. */
const underWay = new WeakSet<PersonEntry>();

/** Goes on beside the loop: trees may be large. */
export async function erase(options: ExecutorOptions, { person }: ActionOf<'person/erase'>): Promise<void> {
  const entry = options.entries.people.get(person);
  if (entry === undefined || entry.erasure === null || underWay.has(entry)) return;
  const { erasure } = entry;
  underWay.add(entry);
  const work = guarded(options, keys.person(person), async () => {
    const left = await onTheirServer(options, entry, 'remove');
    faultPoint('erase/server-done');
    entry.erasure = { ...erasure, left };
    await putErasure(options.store, person, entry.erasure);
    faultPoint('erase/server-kept');
  });
  void work.finally(() => {
    underWay.delete(entry);
    options.onChange(keys.person(person));
  });
}

/** The rest of the store; what the row says is left stays until who asked has read it. */
export async function endOfErased({ store }: ExecutorOptions, person: string): Promise<void> {
  if ((await erasureOf(store, person)) === null) return;
  faultPoint('erase/before-rest');
  await store.endPersonal(person);
  faultPoint('erase/rest');
}
