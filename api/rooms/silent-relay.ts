/** A portal without a relay: nobody sits in any room. */
import { SvcError } from '../../schema/errors.ts';
import type { Relay } from './contract.ts';

export const silentRelay: Relay = {
  join: (_req, socket) => void socket.destroy(),
  turnAway: (_req, socket) => void socket.destroy(),
  setRole: () => undefined,
  endSession: () => undefined,
  carried: () => [],
  changes: () => 0,
  deleteRoom: async () => undefined,
  sizeOf: async () => 0,
  // Not "none": whoever believed that would delete them all.
  attachmentsIn: async () => {
    throw new SvcError('NOT_FOUND', 'this portal has no relay');
  },
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
