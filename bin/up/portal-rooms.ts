/** Options of createPortal for rooms and for the queue's files, on an open state folder: the same for `svc up` and for the benchmark. */
import type { Logger } from 'pino';
import type { PortalOptions } from '../../api/portal.ts';
import type { Relay } from '../../api/rooms/contract.ts';
import { createRelay } from '../../api/rooms/relay/relay.ts';
import { collector } from '../../schema/garbage.ts';
import type { Clock } from '../../schema/clock.ts';
import { relayReport } from './room-report.ts';
import type { OpenState } from './state.ts';

export type PortalRooms = Pick<PortalOptions, 'attachments' | 'attachmentsTrouble' | 'jobFiles' | 'diskOf'> & { readonly relay: Relay };

export function portalRooms(
  { roomLog, attachments, attachmentsTrouble, jobFiles, diskOf, onRoomsTaken }: OpenState,
  { clock, log, historyDays }: { readonly clock: Clock; readonly log: Logger; readonly historyDays: () => number | undefined },
): PortalRooms {
  const report = relayReport(log, () => clock.monotonicMs());
  const relay = createRelay({
    log: roomLog.log,
    clock,
    report,
    diskOf,
    historyDays,
    collect: collector(),
  });
  onRoomsTaken((salas) => relay.letGo(salas));
  return { relay, attachments, attachmentsTrouble, jobFiles, diskOf };
}
