/** The connection that `salas.entrar` gives to an app (rules 2.4): it exists at once, while its driver is still loading. */
import { podeEscrever, type Canal, type Papel } from '../../schema/rooms.ts';
import type { RoomReason, RoomState } from '../../machines/room-connection.ts';
import { defer } from './deferred.ts';
import type { Doc, Presence, PresenceProtocol, Yjs } from './libraries.ts';

export interface EnterOptions {
  readonly Y: Yjs;
  readonly awarenessProtocol?: PresenceProtocol | undefined;
  /** Bound as it is; otherwise a new one is made. */
  readonly doc?: Doc | undefined;
  readonly canal?: Canal | undefined;
}

export interface Change {
  readonly estado: RoomState;
  readonly papel: Papel | null;
  /** With `fora`: the cause, when it is not the network. */
  readonly motivo: RoomReason | null;
}

export interface Connection {
  readonly doc: Doc;
  readonly presenca: Presence | undefined;
  readonly estado: RoomState;
  readonly motivo: RoomReason | null;
  readonly papel: Papel | null;
  readonly podeEscrever: boolean;
  /** Resolves when the portal has sent what the room held; rejects when that can't be any more. */
  readonly sincronizado: Promise<void>;
  aoMudar(callback: (change: Change) => void): () => void;
  /** Resolves when the copy in the browser is written. */
  sair(): Promise<void>;
}

export interface Handle {
  readonly conexao: Connection;
  readonly canal: Canal;
  readonly presenca: Presence | undefined;
  readonly left: boolean;
  change(change: Change): void;
  synced(): void;
  failed(error: Error): void;
  /** Called by sair(), at once if that was before. */
  onLeave(leave: () => Promise<void>): void;
}

const isDone: ReadonlySet<RoomState> = new Set(['sem-acesso', 'apagada', 'saiu']);

export function createHandle(options: EnterOptions, say: (error: unknown) => void): Handle {
  const canal = options.canal ?? 'documento';
  const doc = options.doc ?? new options.Y.Doc();
  const presenca = options.awarenessProtocol === undefined ? undefined : new options.awarenessProtocol.Awareness(doc);
  const listeners = new Set<(change: Change) => void>();
  const sincronizado = defer<void>();
  // A caller that doesn't wait for it gets no unhandled rejection.
  sincronizado.promise.catch(() => undefined);
  let now: Change = { estado: 'conectando', papel: null, motivo: null };
  let left: Promise<void> | null = null;
  let leave: (() => Promise<void>) | null = null;

  const change = (next: Change): void => {
    if (next.estado === now.estado && next.papel === now.papel && next.motivo === now.motivo) return;
    now = next;
    for (const listener of listeners) {
      try {
        listener({ ...now });
      } catch (error) {
        say(error);
      }
    }
    // After the listeners, so that a caller that waits for both gets the state first.
    if (isDone.has(next.estado)) sincronizado.reject(Object.assign(new Error(`sala: ${next.estado}`), { code: next.estado }));
  };
  const depart = async (): Promise<void> => {
    // Its own timer would go on, and in Node hold the process.
    presenca?.destroy();
    await leave?.();
    change({ estado: 'saiu', papel: now.papel, motivo: null });
    listeners.clear();
  };
  const conexao: Connection = {
    doc,
    presenca,
    get estado() {
      return now.estado;
    },
    get motivo() {
      return now.motivo;
    },
    get papel() {
      return now.papel;
    },
    get podeEscrever() {
      return now.papel !== null && podeEscrever(now.papel, canal);
    },
    sincronizado: sincronizado.promise,
    aoMudar: (callback) => {
      if (typeof callback !== 'function') throw new TypeError('aoMudar espera uma função');
      listeners.add(callback);
      return () => void listeners.delete(callback);
    },
    sair: () => (left ??= depart()),
  };
  return {
    conexao,
    canal,
    presenca,
    get left() {
      return left !== null;
    },
    change,
    synced: () => sincronizado.resolve(undefined),
    failed: (error) => sincronizado.reject(error),
    onLeave: (stop) => {
      leave = stop;
      if (left !== null) void stop();
    },
  };
}
