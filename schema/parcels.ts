/**
 * The parcel of a restore for a running portal: a folder of the state folder with `parcel.json`, the documents and the attachments that it names.
 * Written by `svc restore --room` and `--person`, read by the portal. Decision: docs/decisions/0406-a-restore-is-built-beside.md
 */
import type { Canal, PapelConcedido } from './rooms.ts';

export interface ParcelRoom {
  /** As the backup knows it. */
  readonly id: string;
  readonly app: string;
  readonly nome: string;
  readonly dona: string;
  readonly createdAtMs: number;
  readonly people: readonly { readonly usuario: string; readonly papel: PapelConcedido }[];
  readonly groups: readonly { readonly grupo: string; readonly papel: PapelConcedido }[];
  /** Files with frames of updates (schema/room-frames.ts). */
  readonly documents: readonly { readonly canal: Canal; readonly file: string }[];
  readonly attachments: readonly { readonly sha: string; readonly tipo: string; readonly file: string }[];
}

export interface Parcel {
  readonly rooms: readonly ParcelRoom[];
  /** False: rooms that are still there under their id are left as they are. */
  readonly copies: boolean;
  readonly preferences: { readonly person: string; readonly body: string } | null;
  /** In rooms of others. */
  readonly roles: readonly { readonly sala: string; readonly usuario: string; readonly papel: PapelConcedido }[];
}

export interface ParcelAnswer {
  readonly rooms: readonly { readonly from: string; readonly id: string; readonly nome: string }[];
  /** Rooms that are still there. */
  readonly kept: readonly string[];
  readonly preferences: 'restored' | 'kept' | 'none';
  readonly roles: number;
}

export const parcelFile = 'parcel.json';
export const parcelName = /^restore\.parcel-[A-Za-z0-9]{6}$/;
