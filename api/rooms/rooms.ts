/**
 * Actions of people and backends on rooms besides writing in them: create, rename, delete, invite and remove. Without a role a room is not visible
 * at all. Each change goes to the relay at once, and to the pages of the people concerned. Source: rules 2.4, 3.4, 5, 6.
 * Decision: docs/decisions/0095-who-is-in-a-room.md
 */
import { newNoticeId, newRoomId } from '../../store/rooms.ts';
import type { RoomStore, RoleChange, Standing, StoredNotice, StoredRoom } from '../../store/rooms.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { limits as storeLimits } from '../../store/limits.ts';
import { asPlainLine } from '../../schema/plain-line.ts';
import { melhorPapel, papeis, type Papel, type PapelConcedido } from '../../schema/rooms.ts';
import type { RoomAnswer, RoomGroup, RoomPerson, RoomView } from '../../schema/wire/rooms.ts';
import { groupSizes, personAnswer } from '../portal/people.ts';
import { appOf, noSuchRoom, spaceUsed, type RoomCaller } from './callers.ts';
import type { Relay } from './contract.ts';
import type { RoomNews } from './news.ts';

export interface RoomDeps {
  readonly rooms: RoomStore;
  readonly people: Pick<PeopleView, 'find' | 'all'>;
  readonly apps: Pick<AppsView, 'manifest'>;
  readonly relay: Pick<Relay, 'endRoom' | 'sizeOf'>;
  readonly news: RoomNews;
  readonly clock: Clock;
  /** Bytes that the rooms of a person hold on the disk. */
  readonly diskOf: (dona: string) => Promise<number>;
}

export interface Rooms {
  create(caller: RoomCaller, nome: string): Promise<RoomView>;
  list(caller: RoomCaller): Promise<readonly RoomView[]>;
  read(caller: RoomCaller, id: string): Promise<RoomAnswer>;
  rename(caller: RoomCaller, id: string, nome: string): Promise<RoomView>;
  /** Into the bin of its owner. */
  remove(caller: RoomCaller, id: string): Promise<void>;
  givePerson(caller: RoomCaller, id: string, usuario: string, papel: PapelConcedido): Promise<RoomPerson>;
  giveGroup(caller: RoomCaller, id: string, grupo: string, papel: PapelConcedido): Promise<RoomGroup>;
  /** Rejects NOT_FOUND for a person who is not in it, CONFLICT when their rooms leave no space for it. */
  handOver(caller: RoomCaller, id: string, usuario: string): Promise<RoomAnswer>;
  takePerson(caller: RoomCaller, id: string, usuario: string): Promise<void>;
  takeGroup(caller: RoomCaller, id: string, grupo: string): Promise<void>;
  /** The room with the caller's role; null: it exists, and the caller is not in it. Rejects NOT_FOUND for none and for another app's. */
  standing(caller: RoomCaller, id: string): Promise<Standing>;
  /** As `standing`, and rejects NOT_FOUND for callers who are not in it. */
  inRoom(caller: RoomCaller, id: string): Promise<Standing & { readonly papel: Papel }>;
}

export function createRooms(deps: RoomDeps): Rooms {
  const { rooms, clock, news } = deps;

  const standing: Rooms['standing'] = async (caller, id) => {
    const found = await rooms.standing(id, caller);
    if (found === null || (caller.app !== null && found.room.app !== caller.app)) throw noSuchRoom();
    return found;
  };
  const inRoom: Rooms['inRoom'] = async (caller, id) => {
    const { room, papel } = await standing(caller, id);
    if (papel === null) throw noSuchRoom();
    return { room, papel };
  };
  const owned = async (caller: RoomCaller, id: string): Promise<StoredRoom> => {
    const { room, papel } = await inRoom(caller, id);
    if (papel !== 'dona') throw notOwned();
    return room;
  };
  return {
    standing,
    inRoom,
    create: (caller, nome) => create(deps, news, caller, nome),
    list: async (caller) => (await rooms.roomsOf(caller.app, caller)).map(viewOf),
    read: async (caller, id) => answerOf(deps, await inRoom(caller, id)),
    rename: async (caller, id, nome) => {
      const room = await owned(caller, id);
      const atMs = clock.nowMs();
      if (nome !== room.nome && (await rooms.renameRoom(id, nome, atMs))) await news.notifyRoom(room);
      return viewOf({ room: { ...room, nome, changedAtMs: nome === room.nome ? room.changedAtMs : atMs }, papel: 'dona' });
    },
    remove: async (caller, id) => await removeRoom(deps, await owned(caller, id)),
    ...createGrants(deps, news, { owned, inRoom }),
  };
}

const notOwned = (): SvcError => new SvcError('FORBIDDEN', 'only the owner of the room may do that');

async function removeRoom({ rooms, news, relay, clock }: RoomDeps, room: StoredRoom): Promise<void> {
  const people = await news.peopleOf(room);
  if (!(await rooms.binRoom(room.id, clock.nowMs()))) throw noSuchRoom();
  // Joins are refused from here on.
  relay.endRoom(room.id);
  news.binned(room.id);
  news.notify(room.app, people);
  news.notifyBells(people);
}

/**
 * The owner leaves: another person of the room owns it from then on. A room in which nobody is left is deleted, unless a Grant document names it:
 * that document names an owner, too.
 */
async function leaveOwned(deps: RoomDeps, room: StoredRoom): Promise<void> {
  const { pessoas } = await answerOf(deps, { room, papel: 'dona' });
  const others = pessoas.filter(({ usuario }) => usuario !== room.dona);
  if (others.length === 0 && room.declaredName === null) return await removeRoom(deps, room);
  const heir = others.length === 0 ? '' : await heirOf(deps, room, others);
  if (heir === null) throw new SvcError('CONFLICT', 'the rooms of nobody in it leave space for this one: delete it');
  const atMs = deps.clock.nowMs();
  await deps.rooms.setOwner(room.id, heir, atMs);
  if (heir !== '') await deps.rooms.addNotices([invitation(room, room.dona, heir, 'dona', atMs)]);
  await deps.news.changed(room, heir === '' ? [room.dona] : [room.dona, heir]);
}

/** The first by role and name whose rooms leave space for it; null: none of those asked. */
async function heirOf({ rooms, relay, diskOf }: RoomDeps, { id }: StoredRoom, people: readonly RoomPerson[]): Promise<string | null> {
  const byRole = papeis.toReversed().flatMap((papel) => people.filter((person) => person.papel === papel));
  const bytes = (await relay.sizeOf(id)) + (await rooms.attachmentBytes(id));
  for (const { usuario } of byRole.slice(0, limits.roomHeirsAskedMax)) {
    const owned = (await rooms.ownedRooms(usuario)).length;
    if (owned < storeLimits.roomsOwnedMax && (await diskOf(usuario)) + bytes <= limits.roomDiskInheritedBytesMax) return usuario;
  }
  return null;
}

/** To a person in the room. Whoever hands it over stays in it, and writes. */
async function handOver(deps: RoomDeps, room: StoredRoom, usuario: string): Promise<void> {
  if (usuario === room.dona) return;
  if (room.declaredName !== null) throw new SvcError('CONFLICT', 'a Grant document says who owns this room');
  const { pessoas } = await answerOf(deps, { room, papel: 'dona' });
  const heir = pessoas.find((person) => person.usuario === usuario);
  if (heir === undefined) throw new SvcError('NOT_FOUND', `${usuario} is not in the room`);
  const isFull = (await heirOf(deps, room, [heir])) === null;
  const atMs = deps.clock.nowMs();
  const change = isFull ? 'full' : await deps.rooms.handOver(room.id, room.dona, usuario, atMs);
  if (change === 'gone') throw notOwned();
  if (change === 'full') throw new SvcError('CONFLICT', `the rooms of ${usuario} leave no space for this one`);
  await deps.rooms.addNotices([invitation(room, room.dona, usuario, 'dona', atMs)]);
  await deps.news.changed(room, [room.dona, usuario]);
}

type Grants = Pick<Rooms, 'handOver' | 'givePerson' | 'giveGroup' | 'takePerson' | 'takeGroup'>;
interface Checks {
  readonly owned: (caller: RoomCaller, id: string) => Promise<StoredRoom>;
  readonly inRoom: Rooms['inRoom'];
}

function createGrants(deps: RoomDeps, news: RoomNews, { owned, inRoom }: Checks): Grants {
  const { rooms, people, clock } = deps;
  const inGroup = (grupo: string): readonly string[] =>
    people.all().flatMap((person) => (person.grupos.includes(grupo) ? [person.usuario] : []));
  return {
    handOver: async (caller, id, usuario) => {
      await handOver(deps, await owned(caller, id), usuario);
      return await answerOf(deps, await inRoom(caller, id));
    },
    givePerson: async (caller, id, usuario, papel) => {
      const room = await owned(caller, id);
      if (!people.find(usuario)) throw new SvcError('NOT_FOUND', `there is no person ${usuario}`);
      if (usuario === room.dona) throw new SvcError('CONFLICT', 'the owner of a room has no other role in it');
      const atMs = clock.nowMs();
      const invitations = [invitation(room, caller.usuario, usuario, papel, atMs)];
      const change = await rooms.givePerson(id, usuario, { papel, atMs, invitations });
      await refuseOrNotify(news, room, change, [usuario], caller.usuario);
      return memberOf(await answerOf(deps, await inRoom(caller, id)), usuario);
    },
    giveGroup: async (caller, id, grupo, papel) => {
      const room = await owned(caller, id);
      const people = inGroup(grupo);
      if (people.length === 0) throw new SvcError('NOT_FOUND', `no person is in a group ${grupo}`);
      const invited = people.filter((usuario) => usuario !== room.dona && usuario !== caller.usuario);
      const atMs = clock.nowMs();
      const invitations = invited.map((usuario) => invitation(room, caller.usuario, usuario, papel, atMs));
      const change = await rooms.giveGroup(id, grupo, { papel, atMs, invitations });
      await refuseOrNotify(news, room, change, people, caller.usuario);
      const group = (await answerOf(deps, await inRoom(caller, id))).grupos.find((each) => each.grupo === grupo);
      if (!group) throw noSuchRoom();
      return group;
    },
    takePerson: async (caller, id, usuario) => {
      const { room, papel } = await inRoom(caller, id);
      if (papel === 'dona' && usuario === caller.usuario) return await leaveOwned(deps, room);
      if (papel !== 'dona' && usuario !== caller.usuario) throw notOwned();
      if (await rooms.takePerson(id, usuario, clock.nowMs())) await news.changed(room, [usuario], [caller.usuario]);
    },
    takeGroup: async (caller, id, grupo) => {
      const room = await owned(caller, id);
      if (await rooms.takeGroup(id, grupo, clock.nowMs())) await news.changed(room, inGroup(grupo), [caller.usuario]);
    },
  };
}

async function refuseOrNotify(news: RoomNews, room: StoredRoom, change: RoleChange, people: readonly string[], by: string): Promise<void> {
  if (change === 'gone') throw noSuchRoom();
  if (change === 'full') {
    throw new SvcError('CONFLICT', `a room takes ${storeLimits.roomPeopleMax} people by name and ${storeLimits.roomGroupsMax} groups`);
  }
  if (change === 'same') return;
  await news.changed(room, people, [by]);
}

async function create({ rooms, apps, clock, diskOf }: RoomDeps, news: RoomNews, caller: RoomCaller, nome: string): Promise<RoomView> {
  const { usuario } = caller;
  const app = appOf(caller);
  if (!apps.manifest(usuario, app)) throw new SvcError('NOT_FOUND', `app ${app} is not installed`);
  if ((await diskOf(usuario)) >= limits.roomDiskPerPersonBytesMax) throw spaceUsed();
  const atMs = clock.nowMs();
  const room: StoredRoom = { id: newRoomId(), app, nome, dona: usuario, createdAtMs: atMs, changedAtMs: atMs, declaredName: null };
  if ((await rooms.createRoom(room)) === 'full') {
    throw new SvcError('CONFLICT', `one person owns at most ${storeLimits.roomsOwnedMax} rooms: delete one`);
  }
  news.notify(app, [usuario]);
  return viewOf({ room, papel: 'dona' });
}

function invitation(room: StoredRoom, de: string, usuario: string, papel: Papel, atMs: number): StoredNotice {
  return { id: newNoticeId(), usuario, tipo: 'convite', sala: room.id, de, papel, ancora: null, atMs };
}

export function viewOf({ room, papel }: Standing): RoomView {
  const { id, nome, app, dona, createdAtMs, changedAtMs } = room;
  // Rooms of before the rule may have any name.
  return { id, nome: asPlainLine(nome) || id, app, dona, papel: papel ?? 'ver', criadaEm: createdAtMs, mudadaEm: changedAtMs };
}

/** Everybody who is in, by name or by group, the owner first and then by name. */
async function answerOf({ rooms, people }: RoomDeps, standing: Standing): Promise<RoomAnswer> {
  const { room } = standing;
  const { people: members, groups } = await rooms.members(room.id);
  const sizes = groupSizes(people);
  const byName = new Map(members.map((member) => [member.usuario, member]));
  const byGroup = new Map(groups.map((group) => [group.grupo, group]));
  const pessoas = people.all().flatMap((person): RoomPerson[] => {
    const member = byName.get(person.usuario);
    const porGrupos = person.grupos.filter((grupo) => byGroup.has(grupo));
    const porNome = person.usuario === room.dona ? 'dona' : (member?.papel ?? null);
    if (porNome === null && porGrupos.length === 0) return [];
    const papel = porGrupos.reduce<Papel | null>((best, grupo) => melhorPapel(best, byGroup.get(grupo)?.papel ?? null), porNome) ?? 'ver';
    const { usuario, nome, login, iniciais } = personAnswer(person);
    return [{ usuario, nome, login, iniciais, papel, porNome, porGrupos, declarada: (member?.declaredBy ?? null) !== null }];
  });
  const isOwner = ({ usuario }: RoomPerson): number => (usuario === room.dona ? 0 : 1);
  pessoas.sort((a, b) => isOwner(a) - isOwner(b) || a.nome.localeCompare(b.nome));
  const grupos = groups.map(({ grupo, papel, declaredBy }) => ({
    grupo,
    papel,
    pessoas: sizes.get(grupo) ?? 0,
    declarado: declaredBy !== null,
  }));
  return { sala: viewOf(standing), pessoas, grupos };
}

function memberOf({ pessoas }: RoomAnswer, usuario: string): RoomPerson {
  const member = pessoas.find((person) => person.usuario === usuario);
  if (!member) throw noSuchRoom();
  return member;
}
