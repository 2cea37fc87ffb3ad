/**
 * The parts of the app's own yjs and y-protocols that a connection needs: their shapes, never a copy of them (two copies of yjs in a page
 * break it).
 */

export interface Doc {
  readonly clientID: number;
  on(event: 'update', listener: (update: Uint8Array, origin: unknown) => void): unknown;
  off(event: 'update', listener: (update: Uint8Array, origin: unknown) => void): unknown;
}

/** `import * as Y from 'yjs'`. */
export interface Yjs<D extends Doc = Doc> {
  readonly Doc: new () => D;
  applyUpdate(doc: D, update: Uint8Array, origin?: unknown): void;
  encodeStateAsUpdate(doc: D, stateVector?: Uint8Array): Uint8Array;
  encodeStateVector(doc: D): Uint8Array;
}

export interface PresenceChange {
  readonly added: readonly number[];
  readonly updated: readonly number[];
  readonly removed: readonly number[];
}

export interface Presence {
  readonly clientID: number;
  getStates(): Map<number, Record<string, unknown>>;
  getLocalState(): Record<string, unknown> | null;
  setLocalState(state: Record<string, unknown> | null): void;
  setLocalStateField(field: string, value: unknown): void;
  on(event: 'update', listener: (change: PresenceChange, origin: unknown) => void): unknown;
  off(event: 'update', listener: (change: PresenceChange, origin: unknown) => void): unknown;
  destroy(): void;
}

/** `import * as awarenessProtocol from 'y-protocols/awareness'`. */
export interface PresenceProtocol<D extends Doc = Doc> {
  readonly Awareness: new (doc: D) => Presence;
  encodeAwarenessUpdate(presence: Presence, clients: number[]): Uint8Array;
  applyAwarenessUpdate(presence: Presence, update: Uint8Array, origin: unknown): void;
  removeAwarenessStates(presence: Presence, clients: number[], origin: unknown): void;
}
