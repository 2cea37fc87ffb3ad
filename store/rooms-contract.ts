/** Contract of every room store, as one suite: store-contract.ts runs it for SQLite and PostgreSQL. */
import { describe, expect, test } from 'vitest';
import { limits as sharedLimits } from '../schema/limits.ts';
import { limits } from './limits.ts';
import type { RoomStore, RoleWish, StoredNotice, StoredRoom } from './rooms.ts';

const room = (id: string, over: Partial<StoredRoom> = {}): StoredRoom => ({
  id,
  app: 'notas',
  nome: 'Atas',
  dona: 'ana',
  createdAtMs: 10,
  changedAtMs: 10,
  declaredName: null,
  ...over,
});
const wish = (papel: RoleWish['papel'], invitations: readonly StoredNotice[] = []): RoleWish => ({ papel, atMs: 20, invitations });
const notice = (id: string, over: Partial<StoredNotice> = {}): StoredNotice => ({
  id,
  usuario: 'bia',
  tipo: 'mencao',
  sala: 's1',
  de: 'ana',
  papel: null,
  ancora: 'c1',
  atMs: 30,
  ...over,
});
const bia = { usuario: 'bia', grupos: ['editores', 'autores'] };

export function roomTests(store: () => RoomStore, reopen: () => Promise<void>): void {
  describe('rooms', () => {
    standingTests(store, reopen);
    changeTests(store);
    binTests(store);
    documentTests(store);
    noticeTests(store, reopen);
    appNoticeTests(store, reopen);
    attachmentTests(store);
    tokenTests(store, reopen);
  });
}

function standingTests(store: () => RoomStore, reopen: () => Promise<void>): void {
  test('a room is found by its id and by its declared name, and keeps the latter when it is renamed', async () => {
    expect(await store().createRoom(room('s1', { declaredName: 'Atas' }))).toBe('created');
    expect(await store().createRoom(room('s2', { declaredName: 'Atas' }))).toBe('taken');
    expect(await store().createRoom(room('s3', { declaredName: 'Atas', app: 'quadro' }))).toBe('created');
    expect(await store().renameRoom('s1', 'Reuniões', 99)).toBe(true);
    expect(await store().renameRoom('s9', 'x', 99)).toBe(false);
    await reopen();
    const renamed = room('s1', { declaredName: 'Atas', nome: 'Reuniões', changedAtMs: 99 });
    expect(await store().room('s1')).toEqual(renamed);
    expect(await store().declaredRoom('notas', 'Atas')).toEqual(renamed);
    expect(await store().declaredRoom('notas', 'Reuniões')).toBeNull();
    expect(await store().room('s2')).toBeNull();
  });

  test('one owner has so many rooms and no more', async () => {
    await Promise.all(Array.from({ length: limits.roomsOwnedMax }, (_, index) => store().createRoom(room(`s${index}`))));
    expect(await store().createRoom(room('more'))).toBe('full');
    expect(await store().createRoom(room('other', { dona: 'bia' }))).toBe('created');
  });

  test.for([
    [null, null, null, null],
    ['ver', null, null, 'ver'],
    [null, 'comentar', null, 'comentar'],
    ['ver', 'editar', null, 'editar'],
    ['editar', 'ver', 'comentar', 'editar'],
    ['comentar', 'ver', 'editar', 'editar'],
  ] as const)('by name %s, by groups %s and %s: %s', async ([name, one, other, expected]) => {
    await store().createRoom(room('s1'));
    await store().createRoom(room('s2', { dona: 'bia', app: 'quadro', createdAtMs: 11 }));
    if (name) await store().givePerson('s1', 'bia', wish(name));
    if (one) await store().giveGroup('s1', 'editores', wish(one));
    if (other) await store().giveGroup('s1', 'autores', wish(other));
    await store().giveGroup('s1', 'outros', wish('editar'));
    expect(await store().standing('s1', bia)).toEqual({ room: expect.objectContaining({ id: 's1' }), papel: expected });
    const mine = await store().roomsOf('notas', bia);
    expect(mine.map(({ room: { id }, papel }) => [id, papel])).toEqual(expected === null ? [] : [['s1', expected]]);
    const all = await store().roomsOf(null, bia);
    expect(all.map(({ room: { id }, papel }) => [id, papel])).toEqual([['s2', 'dona'], ...(expected === null ? [] : [['s1', expected]])]);
  });
}

function binTests(store: () => RoomStore): void {
  test('a room in the bin is nobody’s but its owner’s, who takes it out with everybody in it', async () => {
    await store().createRoom(room('s1', { declaredName: 'Atas' }));
    await store().givePerson('s1', 'bia', { papel: 'editar', atMs: 1, invitations: [] });
    expect([await store().binRoom('s1', 50), await store().binRoom('s1', 60), await store().binRoom('never', 60)]).toEqual([
      true,
      false,
      false,
    ]);
    const bia = { usuario: 'bia', grupos: [] };
    const ana = { usuario: 'ana', grupos: [] };
    expect([await store().standing('s1', ana), await store().roomsOf(null, ana), await store().roomsOf(null, bia)]).toEqual([null, [], []]);
    expect([await store().declaredRoom('notas', 'Atas'), await store().wasDeleted('s1')]).toEqual([null, false]);
    expect((await store().binnedRooms('ana')).map(({ room: { id }, binnedAtMs }) => [id, binnedAtMs])).toEqual([['s1', 50]]);
    expect([await store().binnedRooms('bia'), await store().binnedBefore(50), await store().binnedBefore(51)]).toEqual([[], [], ['s1']]);
    expect([await store().unbinRoom('s1', 'bia', 70), await store().unbinRoom('s1', 'ana', 70)]).toEqual([false, true]);
    expect(await store().unbinRoom('s1', 'ana', 70)).toBe(false);
    expect(await store().standing('s1', bia)).toMatchObject({ papel: 'editar' });
    expect([await store().binnedRooms('ana'), await store().binnedBefore(1_000)]).toEqual([[], []]);
  });
}

function changeTests(store: () => RoomStore): void {
  test('the owner stays the owner, whatever was given besides; nobody owns a room that was left behind', async () => {
    await store().createRoom(room('s1'));
    expect(await store().givePerson('s1', 'ana', wish('ver'))).toBe('gone');
    await store().giveGroup('s1', 'editores', wish('ver'));
    expect((await store().standing('s1', { usuario: 'ana', grupos: ['editores'] }))?.papel).toBe('dona');
    await store().givePerson('s1', 'bia', wish('editar'));
    expect(await store().forgetPerson('ana', 77)).toEqual(['s1']);
    expect(await store().room('s1')).toMatchObject({ dona: '', changedAtMs: 77 });
    expect((await store().standing('s1', { usuario: '', grupos: [] }))?.papel).toBeNull();
    expect((await store().standing('s1', bia))?.papel).toBe('editar');
    expect(await store().setOwner('s1', 'bia', 78)).toBe(true);
    expect((await store().members('s1')).people).toEqual([]);
    expect((await store().standing('s1', bia))?.papel).toBe('dona');
  });

  test('an owner hands a room over, and stays in it', async () => {
    await store().createRoom(room('s1'));
    await store().givePerson('s1', 'bia', wish('ver'));
    expect(await store().handOver('s1', 'bia', 'caio', 77)).toBe('gone');
    expect(await store().handOver('s1', 'ana', 'bia', 78)).toBe('done');
    expect((await store().members('s1')).people).toMatchObject([{ usuario: 'ana', papel: 'editar', given: 'editar', declaredBy: null }]);
    expect([(await store().standing('s1', bia))?.papel, (await store().room('s1'))?.changedAtMs]).toEqual(['dona', 78]);
    expect(await store().handOver('s1', 'ana', 'caio', 79)).toBe('gone');
    expect(await store().handOver('s1', 'bia', 'ana', 80)).toBe('done');
    expect((await store().members('s1')).people.map(({ usuario }) => usuario)).toEqual(['bia']);
  });

  test('giving and taking say what changed', async () => {
    await store().createRoom(room('s1'));
    expect(await store().givePerson('s1', 'bia', wish('ver'))).toBe('new');
    expect(await store().givePerson('s1', 'bia', wish('ver'))).toBe('same');
    expect(await store().givePerson('s1', 'bia', wish('editar'))).toBe('changed');
    expect(await store().givePerson('s9', 'bia', wish('editar'))).toBe('gone');
    expect(await store().takePerson('s1', 'bia', 40)).toBe(true);
    expect(await store().takePerson('s1', 'bia', 41)).toBe(false);
    expect(await store().room('s1')).toMatchObject({ changedAtMs: 40 });
    for (let index = 0; index < limits.roomGroupsMax; index += 1) await store().giveGroup('s1', `g${index}`, wish('ver'));
    expect(await store().giveGroup('s1', 'more', wish('ver'))).toBe('full');
    expect(await store().giveGroup('s1', 'g0', wish('editar'))).toBe('changed');
  });

  test('a deleted room takes everything that hangs on it', async () => {
    await store().createRoom(room('s1'));
    await store().givePerson('s1', 'bia', wish('ver', [notice('n1', { tipo: 'convite', ancora: null, papel: 'ver' })]));
    await store().giveGroup('s1', 'editores', wish('ver'));
    await store().putAttachment({ sala: 's1', sha: 'a', bytes: 1, tipo: 'image/png', atMs: 1 }, 10);
    expect(await store().deleteRoom('s1')).toBe(true);
    expect(await store().deleteRoom('s1')).toBe(false);
    expect(await store().deleteRoom('never')).toBe(false);
    expect([await store().wasDeleted('s1'), await store().wasDeleted('never')]).toEqual([true, false]);
    expect(await store().deletedRooms()).toEqual(['s1']);
    await store().forgetDeleted('s1');
    expect([await store().wasDeleted('s1'), await store().deletedRooms()]).toEqual([false, []]);
    expect(await store().roomsOf(null, bia)).toEqual([]);
    expect(await store().notices('bia')).toEqual([]);
    expect(await store().roomsWithAttachments()).toEqual([]);
    expect(await store().members('s1')).toEqual({ people: [], groups: [] });
  });
}

function documentTests(store: () => RoomStore): void {
  test('what a document wants is in force; when it goes, what was given comes back', async () => {
    await store().createRoom(room('s1'));
    await store().givePerson('s1', 'bia', wish('ver'));
    expect(await store().declarePerson('s1', 'bia', 'atas', wish('editar'))).toBe('changed');
    expect(await store().declarePerson('s1', 'caio', 'atas', wish('ver'))).toBe('new');
    expect(await store().declareGroup('s1', 'editores', 'atas', wish('comentar'))).toBe('new');
    expect(await store().declarePerson('s1', 'bia', 'atas', wish('editar'))).toBe('same');
    expect(await store().declaredBy('atas')).toEqual(['s1']);
    expect(await store().members('s1')).toEqual({
      people: [
        { usuario: 'bia', papel: 'editar', given: 'ver', declaredBy: 'atas' },
        { usuario: 'caio', papel: 'ver', given: null, declaredBy: 'atas' },
      ],
      groups: [{ grupo: 'editores', papel: 'comentar', given: null, declaredBy: 'atas' }],
    });
    expect(await store().withdrawPerson('s1', 'bia', 'other', 50)).toBe(false);
    expect(await store().withdrawPerson('s1', 'bia', 'atas', 50)).toBe(true);
    expect(await store().withdrawPerson('s1', 'caio', 'atas', 50)).toBe(true);
    expect(await store().withdrawGroup('s1', 'editores', 'atas', 50)).toBe(true);
    expect(await store().members('s1')).toEqual({ people: [{ usuario: 'bia', papel: 'ver', given: 'ver', declaredBy: null }], groups: [] });
    expect(await store().declaredBy('atas')).toEqual([]);
  });

  test('a page that gives another role meanwhile is remembered, and the document says so again', async () => {
    await store().createRoom(room('s1'));
    await store().declarePerson('s1', 'bia', 'atas', wish('ver'));
    expect(await store().givePerson('s1', 'bia', wish('editar'))).toBe('changed');
    expect((await store().members('s1')).people).toEqual([{ usuario: 'bia', papel: 'editar', given: 'editar', declaredBy: 'atas' }]);
    expect(await store().declarePerson('s1', 'bia', 'atas', wish('ver'))).toBe('changed');
    expect((await store().members('s1')).people).toEqual([{ usuario: 'bia', papel: 'ver', given: 'editar', declaredBy: 'atas' }]);
  });
}

function noticeTests(store: () => RoomStore, reopen: () => Promise<void>): void {
  test('the same anchor reaches one person once, whatever the kind, also after it was deleted and after a restart', async () => {
    await store().createRoom(room('s1'));
    await store().createRoom(room('s2'));
    expect(await store().addNotices([notice('n1'), notice('n2')])).toEqual([notice('n1')]);
    await reopen();
    await store().dropNotices('bia', null);
    expect(await store().addNotices([notice('n3'), notice('n4', { tipo: 'comentario' })])).toEqual([]);
    const others = [notice('n5', { usuario: 'caio' }), notice('n6', { ancora: 'c2' }), notice('n7', { sala: 's2' })];
    expect(await store().addNotices(others)).toEqual(others);
    expect(await store().addNotices([notice('n8', { sala: 's9' })])).toEqual([]);
  });

  test('the newest come first, with the room as it is called now; reading and deleting are each person’s own', async () => {
    await store().createRoom(room('s1'));
    await store().addNotices([notice('n1', { atMs: 1 }), notice('n2', { atMs: 2, ancora: 'c2' }), notice('n3', { usuario: 'caio' })]);
    await store().renameRoom('s1', 'Outra', 5);
    expect((await store().notices('bia')).map(({ id, salaNome, app, read }) => [id, salaNome, app, read])).toEqual([
      ['n2', 'Outra', 'notas', false],
      ['n1', 'Outra', 'notas', false],
    ]);
    expect(await store().unread('bia')).toBe(2);
    expect(await store().markRead('caio', 'n1')).toBe(0);
    expect(await store().markRead('bia', 'n1')).toBe(1);
    expect(await store().markRead('bia', 'n1')).toBe(0);
    expect(await store().unread('bia')).toBe(1);
    expect(await store().markRead('bia', null)).toBe(1);
    expect(await store().dropNotices('caio', 'n1')).toBe(0);
    expect(await store().dropNotices('bia', 'n1')).toBe(1);
    expect((await store().notices('bia')).map(({ id }) => id)).toEqual(['n2']);
  });

  test('an invitation comes with its role, and a newer one replaces it', async () => {
    await store().createRoom(room('s1'));
    const invitation = (id: string, papel: 'ver' | 'editar') => notice(id, { tipo: 'convite', papel, ancora: null });
    await store().givePerson('s1', 'bia', wish('ver', [invitation('n1', 'ver')]));
    await store().givePerson('s1', 'bia', wish('ver', [invitation('n2', 'ver')]));
    expect((await store().notices('bia')).map(({ id }) => id)).toEqual(['n1']);
    await store().givePerson('s1', 'bia', wish('editar', [invitation('n3', 'editar')]));
    expect((await store().notices('bia')).map(({ id, papel }) => [id, papel])).toEqual([['n3', 'editar']]);
    // Lowered, by hand; then a Grant takes its role, somebody lowers it again, and the Grant takes it back.
    await store().givePerson('s1', 'bia', wish('ver', [invitation('n4', 'ver')]));
    await store().declarePerson('s1', 'bia', 'atas', wish('ver', []));
    await store().declarePerson('s1', 'bia', 'atas', wish('editar', [invitation('n5', 'editar')]));
    expect((await store().notices('bia')).map(({ id }) => id)).toEqual(['n3']);
  });

  test('over the limit the oldest go', async () => {
    await store().createRoom(room('s1'));
    const many = Array.from({ length: sharedLimits.noticesPerPersonMax + 2 }, (_, n) => notice(`n${n}`, { ancora: `c${n}`, atMs: n }));
    await store().addNotices(many);
    const kept = await store().notices('bia');
    expect(kept).toHaveLength(sharedLimits.noticesPerPersonMax);
    expect(kept.at(-1)?.id).toBe('n2');
  });
}

function appNoticeTests(store: () => RoomStore, reopen: () => Promise<void>): void {
  test('what an app tells its own person has no room, stands among the others, and goes over the limit of the app', async () => {
    await store().createRoom(room('s1'));
    const told = (id: string, atMs: number, app = 'notas', rota: string | null = null) =>
      store().addAppNotice({ id, usuario: 'bia', app, texto: `texto ${id}`, rota, atMs });
    await told('a1', 1, 'relogio', 'nota/1');
    await store().addNotices([notice('n1', { atMs: 2 })]);
    await told('a2', 3);
    await reopen();
    expect(await store().notices('bia')).toMatchObject([
      { id: 'a2', tipo: 'aplicativo', app: 'notas', sala: null, salaNome: null, texto: 'texto a2', rota: null, de: 'bia', read: false },
      { id: 'n1', tipo: 'mencao', app: 'notas', sala: 's1', salaNome: 'Atas', texto: null, rota: null },
      { id: 'a1', app: 'relogio', texto: 'texto a1', rota: 'nota/1' },
    ]);
    for (let n = 0; n < limits.noticesPerAppMax; n += 1) await told(`b${n}`, 10 + n);
    const kept = await store().notices('bia');
    expect(kept.filter(({ tipo, app }) => tipo === 'aplicativo' && app === 'notas').map(({ id }) => id)).toHaveLength(
      limits.noticesPerAppMax,
    );
    expect(kept.slice(-3).map(({ id }) => id)).toEqual(['b0', 'n1', 'a1']);
    expect([await store().markRead('bia', 'a1'), await store().dropNotices('bia', 'a1')]).toEqual([1, 1]);
    await store().forgetPerson('bia', 99);
    expect(await store().notices('bia')).toEqual([]);
  });
}

function attachmentTests(store: () => RoomStore): void {
  test('a room holds so many bytes, and the same bytes once', async () => {
    await store().createRoom(room('s1'));
    const row = (sha: string, bytes: number, atMs = 1) => ({ sala: 's1', sha, bytes, tipo: 'image/png', atMs });
    expect(await store().putAttachment(row('a', 6), 10)).toEqual({ kind: 'new', bytes: 6 });
    expect(await store().putAttachment({ ...row('a', 6, 4), tipo: 'text/csv' }, 10)).toEqual({ kind: 'known', bytes: 6 });
    expect((await store().attachment('s1', 'a'))?.tipo).toBe('text/csv');
    expect(await store().putAttachment(row('a', 6, 5), 10)).toEqual({ kind: 'known', bytes: 6 });
    expect(await store().putAttachment(row('b', 5), 10)).toEqual({ kind: 'full', bytes: 6 });
    expect(await store().putAttachment(row('b', 4), 10)).toEqual({ kind: 'new', bytes: 10 });
    expect(await store().putAttachment({ ...row('a', 1), sala: 's9' }, 10)).toEqual({ kind: 'gone', bytes: 0 });
    expect(await store().attachmentBytes('s1')).toBe(10);
    expect(await store().attachment('s1', 'a')).toEqual(row('a', 6, 5));
    expect(await store().attachment('s1', 'c')).toBeNull();
    expect(await store().roomsWithAttachments()).toEqual(['s1']);
    await store().touchAttachments('s1', ['b', 'c'], 9);
    expect(await store().attachment('s1', 'b')).toEqual(row('b', 4, 9));
    // Put again since it was read: it stays.
    expect(await store().dropAttachment('s1', 'a', 4)).toBe(false);
    expect(await store().dropAttachment('s1', 'a', 5)).toBe(true);
    expect(await store().attachments('s1')).toEqual([row('b', 4, 9)]);
  });
}

function tokenTests(store: () => RoomStore, reopen: () => Promise<void>): void {
  test('a credential is found by its hash, and ends with the start that it belongs to', async () => {
    const token = { tokenHash: 't1', usuario: 'ana', app: 'notas', scopes: ['salas', 'fila'], startHash: 'p1', atMs: 5 } as const;
    await store().putPortalToken(token);
    await store().putPortalToken({ ...token, tokenHash: 't2', startHash: 'p2', scopes: [] });
    await store().putPortalToken({ ...token, tokenHash: 't3', usuario: 'bia' });
    await reopen();
    expect(await store().portalToken('t1')).toEqual(token);
    expect(await store().portalToken('t2')).toMatchObject({ scopes: [] });
    expect(await store().portalToken('t9')).toBeNull();
    expect(await store().portalTokenOwners()).toEqual([
      { usuario: 'ana', app: 'notas' },
      { usuario: 'bia', app: 'notas' },
    ]);
    // The app has a token of its person's: which start it belongs to is unknown.
    expect(await store().keepPortalTokens('ana', 'notas', 'p9')).toEqual([]);
    expect(await store().keepPortalTokens('ana', 'notas', 'p2')).toEqual(['t1']);
    expect(await store().portalToken('t1')).toBeNull();
    expect(await store().keepPortalTokens('ana', 'notas', null)).toEqual(['t2']);
    expect(await store().portalToken('t2')).toBeNull();
    expect(await store().portalToken('t3')).not.toBeNull();
  });
}
