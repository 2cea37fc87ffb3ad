/** Traffic between the app's document and presence and the portal, once a socket is open: y-protocols with the app's own yjs. */
import { limits } from '../../schema/limits.ts';
import { bringsStructs, readFrame, writeHave, writeMissing, writePresence, writeUpdate } from './frames.ts';
import type { Handle } from './handle.ts';
import { workWith } from './own-yjs.ts';
import { partsOf } from './parts.ts';
import type { PresenceChange, PresenceProtocol, Yjs } from './libraries.ts';

/** Writer of the local copy of a room, for the time without a network. */
export interface CopyWriter {
  append(update: Uint8Array): void;
  /** Removes all appended updates; later ones are kept. */
  clear(): void;
}

export interface Link {
  readonly Y: Yjs;
  readonly awarenessProtocol?: PresenceProtocol | undefined;
  readonly copy: CopyWriter | null;
  /** Contents of the copy at the start. */
  readonly kept: Uint8Array | null;
  /** Dropped while no socket is open. */
  readonly send: (frame: Uint8Array<ArrayBuffer>) => void;
  /** As far as is known; the portal decides. */
  readonly mayWrite: () => boolean;
  /** True after the connection ended for good: later edits are on this page only. Source: rules 3.4. */
  readonly isOver: () => boolean;
}

export interface Exchange {
  opened(): void;
  /** Asks for what is missing here: the one question that is always answered. */
  ask(): void;
  /** True when the portal has sent what the room held. */
  receive(bytes: Uint8Array): boolean;
  lost(): void;
  stop(): void;
}

/** Beside the update a frame holds its kind and length. */
const frameHeadBytes = 16;
const fitting = (update: Uint8Array): readonly Uint8Array[] => partsOf(update, limits.roomFrameBytesMax - frameHeadBytes);

export function startExchange({ conexao: { doc }, presenca }: Handle, link: Link): Exchange {
  const { Y, awarenessProtocol, copy, send } = link;
  workWith(Y, doc);
  /** Origins of what did not come from the app. */
  const portal = { sala: 'portal' };
  const stored = { sala: 'copia' };

  const onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin !== portal) for (const part of fitting(update)) send(writeUpdate(part));
    // Updates that the portal does not accept are not kept either: after a reload the page shows what the room holds.
    const kept = origin === portal || (link.mayWrite() && !link.isOver());
    if (kept && origin !== stored) copy?.append(update);
  };
  const sendPresence = (): void => {
    if (presenca === undefined || awarenessProtocol === undefined) return;
    send(writePresence(awarenessProtocol.encodeAwarenessUpdate(presenca, [presenca.clientID])));
  };
  const onPresence = ({ added, updated, removed }: PresenceChange, origin: unknown): void => {
    const own = presenca?.clientID;
    if (origin !== portal && [...added, ...updated, ...removed].some((client) => client === own)) sendPresence();
  };

  if (link.kept !== null) Y.applyUpdate(doc, link.kept, stored);
  doc.on('update', onUpdate);
  presenca?.on('update', onPresence);
  const ask = (): void => send(writeHave(doc));
  return {
    ask,
    opened: () => {
      ask();
      // Others saw this presence go with the same count: a higher one makes them take it again.
      const state = presenca?.getLocalState();
      if (state) presenca?.setLocalState(state);
    },
    receive: (bytes) => {
      const frame = readFrame(bytes);
      if (frame === null) return false;
      if (frame.kind === 'have') {
        const missing = Y.encodeStateAsUpdate(doc, frame.stateVector);
        // A role that may not write: what is here and not there stays on this page, and goes with it.
        if (!link.mayWrite() && bringsStructs(missing)) copy?.clear();
        const parts = fitting(missing);
        // The last one is the answer: with it the portal has everything.
        parts.forEach((part, n) => send(n === parts.length - 1 ? writeMissing(part) : writeUpdate(part)));
      } else if (frame.kind === 'presence') {
        if (presenca !== undefined) awarenessProtocol?.applyAwarenessUpdate(presenca, frame.update, portal);
      } else if (frame.kind === 'ask-presence') sendPresence();
      else frame.applyTo(doc, portal);
      return frame.kind === 'missing';
    },
    lost: () => {
      if (presenca === undefined || awarenessProtocol === undefined) return;
      const others = [...presenca.getStates().keys()].filter((client) => client !== presenca.clientID);
      awarenessProtocol.removeAwarenessStates(presenca, others, portal);
    },
    stop: () => {
      doc.off('update', onUpdate);
      presenca?.off('update', onPresence);
    },
  };
}
