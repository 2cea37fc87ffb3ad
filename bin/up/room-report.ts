/** What the relay of rooms tells whoever runs the portal: lines in the log, and the row `rooms` of `svc doctor`. */
import type { Logger } from 'pino';
import type { Relay } from '../../api/rooms/contract.ts';
import type { RelayReport } from '../../api/rooms/relay/relay.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';

export function relayReport(log: Logger): RelayReport {
  return {
    loadFailed: (sala, err) => log.error({ sala, err }, 'a room can not be read: nobody gets in until it can'),
    commitFailed: (err) => log.error({ err }, 'rooms can not be written: everybody was sent away and keeps what they wrote; tried again'),
    commitRecovered: () => log.info('rooms can be written again'),
    compactionFailed: (sala, err) => log.error({ sala, err }, 'a room could not be compacted; it goes on as it is'),
    updatesDropped: (sala, count) => log.error({ sala, count }, 'updates of a room that no document takes were dropped'),
    lost: (bytes) => log.error({ bytes }, 'the portal ends with writes of rooms that did not reach the disk'),
  };
}

export async function roomsCheck(relay: Pick<Relay, 'figures'>): Promise<DoctorCheck> {
  const { rooms, sockets, commitsFailing } = relay.figures();
  const fix = 'look at the space and the faults of the disk that holds the state folder; the log of the portal has the cause';
  return {
    name: 'rooms',
    ok: !commitsFailing,
    warning: false,
    detail: commitsFailing ? 'rooms.db can not be written: nobody gets into any room' : `${rooms} documents open, ${sockets} sockets`,
    fix: commitsFailing ? fix : null,
  };
}
