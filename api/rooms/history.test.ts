/** Versions that many people ask for at once. */
import { expect, test } from 'vitest';
import type { StoredRoom } from '../../store/rooms.ts';
import type { RoomCaller } from './callers.ts';
import { createHistory } from './history.ts';
import { limits } from './limits.ts';
import { silentRelay } from './silent-relay.ts';

test('a person who asks for many versions waits for their own, and others come between them', async () => {
  const begun: (() => void)[] = [];
  const version = () => new Promise<Uint8Array>((resolve) => begun.push(() => resolve(new Uint8Array())));
  const room = { id: 's1', app: 'notas', dona: 'ana' } as StoredRoom;
  const history = createHistory({
    rooms: { inRoom: async () => ({ room, papel: 'editar' }) },
    relay: { history: { ...silentRelay.history, version } },
    people: { find: () => null },
    elsewhere: undefined,
  });
  const ask = (usuario: string) => history.read({ usuario } as RoomCaller, { id: 's1', canal: 'documento' }, 1, 'json');
  const ofAna = Array.from({ length: limits.versionsWaitingMax }, () => ask('ana'));
  await expect(ask('ana')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const ofBia = ask('bia');
  await expect.poll(() => begun.length).toBe(2);
  for (const end of begun) end();
  await Promise.all([ofAna[0], ofBia]);
  await expect.poll(() => begun.length).toBe(3);
  for (let n = 2; n < limits.versionsWaitingMax + 1; n += 1) {
    await expect.poll(() => begun.length).toBe(n + 1);
    begun[n]!();
    await ofAna[n - 1];
  }
});
