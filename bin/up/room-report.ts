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

/** In the state folder: made by whoever accepts that the documents of rooms are lost. */
export const acceptLoss = 'rooms.accept-loss';

/** `trouble`: what was wrong with the file when the portal began. */
export async function roomsCheck(relay: Pick<Relay, 'figures'>, trouble: string | null): Promise<DoctorCheck> {
  if (trouble !== null) {
    const fix =
      'end the portal, put rooms.db (and rooms.db-wal, if there is one) back from the backup of this state folder and start it; or, if there ' +
      `is none, accept that all documents begin empty: touch STATE/${acceptLoss}, start it again`;
    return { name: 'rooms', ok: false, warning: false, detail: `${trouble}: nobody gets into any room`, fix };
  }
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
