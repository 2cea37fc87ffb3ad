/**
 * The rooms of one portal: documents are sets of edits here, and the log and its owners are the product's (store/postgres-room-log.ts,
 * room-owners.ts). Written edits are acknowledged; a room that another portal took is let go of, and its sockets come again.
 */
import { updateFrameBytes, updatesIn, writeUpdateFrame } from '../../../schema/room-frames.ts';
import type { RoomLog } from '../../../store/room-log.ts';
import type { RoomOwners } from '../../../store/room-owners.ts';
import { violate } from '../world.ts';
import { isCode } from './codes.ts';
import type { Client, Socket } from './clients.ts';
import { portalsOf, tell, type Portal, type Simulation } from './simulation.ts';

interface OpenRoom {
  readonly sala: string;
  seq: number;
  readonly edits: Set<string>;
  pending: { readonly edit: string; readonly socket: Socket }[];
  readonly sockets: Set<Socket>;
}

export interface Relay {
  readonly owners: RoomOwners;
  /** `isCarried`: from another portal, and not carried on. */
  enter(socket: Socket, isCarried: boolean): Promise<void>;
  receive(socket: Socket, edits: readonly string[]): void;
  leave(socket: Socket): void;
  /** It was over, and is a member again. */
  lapsed(): Promise<void>;
  /** Everything goes to the others. */
  drain(): Promise<void>;
}

const canal = 'documento';
const writeMs = 20;

// oxlint-disable-next-line max-lines-per-function -- closures over the rooms of one portal
export function createRelay(simulation: Simulation, portal: Portal, { owners, log }: { owners: RoomOwners; log: RoomLog }): Relay {
  const { clock } = portal;
  const { world, tally, acknowledged } = simulation;
  const rooms = new Map<string, OpenRoom>();
  const opening = new Map<string, Promise<OpenRoom | Awaited<ReturnType<RoomOwners['take']>>>>();
  /** A single group at a time. */
  let writing: Promise<void> | null = null;
  let isOver = false;

  const close = (room: OpenRoom): void => {
    if (rooms.get(room.sala) === room) rooms.delete(room.sala);
    for (const socket of room.sockets) socket.end();
    room.sockets.clear();
    room.pending = [];
  };
  const open = async (sala: string): Promise<OpenRoom | Awaited<ReturnType<RoomOwners['take']>>> => {
    const taken = await owners.take(sala);
    if (taken.kind !== 'ours') return taken;
    const before = new Set(acknowledged.get(sala));
    const { tail, seq } = await log.load({ sala, canal });
    const edits = new Set(updatesIn(tail).flatMap((update) => Buffer.from(update).toString().split(' ')));
    const missing = [...before].filter((edit) => !edits.has(edit));
    if (missing.length > 0) violate(world, `${sala}: ${missing.length} acknowledged edits are not in the log (${missing[0]})`);
    // Edits in the log count as acknowledged, whether or not the portal that wrote them came to say so.
    acknowledged.set(sala, new Set([...before, ...edits]));
    const room: OpenRoom = { sala, seq, edits, pending: [], sockets: new Set() };
    rooms.set(sala, room);
    return room;
  };
  const write = async (): Promise<void> => {
    const group = [...rooms.values()].flatMap((room) => (room.pending.length === 0 ? [] : [{ room, pending: room.pending }]));
    for (const { room } of group) room.pending = [];
    const rows = group.map(({ room, pending }) => ({
      sala: room.sala,
      canal,
      seq: room.seq + 1,
      frames: framed(pending.map(({ edit }) => edit).join(' ')),
    }));
    try {
      await log.append(rows as Parameters<RoomLog['append']>[0]);
      for (const { room, pending } of group) {
        room.seq += 1;
        const known = acknowledged.get(room.sala) ?? new Set();
        acknowledged.set(room.sala, known);
        for (const { edit, socket } of pending) {
          known.add(edit);
          tally.acknowledged += 1;
          socket.toClient((client) => client.unacknowledged.delete(edit));
        }
      }
    } catch (error) {
      const salas = isCode(error, 'ROOM_ELSEWHERE') ? (error.details as { readonly salas: readonly string[] }).salas : null;
      if (error instanceof Error && error.message.includes('other bytes'))
        violate(world, `${portal.name}: two portals wrote: ${error.message}`);
      if (salas !== null) {
        tally.refusedAppends += 1;
        tell(simulation, `${portal.name}: append refused, ${salas.join(', ')} elsewhere`);
      }
      for (const { room, pending } of group)
        if (salas === null || salas.includes(room.sala)) close(room);
        else room.pending = [...pending, ...room.pending];
    }
  };
  const arm = (): Promise<void> => {
    writing ??= (async () => {
      await new Promise<void>((resolve) => clock.at(clock.monotonicMs() + writeMs, resolve));
      while ([...rooms.values()].some(({ pending }) => pending.length > 0)) await write();
      writing = null;
    })();
    return writing;
  };
  const receive = (socket: Socket, edits: readonly string[]): void => {
    const room = rooms.get(socket.client.sala);
    if (room === undefined || !room.sockets.has(socket)) return socket.end();
    const fresh = edits.filter((edit) => !room.edits.has(edit));
    for (const edit of fresh) {
      room.edits.add(edit);
      room.pending.push({ edit, socket });
    }
    if (fresh.length > 0) void arm();
    for (const other of room.sockets) if (other !== socket) other.toClient((client) => addAll(client, fresh));
  };
  return {
    owners,
    enter: async (socket, isCarried) => {
      const { sala } = socket.client;
      try {
        if (isOver) throw new Error('ends');
        let room = rooms.get(sala);
        if (room === undefined) {
          const asked = opening.get(sala) ?? open(sala).finally(() => opening.delete(sala));
          opening.set(sala, asked);
          const found = await asked;
          if ('kind' in found && found.kind === 'elsewhere' && !isCarried) return carry(simulation, socket, found.portal);
          if ('kind' in found) return socket.end();
          room = rooms.get(sala);
        }
        if (room === undefined || isOver) return socket.end();
        socket.at = portal;
        room.sockets.add(socket);
        const there = [...room.edits];
        socket.toClient((client) => {
          addAll(client, there);
          socket.isOpen = true;
          const known = new Set(there);
          // Edits in the room need no acknowledgement any more: a room that loses them ends its sockets.
          client.unacknowledged.clear();
          const missing = [...client.edits].filter((edit) => !known.has(edit));
          for (const edit of missing) client.unacknowledged.add(edit);
          socket.send(missing);
        });
      } catch {
        socket.end();
      }
    },
    receive,
    leave: (socket) => {
      const room = rooms.get(socket.client.sala);
      room?.sockets.delete(socket);
      if (room === undefined || room.sockets.size > 0 || room.pending.length > 0 || writing !== null || !world.random.chance(0.5)) return;
      rooms.delete(room.sala);
      void owners.release(room.sala).catch(() => undefined);
    },
    lapsed: async () => {
      const lost = await owners.lost().catch(() => []);
      for (const sala of lost) {
        const room = rooms.get(sala);
        if (room !== undefined) close(room);
      }
    },
    drain: async () => {
      isOver = true;
      await arm();
      for (const room of rooms.values()) close(room);
      await owners.releaseAll().catch(() => undefined);
    },
  };
}

function carry(simulation: Simulation, socket: Socket, id: string): void {
  const target = portalsOf(simulation).find(({ member }) => member?.id === id);
  if (target === undefined) return socket.end();
  simulation.world.clock.at(simulation.world.clock.monotonicMs() + simulation.world.random.int(1, 10), () =>
    target.clock.gate(() => void target.relay?.enter(socket, true)),
  );
}

function addAll(client: Client, edits: readonly string[]): void {
  for (const edit of edits) client.edits.add(edit);
}

function framed(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const frames = new Uint8Array(updateFrameBytes(bytes.length));
  writeUpdateFrame(frames, 0, bytes);
  return frames;
}
