/** A room connection of a page: what `driveRoom` needs, from the bridge and the browser. Served as `_sdk/salas.js`, loaded by rooms.ts. */
import { corDe, type Papel } from '../../schema/rooms.ts';
import { driveRoom, type Copy, type Ticket, type RoomEnvironment } from '../rooms/drive.ts';
import type { EnterOptions, Handle } from '../rooms/handle.ts';
import type { Bridge } from './bridge.ts';
import { openCopy } from './local-copy.ts';

export interface PageOptions extends EnterOptions {
  readonly guardarLocal?: boolean | undefined;
}

/** Where the page is served, by the shell's message: the page never says so itself. */
export interface Place {
  readonly app: string;
  readonly usuario: string;
  readonly nome: string;
  readonly iniciais: string;
  /** `ws://host` or `wss://host`. */
  readonly portal: string;
}

export interface PageRoom extends PageOptions {
  readonly sala: string;
  readonly place: Place;
  readonly bridge: Bridge;
}

/** The room is entered without the copy when the browser takes longer to open it. */
const copyWaitMs = 3_000;

export async function enterFromPage(handle: Handle, room: PageRoom): Promise<void> {
  const copy = room.guardarLocal === false ? null : await takeCopy(handle, room);
  if (handle.left) return;
  const { place } = room;
  const environment: RoomEnvironment = {
    ticket: async () => await askTicket(room),
    openSocket: (caminho, bilhete) => {
      if (!caminho.startsWith('/')) throw new TypeError('caminho');
      return new WebSocket(`${place.portal}${caminho}?bilhete=${encodeURIComponent(bilhete)}`);
    },
    nowMs: () => performance.now(),
    random: Math.random,
    later: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    watchNetwork: (change) => watchNetwork(room, change),
    watchRole: (change) => watchRole(room, change),
    copy,
    user: { name: place.nome, iniciais: place.iniciais, color: corDe(place.usuario) },
  };
  driveRoom(handle, room, environment);
}

async function takeCopy(handle: Handle, { Y, place, sala }: PageRoom): Promise<Copy | null> {
  const say = (error: unknown): void => console.warn('svc.salas: o navegador não guarda uma cópia desta sala', error);
  const { usuario, app } = place;
  const opening = openCopy({ usuario, app, sala, canal: handle.canal }, Y, Date.now(), say);
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`sem resposta em ${copyWaitMs} ms`)), copyWaitMs);
  });
  return await Promise.race([opening, late]).catch((error: unknown) => {
    say(error);
    return null;
  });
}

async function askTicket({ bridge, sala, place }: PageRoom): Promise<Ticket> {
  const ticket = (await bridge.ask('salas.bilhete', { sala })) as Ticket & { readonly usuario?: string };
  // Another person signed in to this desktop: nothing of this person is sent in their name.
  if (ticket.usuario !== undefined && ticket.usuario !== place.usuario) throw Object.assign(new Error('outra pessoa'), { status: 403 });
  return ticket;
}

function watchNetwork({ bridge }: PageRoom, change: (online: boolean) => void): () => void {
  const ended = new AbortController();
  const options = { signal: ended.signal };
  addEventListener('online', () => change(true), options);
  addEventListener('offline', () => change(false), options);
  addEventListener('focus', () => change(true), options);
  // Timers of a hidden page are slow: when it becomes visible it does not wait for them.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && change(true), options);
  const cancel = bridge.on('portal', ({ presente }: { readonly presente: boolean }) => change(presente));
  return () => {
    ended.abort();
    cancel();
  };
}

/** Reads the role again on `mudaram`, which carries nothing. Source: rules 6. */
function watchRole({ bridge, sala }: PageRoom, change: (papel: Papel) => void): () => void {
  let reading = false;
  let again = false;
  let stopped = false;
  const read = async (): Promise<void> => {
    again = reading;
    if (reading) return;
    reading = true;
    // Removal and deletion come as close codes; what fails here is seen by the next ticket.
    const room = (await bridge.ask('salas.ler', { sala }).catch(() => null)) as { readonly sala: { readonly papel: Papel } } | null;
    reading = false;
    if (stopped) return;
    if (room !== null) change(room.sala.papel);
    if (again) await read();
  };
  const cancel = bridge.on('mudaram', () => void read());
  return () => {
    stopped = true;
    cancel();
  };
}
