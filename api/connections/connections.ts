/**
 * How many connections the portal holds, and for which client. Connections count for the address that they come from, for the account that
 * holds them if that is one of this machine, for the client that a trusted proxy names. Once the portal is half full no client gets more
 * than a share; when it is full, a new connection is accepted and the client with the most loses one that has no request under way. A
 * client that opens thousands of silent connections therefore blocks no other.
 * Decision: docs/decisions/0124-who-holds-connections.md
 */
import net from 'node:net';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import { clientAddress, networkOf, plainAddress, type TrustedProxies } from '../auth/client-address.ts';
import { createLine, placeOf, type Line, type Place } from './waiting-line.ts';
import { endOf, kernelConnectionOwners, type ConnectionOwners } from './connection-owners.ts';

export interface BoundOptions {
  readonly clock: Clock;
  readonly isTrusted: TrustedProxies;
  readonly connectionsMax?: number;
  readonly owners?: ConnectionOwners;
}

/** All connections of one address, account or client. */
interface Block {
  readonly key: string;
  /** Has a share: all but named proxies, and connections whose account is not known yet. */
  readonly isShared: boolean;
  open: number;
  /** Never said anything, the oldest first. */
  readonly silent: Line<Socket>;
  /** Were answered, and nothing is under way on them, for the longest time on the first. */
  readonly idle: Line<Socket>;
}

/** A connection. */
interface Kept {
  /** Null: it is counted no longer, or never was. */
  block: Block | null;
  /** Requests under way; null: it said none yet. */
  underWay: number | null;
  /** Its peer may name clients. */
  readonly isProxy: boolean;
  /** In a line of its block. */
  readonly place: Place<Socket>;
}

interface Held {
  readonly blocks: Map<string, Block>;
  /** The counted connections. */
  readonly counted: Map<Socket, Kept>;
  /** All, also when they are gone. */
  readonly kept: WeakMap<Socket, Kept>;
  readonly connectionsMax: number;
  readonly shareMax: number;
}

/** Connections from this machine whose account is not known yet. */
const unknownLocal = 'local';

export function boundConnections(server: Server, options: BoundOptions): void {
  const { connectionsMax = limits.portalConnectionsMax, isTrusted } = options;
  const shareMax = Math.ceil(connectionsMax * limits.portalConnectionsShareOfAddress);
  const held: Held = { blocks: new Map(), counted: new Map(), kept: new WeakMap(), connectionsMax, shareMax };
  const resolveOwners = createOwnerResolver(server, held, options);
  server.maxConnections = connectionsMax + limits.portalConnectionsSpare;
  server.on('connection', (socket: Socket) => {
    const isProxy = isTrusted(plainAddress(socket.remoteAddress ?? ''));
    held.kept.set(socket, { block: null, underWay: null, isProxy, place: placeOf(socket) });
    // The control socket: only the portal's own account opens it.
    if (socket.remoteAddress === undefined) return;
    const key = keyOf(socket, isTrusted);
    if (isOverShare(held, held.blocks.get(key)) || (held.counted.size >= connectionsMax && !makeRoom(held))) {
      socket.resetAndDestroy();
      return;
    }
    move(held, socket, key);
    socket.once('close', () => leave(held, socket));
    if (key === unknownLocal) resolveOwners();
  });
  const began = (req: IncomingMessage): void => {
    const { socket } = req;
    const kept = held.kept.get(socket);
    if (kept === undefined) return;
    setBusy(kept, 1);
    if (!kept.isProxy) return;
    const key = clientKey(req, isTrusted);
    if (kept.block === null || kept.block.key === key) return;
    if (isOverShare(held, held.blocks.get(key))) socket.resetAndDestroy();
    else move(held, socket, key);
  };
  server.on('request', (req, res) => {
    began(req);
    // The response forgets its connection before it says so.
    const kept = held.kept.get(req.socket);
    if (kept !== undefined) res.on('close', () => setBusy(kept, -1));
  });
  // A connection that switched to another protocol counts as under way until its end.
  server.on('upgrade', (req) => {
    // Behind a request that was not answered yet: the answer would end up within the other protocol. No browser and no proxy sends that.
    if ((held.kept.get(req.socket)?.underWay ?? 0) > 0) req.socket.destroy();
    else began(req);
  });
}

/** Finds the accounts behind connections from this machine once there are many: the lookup is expensive and rarely needed. */
function createOwnerResolver(server: Server, held: Held, { clock, owners = kernelConnectionOwners }: BoundOptions): () => void {
  let isReading = false;
  let notBeforeMs = -Infinity;
  const readOwners = async (): Promise<void> => {
    const beganMs = clock.monotonicMs();
    const address = server.address();
    const found = await owners(typeof address === 'object' && address !== null ? address.port : 0);
    notBeforeMs = clock.monotonicMs() + Math.max(limits.connectionOwnersPollMs, 4 * (clock.monotonicMs() - beganMs));
    const unknown = [...held.counted].filter(([, { block }]) => block?.key === unknownLocal);
    for (const [socket] of unknown) {
      const uid = found.get(endOf(plainAddress(socket.remoteAddress ?? ''), socket.remotePort ?? 0));
      if (uid !== undefined) move(held, socket, `account ${uid}`);
    }
    for (const block of held.blocks.values()) if (block.key.startsWith('account ')) trim(held, block);
  };
  const isDue = (): boolean => (held.blocks.get(unknownLocal)?.open ?? 0) >= held.shareMax;
  const resolve = (): void => {
    if (isReading || !isDue()) return;
    isReading = true;
    clock.at(Math.max(notBeforeMs, clock.monotonicMs()), () => {
      // A table that can't be read leaves them under one name.
      void readOwners()
        .catch(() => undefined)
        .finally(() => {
          isReading = false;
          resolve();
        });
    });
  };
  return resolve;
}

const isContested = (held: Held): boolean => held.counted.size >= held.connectionsMax / 2;

function isOverShare(held: Held, block: Block | undefined): boolean {
  return block !== undefined && block.isShared && isContested(held) && block.open >= held.shareMax;
}

/** Down to its share, as far as nothing is under way. */
function trim(held: Held, block: Block): void {
  for (const socket of [...block.silent.all(), ...block.idle.all()]) {
    if (block.open <= held.shareMax || !isContested(held)) return;
    drop(held, socket);
  }
}

/** Drops one connection: a silent one before an idle one, of the client with the most. False when all have a request under way. */
function makeRoom(held: Held): boolean {
  for (const which of ['silent', 'idle'] as const) {
    let most: Block | undefined;
    for (const block of held.blocks.values()) if (block[which].first() !== null && block.open > (most?.open ?? 0)) most = block;
    const oldest = most?.[which].first() ?? null;
    if (oldest === null) continue;
    drop(held, oldest);
    return true;
  }
  return false;
}

/** A reset leaves nothing behind in the kernel's tables, however often it is done. */
function drop(held: Held, socket: Socket): void {
  leave(held, socket);
  socket.resetAndDestroy();
}

function move(held: Held, socket: Socket, key: string): void {
  leave(held, socket);
  const block = held.blocks.get(key) ?? {
    key,
    isShared: key !== unknownLocal && key !== proxies,
    open: 0,
    silent: createLine(),
    idle: createLine(),
  };
  held.blocks.set(key, block);
  const kept = held.kept.get(socket)!;
  kept.block = block;
  held.counted.set(socket, kept);
  block.open += 1;
  if (kept.underWay === null) block.silent.join(kept.place);
  else if (kept.underWay === 0) block.idle.join(kept.place);
}

function leave(held: Held, socket: Socket): void {
  const kept = held.counted.get(socket);
  if (kept === undefined || kept.block === null) return;
  const { block } = kept;
  held.counted.delete(socket);
  leaveLine(kept);
  kept.block = null;
  block.open -= 1;
  if (block.open === 0) held.blocks.delete(block.key);
}

function setBusy(kept: Kept, change: 1 | -1): void {
  const now = (kept.underWay ?? 0) + change;
  if (now > 0) leaveLine(kept);
  kept.underWay = now;
  if (now === 0) kept.block?.idle.join(kept.place);
}

/** A connection is in one line at most; its last action shows which. */
function leaveLine({ block, underWay, place }: Kept): void {
  if (underWay === null) block?.silent.quit(place);
  else block?.idle.quit(place);
}

/** Connections of named proxies that named no client yet. */
const proxies = 'proxies';

function keyOf(socket: Socket, isTrusted: TrustedProxies): string {
  const remote = plainAddress(socket.remoteAddress ?? '');
  if (isOfThisMachine(remote, plainAddress(socket.localAddress ?? ''))) return unknownLocal;
  return isTrusted(remote) ? proxies : addressBlock(remote);
}

const clientKey = (req: IncomingMessage, isTrusted: TrustedProxies): string => `client ${networkOf(clientAddress(req, isTrusted))}`;

/** A client that connects from the same address is on this machine; so is the whole of 127.0.0.0/8. */
function isOfThisMachine(remote: string, local: string): boolean {
  return remote === local || remote === '::1' || remote.startsWith('127.');
}

/** The part of an address that counts as one client: IPv4 whole, of IPv6 the network of 64 bits that a household gets. */
export function addressBlock(address: string): string {
  const [plain = ''] = plainAddress(address).split('%', 1);
  return net.isIPv6(plain) ? networkOf(plain) : plain;
}
