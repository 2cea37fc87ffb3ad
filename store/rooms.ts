/**
 * Facts of rooms that the portal must not lose, beside their documents (store/room-log holds those): rooms, roles by person and by group,
 * notices, attachments and the portal credentials of backends. Promises resolve when it is committed; every read is indexed. Source: rules
 * 2.4, 5, 6. Decision: docs/decisions/0095-who-is-in-a-room.md
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { EndState } from '../schema/jobs.ts';
import type { Papel, PapelConcedido } from '../schema/rooms.ts';
import type { NoticeKind } from '../schema/rooms.ts';

export interface StoredRoom {
  readonly id: string;
  readonly app: string;
  readonly nome: string;
  /** `usuario` of the owner; '' when that person left the portal. */
  readonly dona: string;
  readonly createdAtMs: number;
  /** Last change of name, owner, people or groups. */
  readonly changedAtMs: number;
  /** The name by which Grant documents know it; null when none made it. Stays when the room is renamed. */
  readonly declaredName: string | null;
}

/** A role in a room by name or by group. */
interface StoredRole {
  /** In force: what the document wants while there is one, else what was given. */
  readonly papel: PapelConcedido;
  /** Role that a person gave; null: only a document declares one. */
  readonly given: PapelConcedido | null;
  /** Name of the Grant document that wants it. */
  readonly declaredBy: string | null;
}
export interface StoredMember extends StoredRole {
  readonly usuario: string;
}
export interface StoredGroup extends StoredRole {
  readonly grupo: string;
}

/** A person who may be in a room, by name or by one of the groups. */
export interface Who {
  readonly usuario: string;
  readonly grupos: readonly string[];
}

/** A room with the role of one person. */
export interface Standing {
  readonly room: StoredRoom;
  /** The better of all; null: not in the room. */
  readonly papel: Papel | null;
}

export interface StoredNotice {
  readonly id: string;
  readonly usuario: string;
  readonly tipo: 'convite' | NoticeKind;
  readonly sala: string;
  readonly de: string;
  /** `dona`: the room was handed over. */
  readonly papel: Papel | null;
  readonly ancora: string | null;
  readonly atMs: number;
}
/** A notice of an app to its own person. */
export interface StoredAppNotice {
  readonly id: string;
  readonly usuario: string;
  readonly app: string;
  readonly texto: string;
  readonly rota: string | null;
  readonly atMs: number;
}
/** With the room as it is called now; `sala` and `salaNome` are null, and `texto` is not, of what an app tells its own person. */
export interface NoticeRow extends Omit<StoredNotice, 'tipo' | 'sala'> {
  readonly tipo: StoredNotice['tipo'] | 'aplicativo' | 'trabalho';
  readonly sala: string | null;
  readonly app: string;
  readonly salaNome: string | null;
  readonly texto: string | null;
  readonly rota: string | null;
  /** Job of a notice of kind `trabalho`: the one that ended last, and how many did. Its name is in `texto`. Null: another kind. */
  readonly trabalho: { readonly id: string; readonly estado: EndState; readonly quantos: number; readonly falharam: number } | null;
  readonly read: boolean;
}

export interface StoredAttachment {
  readonly sala: string;
  readonly sha: string;
  readonly bytes: number;
  readonly tipo: string;
  /** Time of the last put. */
  readonly atMs: number;
}

/** SVC_PORTAL_TOKEN of a backend. */
export interface StoredPortalToken {
  /** sha256, hex: the token itself is never stored. */
  readonly tokenHash: string;
  /** The person, or for a server-scope app its server (`ownerOnServer`). */
  readonly usuario: string;
  readonly app: string;
  readonly scopes: readonly PortalScope[];
  /** sha256 of the SVC_APP_TOKEN that was written with it: both belong to one start. */
  readonly startHash: string;
  readonly atMs: number;
}
/** Owner of the credential of a server-scope app: no name of a person begins so. */
export const ownerOnServer = (server: string): string => `@${server}`;
/** Null: a person's. */
export const serverOfOwner = (usuario: string): string | null => (usuario.startsWith('@') ? usuario.slice(1) : null);

export const portalScopes = ['salas', 'fila', 'metricas', 'capacidades'] as const;
export type PortalScope = (typeof portalScopes)[number];

/** `gone`: there is no such room. `full`: the limit is reached. */
export type RoleChange = 'new' | 'changed' | 'same' | 'full' | 'gone';

export interface RoleWish {
  readonly papel: PapelConcedido;
  readonly atMs: number;
  /** Added in the same transaction when the role is a new or another one. */
  readonly invitations: readonly StoredNotice[];
}

export interface BinnedRoom {
  readonly room: StoredRoom;
  readonly binnedAtMs: number;
}

export interface RoomStore {
  /** `full`: the owner has limits.roomsOwnedMax. `taken`: a room of that app has the declared name. */
  createRoom(room: StoredRoom): Promise<'created' | 'full' | 'taken'>;
  room(id: string): Promise<StoredRoom | null>;
  hasRooms(): Promise<boolean>;
  declaredRoom(app: string, declaredName: string): Promise<StoredRoom | null>;
  /** The room and the role in force there; null when there is no such room. */
  standing(id: string, who: Who): Promise<Standing | null>;
  /** Rooms that a person is in, the newest first, at most limits.roomsListedMax; of one app, or with null of all. */
  roomsOf(app: string | null, who: Who): Promise<readonly Standing[]>;
  ownedRooms(dona: string): Promise<readonly string[]>;
  /** By name, in that order. Without the owner. */
  members(id: string): Promise<{ readonly people: readonly StoredMember[]; readonly groups: readonly StoredGroup[] }>;
  /** False: there is no such room. */
  renameRoom(id: string, nome: string, atMs: number): Promise<boolean>;
  /** Nobody is in it any more, its owner neither, until it is taken out again; everything of it stays. False: there is no such room outside the bin. */
  binRoom(id: string, atMs: number): Promise<boolean>;
  /** Rooms of an owner in the bin, the last one first. */
  binnedRooms(dona: string): Promise<readonly BinnedRoom[]>;
  /** False: no such room of theirs is in the bin. */
  unbinRoom(id: string, dona: string, atMs: number): Promise<boolean>;
  /** Some of the rooms that came into the bin before, the oldest first. */
  binnedBefore(atMs: number): Promise<readonly string[]>;
  /** With roles, notices and attachment rows. False: there was none. That it was deleted is remembered until `forgetDeleted`. */
  deleteRoom(id: string): Promise<boolean>;
  /** False also of a room that this store never knew. */
  wasDeleted(id: string): Promise<boolean>;
  deletedRooms(): Promise<readonly string[]>;
  /** Nothing of it is left. */
  forgetDeleted(id: string): Promise<void>;

  givePerson(id: string, usuario: string, wish: RoleWish): Promise<RoleChange>;
  giveGroup(id: string, grupo: string, wish: RoleWish): Promise<RoleChange>;
  /** Removes the role by name, whether a person or a document gave it. False: there was none. */
  takePerson(id: string, usuario: string, atMs: number): Promise<boolean>;
  takeGroup(id: string, grupo: string, atMs: number): Promise<boolean>;

  /** Puts the role that a document declares into force; a role given before stays known beneath. */
  declarePerson(id: string, usuario: string, document: string, wish: RoleWish): Promise<RoleChange>;
  declareGroup(id: string, grupo: string, document: string, wish: RoleWish): Promise<RoleChange>;
  /** Only what that document wants: what was given is in force again. */
  withdrawPerson(id: string, usuario: string, document: string, atMs: number): Promise<boolean>;
  withdrawGroup(id: string, grupo: string, document: string, atMs: number): Promise<boolean>;
  /** The old owner keeps nothing by that; the new one's role by name goes. */
  setOwner(id: string, dona: string, atMs: number): Promise<boolean>;
  /** The one who hands it over keeps the role `editar` by name. `gone`: it is not theirs. `full`: the new owner has limits.roomsOwnedMax. */
  handOver(id: string, from: string, to: string, atMs: number): Promise<'done' | 'gone' | 'full'>;
  /** Rooms in which the document wants something. */
  declaredBy(document: string): Promise<readonly string[]>;

  /** A person left the portal: roles, notices and credentials go; rooms that they own stay, without an owner. Answers the rooms. */
  forgetPerson(usuario: string, atMs: number): Promise<readonly string[]>;

  /**
   * In one transaction; answers those that are new. The same anchor and kind never comes twice to one person (rules 6, rule 2), a newer
   * invitation replaces the one before; over limits.noticesPerPersonMax the oldest of that person go.
   */
  addNotices(notices: readonly StoredNotice[]): Promise<readonly StoredNotice[]>;
  /** Over limits.noticesPerAppMax the oldest of that app go, then as with the others. */
  addAppNotice(notice: StoredAppNotice): Promise<void>;
  /** The newest first. */
  notices(usuario: string): Promise<readonly NoticeRow[]>;
  unread(usuario: string): Promise<number>;
  /** Null: all of the person. Answers how many were unread. */
  markRead(usuario: string, id: string | null): Promise<number>;
  dropNotices(usuario: string, id: string | null): Promise<number>;

  /** `full`: with it the room would hold more than `bytesMax`; `bytes` is what the room holds now. `known`: the type is the one given now. */
  putAttachment(
    row: StoredAttachment,
    bytesMax: number,
  ): Promise<{ readonly kind: 'new' | 'known' | 'full' | 'gone'; readonly bytes: number }>;
  attachment(sala: string, sha: string): Promise<StoredAttachment | null>;
  attachments(sala: string): Promise<readonly StoredAttachment[]>;
  attachmentBytes(sala: string): Promise<number>;
  /** In all rooms of that owner. */
  attachmentBytesOf(dona: string): Promise<number>;
  roomsWithAttachments(): Promise<readonly string[]>;
  /** They were seen in a document. */
  touchAttachments(sala: string, shas: readonly string[], atMs: number): Promise<void>;
  /** Only while it was not put again since `atMs`. */
  dropAttachment(sala: string, sha: string, atMs: number): Promise<boolean>;

  putPortalToken(token: StoredPortalToken): Promise<void>;
  portalToken(tokenHash: string): Promise<StoredPortalToken | null>;
  portalTokenOwners(): Promise<readonly { readonly usuario: string; readonly app: string }[]>;
  /** Ends all of a backend but those of that start; with null all. Answers the hashes of those that ended. */
  keepPortalTokens(usuario: string, app: string, startHash: string | null): Promise<readonly string[]>;
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Matches roomIdPattern; can't be guessed. */
export function newRoomId(): string {
  return `s${Array.from({ length: 21 }, () => digits[randomInt(digits.length)]).join('')}`;
}

export function newNoticeId(): string {
  return randomBytes(16).toString('base64url');
}
