/** People who write in rooms: a page keeps what it wrote, comes again by itself, and says what the room does not have. */
import { portalsOf, type Portal, type Simulation } from './simulation.ts';

export interface Client {
  readonly name: string;
  readonly sala: string;
  readonly edits: Set<string>;
  readonly unacknowledged: Set<string>;
  socket: Socket | null;
  written: number;
  heardAtMs: number;
}

export interface Socket {
  readonly client: Client;
  /** The portal where it came in. */
  readonly door: Portal;
  /** The portal that has the room. */
  at: Portal | null;
  isOpen: boolean;
  /** In order; late by a little. */
  toClient(act: (client: Client) => void): void;
  send(edits: readonly string[]): void;
  end(): void;
}

/** A page whose edit gets no answer for so long comes again. */
const silentMs = 6_000;

export function createClients(simulation: Simulation, count: number, rooms: number): readonly Client[] {
  const clients: Client[] = [];
  for (let n = 0; n < count; n += 1) {
    const client: Client = {
      name: `c${n}`,
      sala: `s${String(n % rooms).padStart(21, '0')}`,
      edits: new Set(),
      unacknowledged: new Set(),
      socket: null,
      written: 0,
      heardAtMs: 0,
    };
    clients.push(client);
    comeAgain(simulation, client);
    watch(simulation, client);
  }
  return clients;
}

export function keepWriting(simulation: Simulation, client: Client, mood: { readonly calm: boolean }): void {
  const { world, tally } = simulation;
  world.clock.at(world.clock.monotonicMs() + world.random.int(200, 3_000), () => {
    if (!mood.calm) {
      client.written += 1;
      tally.edits += 1;
      const edit = `${client.name}-${client.written}`;
      client.edits.add(edit);
      client.unacknowledged.add(edit);
      if (client.socket?.isOpen === true) client.socket.send([edit]);
    }
    keepWriting(simulation, client, mood);
  });
}

function watch(simulation: Simulation, client: Client): void {
  const { clock } = simulation.world;
  clock.at(clock.monotonicMs() + 1_000, () => {
    const isSilent = clock.monotonicMs() - client.heardAtMs > silentMs;
    if (client.socket !== null && isSilent && (client.unacknowledged.size > 0 || !client.socket.isOpen)) client.socket.end();
    watch(simulation, client);
  });
}

function comeAgain(simulation: Simulation, client: Client): void {
  const { world } = simulation;
  world.clock.at(world.clock.monotonicMs() + world.random.int(50, 1_000), () => enter(simulation, client));
}

function enter(simulation: Simulation, client: Client): void {
  const { world } = simulation;
  const { clock, random } = world;
  const portals = portalsOf(simulation);
  if (portals.length === 0) return comeAgain(simulation, client);
  const door = random.pick(portals);
  let lastOutMs = 0;
  let lastInMs = 0;
  let isOver = false;
  const socket: Socket = {
    client,
    door,
    at: null,
    isOpen: false,
    toClient: (act) => {
      lastInMs = Math.max(lastInMs, clock.monotonicMs() + random.int(1, 30));
      clock.at(lastInMs, () => {
        if (isOver || door.clock.state() === 'ended') return;
        client.heardAtMs = clock.monotonicMs();
        act(client);
      });
    },
    send: (edits) => {
      if (edits.length === 0) return;
      lastOutMs = Math.max(lastOutMs, clock.monotonicMs() + random.int(1, 30));
      // Through the portal where it came in to the one that has the room.
      clock.at(lastOutMs, () => door.clock.gate(() => socket.at?.clock.gate(() => !isOver && socket.at?.relay?.receive(socket, edits))));
    },
    end: () => {
      if (isOver) return;
      isOver = true;
      socket.isOpen = false;
      clock.at(clock.monotonicMs() + random.int(1, 50), () => {
        socket.at?.clock.gate(() => socket.at?.relay?.leave(socket));
        if (client.socket !== socket) return;
        client.socket = null;
        comeAgain(simulation, client);
      });
    },
  };
  client.socket = socket;
  client.heardAtMs = clock.monotonicMs();
  clock.at(clock.monotonicMs() + random.int(1, 20), () => door.clock.gate(() => void door.relay?.enter(socket, false)));
  if (door.relay === null) socket.end();
}
