/**
 * The relay of rooms: takes over the sockets that the routes let in, and puts its parts together: receiving.ts (what comes), sending.ts (what
 * leaves), room.ts and tail.ts (what a room holds), journal.ts (to the disk), compaction.ts, presence.ts, heartbeat.ts. Contract: ../contract.ts.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Version } from '../../../store/history/spans.ts';
import type { RoomKey, RoomLog } from '../../../store/room-log.ts';
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { nothingFrame } from '../../../schema/room-frames.ts';
import type { Canal, Papel } from '../../../schema/rooms.ts';
import { noSuchVersion, type Relay, type Seat } from '../contract.ts';
import { type Compaction, createCompaction } from './compaction.ts';
import { createConnection, type Ending, mayWrite, sayEnd } from './connection.ts';
import type { Connection } from './room.ts';
import { createCostWatch, type CostWatch } from './cost.ts';
import { createBudget, type Budget, type RoomMemory, shortages } from './budget.ts';
import { createJournal, takenOf, type Journal } from './journal.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createLoopLoad } from './loop-load.ts';
import { leave } from './presence.ts';
import { askState, type Desk, dropHeld, receive, type Received, retryHeld, sendTable, tooCostly } from './receiving.ts';
import { createOpenRooms, type OpenRooms } from './open-rooms.ts';
import { revertRoom, tellWritten } from './reverting.ts';
import { rebaseRoom, type Room } from './room.ts';
import { createReclaim, type Reclaim } from './reclaim.ts';
import { createTurns } from './turns.ts';
import { send, sendTurn } from './sending.ts';

export interface RelayDeps {
  readonly log: RoomLog;
  readonly clock: Clock;
  readonly report: RelayReport;
  /** Bytes that the rooms of an owner hold on the disk. Without it only memory is counted. */
  readonly diskOf?: (dona: string) => Promise<number>;
  /** Days for which versions of documents are kept; undefined: limits.roomHistoryDaysDefault. */
  readonly historyDays?: () => number | undefined;
  /** Frees what is not used any more. */
  readonly collect?: () => void;
  /** Memory for open documents; that of limits.ts by default. */
  readonly memory?: RoomMemory;
  /** Spreads work that would fall together. */
  readonly random?: () => number;
}

/** For the log of the portal. Never content, and of people no more than the room. */
export interface RelayReport {
  loadFailed(sala: string, error: unknown): void;
  commitFailed(error: unknown): void;
  commitRecovered(): void;
  compactionFailed(sala: string, error: unknown): void;
  updatesDropped(sala: string, count: number): void;
  /** The portal ended before all was written. */
  lost(bytes: number): void;
}

/** The parts of one relay, which know of each other. */
interface Parts {
  readonly deps: RelayDeps;
  readonly figures: Received;
  readonly wss: WebSocketServer;
  readonly rooms: OpenRooms;
  readonly journal: Journal;
  readonly compaction: Compaction;
  readonly heartbeat: Heartbeat;
  readonly desk: Desk;
  readonly reclaim: Reclaim;
  readonly cost: CostWatch;
  closing: boolean;
}

export function createRelay(deps: RelayDeps): Relay {
  const parts = assemble(deps);
  const { rooms, journal, compaction, heartbeat, figures, desk, wss, reclaim } = parts;
  let changes = 0;
  const endRoom = (sala: string): void => {
    changes += 1;
    abandon(parts, sala, 'apagada');
  };
  return {
    join: (req, socket, head, seat, canal) => takeOver(wss, { req, socket, head }, (ws) => attach(parts, ws, { socket, seat, canal })),
    turnAway: (req, socket, head, why) =>
      takeOver(wss, { req, socket, head }, (ws) => {
        endOnError(ws);
        sayEnd(ws, why);
      }),
    changes: () => changes,
    setRole: (sala, usuario, papel) => {
      changes += 1;
      for (const { sockets } of rooms.of(sala)) {
        for (const connection of sockets) if (connection.seat.usuario === usuario) setRole(desk, connection, papel);
      }
    },
    endSession: (session) => {
      changes += 1;
      for (const { sockets } of rooms.byName.values()) {
        for (const connection of sockets) {
          const { seat } = connection;
          if (seat.session === session || seat.credential === session) desk.end(connection, 'tryAgain');
        }
      }
    },
    seated: () => {
      changes += 1;
      return [...rooms.byName.values()].flatMap(({ sockets }) =>
        [...sockets].map(({ seat: { sala, usuario, credential } }) => ({ sala, usuario, credential: credential ?? null })),
      );
    },
    carried: () =>
      [...rooms.byName.values()].flatMap(({ sockets }) =>
        [...sockets].flatMap(({ seat: { usuario, por, session } }) => (por === 'pagina' && session ? [{ person: usuario, session }] : [])),
      ),
    endRoom,
    deleteRoom: async (sala) => {
      endRoom(sala);
      await deps.log.deleteRoom(sala);
    },
    letGo: (salas) => letGoOf(parts, salas),
    sizeOf: (sala) => deps.log.sizeOf(sala),
    attachmentsIn: (sala) => deps.log.attachmentsIn(sala),
    history: historyOf(parts),
    figures: () => ({
      ...figures,
      sockets: [...rooms.byName.values()].reduce((sum, { sockets }) => sum + sockets.size, 0),
      rooms: rooms.byName.size,
      commitMsLast: journal.commitMsLast(),
      commitsFailing: !journal.healthy(),
    }),
    close: async () => {
      parts.closing = true;
      heartbeat.close();
      compaction.close();
      reclaim.close();
      for (const room of rooms.byName.values()) endAll(desk, room, 'tryAgain');
      if (!(await journal.drain(limits.roomCloseMsMax))) deps.report.lost(journal.pendingBytes());
      for (const room of rooms.byName.values()) rooms.forget(room);
      await emptied(wss, deps.clock);
      await parts.cost.close();
    },
  };
}

/** Versions that the site's rule keeps: a room that nobody writes in is not compacted, and its log still has the others. */
function historyOf({ deps, rooms, desk }: Parts): Relay['history'] {
  const { log, clock } = deps;
  const historyDays = daysOf(deps);
  const look = async (key: RoomKey): Promise<{ readonly kept: readonly Version[]; readonly over: readonly Version[] }> => {
    const days = historyDays();
    const oldestMs = clock.nowMs() - days * 24 * 60 * 60_000;
    const all = await log.versions(key);
    const isKept = ({ seq, untilMs, name }: Version): boolean =>
      seq === all.at(-1)?.seq || (days > 0 && (name !== null || untilMs === 0 || untilMs > oldestMs));
    return { kept: all.filter(isKept), over: all.filter((version) => !isKept(version)) };
  };
  const isOver = async (key: RoomKey, seq: number): Promise<boolean> => (await look(key)).over.some((version) => version.seq === seq);
  return {
    versions: async (key) => (await look(key)).kept,
    version: async (key, seq, form) => ((await isOver(key, seq)) ? null : await log.version(key, seq, form)),
    name: async (key, seq, name) => ((await isOver(key, seq)) ? 'gone' : await log.nameVersion(key, seq, name)),
    revert: async (asked) => {
      if (await isOver(asked.key, asked.seq)) throw noSuchVersion(asked.seq);
      await revertRoom({ rooms, desk, log, clock }, asked);
    },
  };
}

const daysOf =
  ({ historyDays }: Pick<RelayDeps, 'historyDays'>) =>
  (): number =>
    historyDays?.() ?? limits.roomHistoryDaysDefault;

/** Both documents of a room, with what is not written of them. */
function abandon(
  { rooms, journal, compaction, desk }: Pick<Parts, 'rooms' | 'journal' | 'compaction' | 'desk'>,
  sala: string,
  ending: Ending,
): void {
  for (const room of rooms.of(sala)) {
    rooms.forget(room);
    journal.forget(room);
    compaction.forget(room);
    endAll(desk, room, ending);
  }
}

function letGoOf(parts: Parameters<typeof abandon>[0], salas: Iterable<string>): void {
  for (const sala of salas) abandon(parts, sala, 'tryAgain');
}

/** Sockets that answer the close go by themselves, the others after a moment. */
async function emptied(wss: WebSocketServer, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.at(clock.monotonicMs() + limits.roomGoodbyeMs, resolve);
  for (const ws of wss.clients) ws.once('close', () => wss.clients.size === 0 && resolve());
  if (wss.clients.size > 0) await promise;
  cancel();
  for (const ws of wss.clients) ws.terminate();
  wss.close();
}

function createSockets(): WebSocketServer {
  // No compression: of a typed letter it saves a few bytes and costs a third of all other work, and its memory is never given back.
  const wss = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: sharedLimits.roomFrameBytesMax,
  });
  // The types lack them: who does not answer a close is let go after so long, and a message has so many parts (over it: 1008).
  Object.assign(wss.options, { closeTimeout: limits.roomCloseMsMax, maxFragments: limits.roomFrameFragmentsMax });
  return wss;
}

function assemble(deps: RelayDeps): Parts {
  const { log, clock, report } = deps;
  const figures: Received = { framesIn: 0, framesOut: 0, bytesIn: 0, bytesOut: 0, discarded: 0, slowReadersDropped: 0 };
  const wss = createSockets();
  const nowMs = (): number => clock.monotonicMs();
  const cost = createCostWatch({ nowMs, end: (connection) => desk.end(connection, 'tooBig', tooCostly) });
  const giveWay = (room: Room): void => {
    endAll(desk, room, 'semEspaco', gaveWay);
    rooms.giveWay(room);
  };
  const budget = createBudget({ nowMs, diskOf: deps.diskOf ?? (async () => 0), close: giveWay, memory: deps.memory });
  const reclaim = createReclaim(clock, deps.collect ?? (() => undefined));
  const rooms = createOpenRooms({
    log,
    clock,
    budget,
    reclaim,
    onNoSpace: (room, why) => endAll(desk, room, 'semEspaco', shortages[why]),
    onOpen: (room) => {
      for (const connection of room.sockets) begin(desk, connection);
      compaction.consider(room);
    },
    onUnreadable: (room, error) => {
      if (takenOf(error).size > 0) return endAll(desk, room, 'tryAgain');
      report.loadFailed(room.key.sala, error);
      endAll(desk, room, 'unavailable');
    },
  });
  const letGo = (salas: Iterable<string>): void => letGoOf({ rooms, journal, compaction, desk }, salas);
  const journal = createJournal({
    log,
    clock,
    onDurable: (room) => {
      tellWritten(room);
      compaction.consider(room);
      rooms.lingerIfEmpty(room);
    },
    onTrouble: (error) => {
      report.commitFailed(error);
      // Their unsaved updates are not on the disk: clients keep them, and come back with them.
      for (const room of rooms.byName.values()) endAll(desk, room, 'unavailable');
    },
    onRecovered: () => report.commitRecovered(),
    onTaken: letGo,
  });
  const compaction = createCompaction({
    log,
    clock,
    random: deps.random ?? Math.random,
    historyDays: daysOf(deps),
    onCompacted: ({ key, name }, made) => {
      if (made.dropped > 0) report.updatesDropped(key.sala, made.dropped);
      // The copy that came from the thread, whether or not it is still wanted.
      reclaim.freed(made.base.length);
      const room = rooms.byName.get(name);
      if (room?.state !== 'open') return;
      desk.sendNow(room);
      const before = room.countedBytes;
      rebaseRoom(room, made);
      budget.count(room, 0);
      reclaim.freed(before);
    },
    // A room that was left meanwhile, and perhaps opened again under another number, is not let go.
    onFailed: ({ key, state }, error) =>
      takenOf(error).size === 0 ? report.compactionFailed(key.sala, error) : letGo(state === 'gone' ? [] : [key.sala]),
  });
  const heartbeat = createHeartbeat(clock, (connection) => {
    send(connection, [nothingFrame], figures);
    if (connection.held.length > 0) askState(desk, connection);
  });
  const desk = createDesk({ clock, figures, rooms, journal, heartbeat, budget, cost });
  return { deps, figures, wss, rooms, journal, compaction, heartbeat, desk, reclaim, cost, closing: false };
}

type DeskParts = Pick<Parts, 'figures' | 'rooms' | 'journal' | 'heartbeat'> & {
  readonly clock: Clock;
  readonly budget: Budget;
  readonly cost: CostWatch;
};

function createDesk({ clock, figures, rooms, journal, heartbeat, budget, cost }: DeskParts): Desk {
  const sendRoom = (room: Room, withPresence: boolean): void => {
    if (room.state === 'gone') return;
    if (room.holders.size > 0) retryHeld(desk, room);
    sendTurn(room, figures, withPresence, (by) => desk.end(by, 'malformed'));
  };
  const turns = createTurns({ clock, busy: createLoopLoad() }, { send: sendRoom, sendTable: (connection) => sendTable(desk, connection) });
  const desk: Desk = {
    figures,
    nowMs: () => clock.monotonicMs(),
    sendNow: (room) => sendRoom(room, false),
    sendSoon: (room) => turns.soon(room),
    presenceSoon: (room) => turns.presenceSoon(room),
    tableSoon: (connection) => turns.tableSoon(connection),
    note: (room, bytes) => {
      room.changedAtMs = clock.monotonicMs();
      journal.note(room, bytes);
    },
    pendingBytes: () => journal.pendingBytes(),
    budget,
    cost,
    leave: (connection) => {
      const { room } = connection;
      if (!room.sockets.delete(connection)) return;
      connection.gone = true;
      heartbeat.remove(connection);
      dropHeld(desk, connection);
      if (leave(room.presence, connection)) turns.presenceSoon(room);
      rooms.lingerIfEmpty(room);
    },
    end: (connection, ending, why) => {
      desk.leave(connection);
      sayEnd(connection.ws, ending, why);
    },
  };
  return desk;
}

interface Arrival {
  readonly socket: Duplex;
  readonly seat: Seat;
  readonly canal: Canal;
}

function attach(
  { deps: { clock }, rooms, journal, heartbeat, desk, closing }: Parts,
  ws: WebSocket,
  { socket, seat, canal }: Arrival,
): void {
  endOnError(ws);
  if (closing) return sayEnd(ws, 'tryAgain');
  if (!journal.healthy()) return sayEnd(ws, 'unavailable');
  const room = rooms.enter({ sala: seat.sala, canal }, { app: seat.app, dona: seat.dona ?? '' });
  if (room.state === 'leaving') return sayEnd(ws, 'semEspaco', gaveWay);
  if (room.sockets.size >= limits.roomSocketsMax || isCrowd(room, seat.usuario)) return sayEnd(ws, 'tryAgain');
  const connection = createConnection({ ws, socket, seat, canal, room, beat: heartbeat.slot(), nowMs: clock.monotonicMs() });
  room.cancelLinger();
  room.sockets.add(connection);
  heartbeat.add(connection);
  ws.on('message', (message: Buffer, isBinary) => receive(desk, connection, message, isBinary));
  ws.on('pong', () => {
    connection.heard = true;
  });
  ws.on('close', () => desk.leave(connection));
  // Nothing is read before the room is there: what a stranger sends waits in the kernel.
  if (room.state === 'open') desk.tableSoon(connection);
  else ws.pause();
}

/** An account that opens sockets without end would take the places of everybody else. */
function isCrowd({ sockets }: Room, usuario: string): boolean {
  if (sockets.size < limits.roomSocketsPerPersonMax) return false;
  let own = 0;
  for (const { seat } of sockets) if (seat.usuario === usuario) own += 1;
  return own >= limits.roomSocketsPerPersonMax;
}

function begin(desk: Desk, connection: Connection): void {
  connection.ws.resume();
  desk.tableSoon(connection);
}

function setRole(desk: Desk, connection: Connection, papel: Papel | null): void {
  if (papel === null) return desk.end(connection, 'semAcesso');
  const could = mayWrite(connection);
  connection.papel = papel;
  if (!mayWrite(connection)) dropHeld(desk, connection);
  // After write access returns, asks the client for the edits it made meanwhile.
  else if (!could && connection.live) askState(desk, connection);
}

function endAll(desk: Desk, room: Room, ending: Ending, why?: string): void {
  for (const connection of room.sockets) desk.end(connection, ending, why);
}

const gaveWay = `who holds most gives way to who holds less: all open rooms hold at most ${limits.roomMemoryBytesMax} bytes`;

/**
 * A frame that is none has been answered with its close code by the ws library, which reads on until the client has received it: if cut at once,
 * unread bytes would reset the line, and the code would be lost on the way.
 */
function endOnError(ws: WebSocket): void {
  ws.on('error', () => {
    if (ws.readyState === ws.OPEN) ws.terminate();
  });
}

interface Upgrade {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function takeOver(wss: WebSocketServer, { req, socket, head }: Upgrade, then: (ws: WebSocket) => void): void {
  try {
    wss.handleUpgrade(req, socket, head, then);
  } catch {
    socket.destroy();
  }
}
