/**
 * Puts a parcel of a restore into the running portal: rooms under new ids, with their documents, attachments and roles; preferences and roles of a person where
 * there are none. A room is seen once its documents and attachments are there. Decision: docs/decisions/0406-a-restore-is-built-beside.md
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createRoomNews, type RoomNewsDeps } from '../../api/rooms/news.ts';
import { limits as roomLimits } from '../../api/rooms/limits.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { parcelFile, parcelName, type Parcel, type ParcelAnswer, type ParcelRoom } from '../../schema/parcels.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import type { Bytes } from '../../store/bytes.ts';
import type { RoomLog } from '../../store/room-log.ts';
import { newRoomId } from '../../store/rooms.ts';
import type { Store } from '../../store/store.ts';

export interface ParcelDeps extends Omit<RoomNewsDeps, 'rooms'> {
  readonly stateDir: string;
  readonly store: Pick<Store, 'rooms' | 'preferences' | 'putPreferences'>;
  readonly log: Pick<RoomLog, 'append' | 'release' | 'deleteRoom'>;
  readonly attachments: Bytes;
  readonly clock: Clock;
}

/** Rejects BAD_REQUEST for what is no parcel, CONFLICT where a person owns too many rooms. Rooms put in before the failure stay. */
export function createParcels(deps: ParcelDeps): (name: string) => Promise<ParcelAnswer> {
  const { stateDir, store, people } = deps;
  const news = createRoomNews({ ...deps, rooms: store.rooms });
  return async (name) => {
    if (!parcelName.test(name)) throw new SvcError('BAD_REQUEST', 'expected the name of a parcel');
    const folder = path.join(stateDir, name);
    const parcel = JSON.parse(String(await readPlainFile(path.join(folder, parcelFile)))) as Parcel;
    const rooms: ParcelAnswer['rooms'][number][] = [];
    const kept: string[] = [];
    for (const room of parcel.rooms) {
      // A room in the bin is as good as gone: the copy comes beside it.
      const isThere = (await store.rooms.standing(room.id, nobody)) !== null;
      if (!parcel.copies && isThere) {
        kept.push(room.nome);
        continue;
      }
      const made = await putRoom(room, folder, deps);
      rooms.push({ from: room.id, id: made.id, nome: made.nome });
      await news.notifyRoom(made);
    }
    const { preferences } = parcel;
    const isPut = preferences !== null && (await store.putPreferences(preferences.person, preferences.body, 0));
    let roles = 0;
    for (const { sala, usuario, papel } of parcel.roles) {
      const person = people.find(usuario);
      const standing = person && (await store.rooms.standing(sala, person));
      if (!standing || standing.papel !== null) continue;
      await store.rooms.givePerson(sala, usuario, { papel, atMs: deps.clock.nowMs(), invitations: [] });
      await news.changed(standing.room, [usuario]);
      roles += 1;
    }
    return { rooms, kept, preferences: preferences === null ? 'none' : isPut ? 'restored' : 'kept', roles };
  };
}

const nobody = { usuario: '', grupos: [] };

async function putRoom(room: ParcelRoom, folder: string, { store, log, attachments, people, clock }: ParcelDeps) {
  const id = newRoomId();
  const fileOf = (name: string): string => path.join(folder, path.basename(name));
  try {
    for (const { canal, file } of room.documents)
      await log.append([{ sala: id, canal, seq: 1, frames: await readPlainFile(fileOf(file)) }]);
    await log.release(id);
    const sizes: number[] = [];
    for (const { sha, file } of room.attachments) sizes.push(await putBytes(attachments, id, sha, fileOf(file)));
    const atMs = clock.nowMs();
    // Whoever is no person of the portal any more owns nothing.
    const dona = people.find(room.dona) === null ? '' : room.dona;
    const made = { id, app: room.app, nome: room.nome, dona, createdAtMs: room.createdAtMs, changedAtMs: atMs, declaredName: null };
    if ((await store.rooms.createRoom(made)) === 'full')
      throw new SvcError('CONFLICT', `${dona} owns as many rooms as a person may: ${room.nome} was not restored`);
    for (const [at, { sha, tipo }] of room.attachments.entries())
      await store.rooms.putAttachment({ sala: id, sha, bytes: sizes[at] ?? 0, tipo, atMs }, roomLimits.roomAttachmentBytesMax);
    for (const { usuario, papel } of room.people) await store.rooms.givePerson(id, usuario, { papel, atMs, invitations: [] });
    for (const { grupo, papel } of room.groups) await store.rooms.giveGroup(id, grupo, { papel, atMs, invitations: [] });
    return made;
  } catch (error) {
    await store.rooms.deleteRoom(id);
    await log.deleteRoom(id);
    await attachments.removeFolder(id);
    throw error;
  }
}

async function putBytes(attachments: Bytes, id: string, sha: string, file: string): Promise<number> {
  const staging = '.in-restore';
  const growing = await attachments.grow(id, staging);
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file)) {
    digest.update(chunk as Uint8Array);
    await growing.write(chunk as Uint8Array);
  }
  await growing.close();
  if (digest.digest('hex') !== sha) throw new SvcError('DIGEST_MISMATCH', `the attachment ${sha} of the parcel is another file`);
  await attachments.rename(id, staging, sha);
  return growing.size();
}
