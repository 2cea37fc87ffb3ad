/** Counting and deleting the rows of one person; for every driver. */
import { expect, test } from 'vitest';
import { passkeyTests } from './passkeys-contract.ts';
import type { Store } from './store.ts';

export function personalTests(store: () => Store): void {
  passkeyTests(store);
  test('what is held of a person is counted table by table, and ends but for rooms and jobs; others keep theirs', async () => {
    const passkey = { publicKey: 'x', counter: 0, transports: [], isBackedUp: false, name: 'x', madeAtMs: 1, usedAtMs: 0 };
    const event = { atMs: 1, type: 'Normal', reason: 'Provisioned', message: '', round: 'r', from: null, to: null } as const;
    for (const person of ['ana', 'ana2']) {
      await store().putValue(`presence/${person}`, '5');
      await store().putValue(`erasure/${person}`, '');
      await store().putValue(`oidc/subject/${person}`, person);
      await store().putPreferences(person, '{}', 0);
      await store().addPasskey({ ...passkey, id: `k-${person}`, person });
      await store().appendEvent({ ...event, key: `Backend/${person}/notas` });
      await store().putIntent({ person, app: 'notas', wish: 'start', by: 'person', requestId: 'r', atMs: 1 });
      const room = { id: `s-${person}`, app: 'notas', nome: 'Atas', dona: person, createdAtMs: 1, changedAtMs: 1, declaredName: null };
      await store().rooms.createRoom(room);
    }
    const found = async (person: string) => (await store().personal(person)).map(({ what, count }) => `${what} ${count}`);
    const all = [
      'passkeys 1',
      'rooms that they own 1',
      'preferences 1',
      'wishes of apps 1',
      'events of objects 1',
      'notes 1',
      'identities of a provider 1',
    ];
    expect(await found('ana')).toEqual(all);
    await store().endPersonal('ana');
    expect([...(await store().values('erasure/')).keys()]).toEqual(['erasure/ana2']);
    expect([await found('ana'), await found('ana2'), await found('an')]).toEqual([['rooms that they own 1'], all, []]);
  });
}
