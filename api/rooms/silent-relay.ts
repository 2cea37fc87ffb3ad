/** A portal without a relay: every room is empty. */
import { SvcError } from '../../schema/errors.ts';
import type { Relay } from './contract.ts';

export const silentRelay: Relay = {
  join: (_req, socket) => void socket.destroy(),
  turnAway: (_req, socket) => void socket.destroy(),
  setRole: () => undefined,
  endSession: () => undefined,
  seated: () => [],
  carried: () => [],
  changes: () => 0,
  endRoom: () => undefined,
  deleteRoom: async () => undefined,
  letGo: () => undefined,
  sizeOf: async () => 0,
  // Not "none": the collection would then delete them all.
  attachmentsIn: async () => {
    throw new SvcError('NOT_FOUND', 'this portal has no relay');
  },
  history: { versions: async () => [], version: async () => null, name: async () => 'gone', revert: async () => undefined },
  figures: () => ({
    sockets: 0,
    rooms: 0,
    framesIn: 0,
    framesOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    discarded: 0,
    slowReadersDropped: 0,
    commitMsLast: 0,
    commitsFailing: false,
  }),
  close: async () => undefined,
};
