/** Reports of the room relay to the operator: lines in the log, and the row `rooms` of `svc doctor`. */
import type { Logger } from 'pino';
import type { Relay } from '../../api/rooms/contract.ts';
import { collectionMemory, collectionValue } from '../../api/rooms/collection.ts';
import type { RelayReport } from '../../api/rooms/relay/relay.ts';
import { attachmentsMarkFile } from '../../store/attachments-mark.ts';
import type { MarkedRoomLog } from '../../store/room-log-mark.ts';
import type { Store } from '../../store/store.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits as roomLimits } from '../../api/rooms/limits.ts';
import { limits } from '../limits.ts';

/** Text of an error, without the place in the code when it is coded: a fault of a disk or a file is none of the portal's. */
const textOf = (error: unknown): string =>
  error instanceof SvcError ? error.message : String((error as Error | undefined)?.stack ?? error);

/** Clients reconnect every few seconds: the same refusal is logged again after an hour. */
function onceAnHour(nowMs: () => number): (what: string) => boolean {
  const loggedAtMs = new Map<string, number>();
  return (what) => {
    const now = nowMs();
    const before = loggedAtMs.get(what);
    if (before !== undefined && now - before < limits.roomTroubleLogMs) return false;
    loggedAtMs.delete(what);
    loggedAtMs.set(what, now);
    if (loggedAtMs.size > limits.roomTroublesMax) loggedAtMs.delete(loggedAtMs.keys().next().value!);
    return true;
  };
}

export function relayReport(log: Logger, nowMs: () => number): RelayReport {
  const isNews = onceAnHour(nowMs);
  return {
    loadFailed: (sala, error) => {
      const why = textOf(error);
      if (isNews(why)) log.error({ sala, why }, 'a room can not be read: it can not be entered until it can. Logged once an hour');
    },
    commitFailed: (error) =>
      log.error({ why: textOf(error) }, 'rooms can not be written: everybody was sent away and keeps what they wrote; tried again'),
    commitRecovered: () => log.info('rooms can be written again'),
    compactionFailed: (sala, error) => {
      const why = textOf(error);
      if (isNews(`${sala} ${why}`))
        log.error({ sala, why }, 'a room could not be compacted; it goes on as it is. The same is told once an hour');
    },
    updatesDropped: (sala, count) => log.error({ sala, count }, 'updates of a room that no document takes were dropped'),
    lost: (bytes) => log.error({ bytes }, 'the portal ends with writes of rooms that did not reach the disk'),
  };
}

/** In the state folder: created by the operator to accept that the documents of rooms are lost. */
export const acceptLoss = 'rooms.accept-loss';

/** Row `rooms` of doctor: faults found when the portal began, and commits that fail now. */
export async function roomsCheck(
  relay: Pick<Relay, 'figures'>,
  { trouble, unknownRooms, isFile }: Pick<MarkedRoomLog, 'trouble' | 'unknownRooms'> & { readonly isFile: boolean },
): Promise<DoctorCheck> {
  if (trouble !== null) {
    const fix = {
      pt:
        'encerre o portal, traga rooms.db (e rooms.db-wal, se houver) do backup desta pasta de estado e inicie-o; ou, se não ' +
        `há backup, aceite que todos os documentos comecem vazios: touch STATE/${acceptLoss}, inicie de novo`,
      en:
        'end the portal, put rooms.db (and rooms.db-wal, if there is one) back from the backup of this state folder and start it; or, if there ' +
        `is none, accept that all documents begin empty: touch STATE/${acceptLoss}, start it again`,
    };
    const detail = { pt: 'rooms.db não serve como está: ninguém entra em sala alguma', en: `${trouble}: no room can be entered` };
    return { name: 'rooms', ok: false, warning: false, detail, fix };
  }
  const { rooms, sockets, commitsFailing } = relay.figures();
  if (unknownRooms > 0 && !commitsFailing) {
    return {
      name: 'rooms',
      ok: true,
      warning: true,
      detail: {
        pt: `${unknownRooms} salas em rooms.db que o banco não conhece: ninguém as encontra; ficam guardadas`,
        en: `${unknownRooms} rooms in rooms.db that the store does not know: they are not listed, and kept`,
      },
      fix: {
        pt: 'se svc.db se perdeu ou veio de um backup mais velho, encerre o portal e traga o svc.db mais novo',
        en: 'if svc.db was lost or came from an older backup, end the portal and put the newest svc.db back',
      },
    };
  }
  const { fix, failing } = isFile ? ofFile : ofDatabase;
  return {
    name: 'rooms',
    ok: !commitsFailing,
    warning: false,
    detail: commitsFailing
      ? failing
      : { pt: `${rooms} documentos abertos, ${sockets} sockets`, en: `${rooms} documents open, ${sockets} sockets` },
    fix: commitsFailing ? fix : null,
  };
}

const ofFile = {
  failing: { pt: 'rooms.db não pode ser gravado: ninguém entra em sala alguma', en: 'rooms.db can not be written: no room can be entered' },
  fix: {
    pt: 'veja o espaço e as falhas do disco da pasta de estado; o registro do portal tem a causa',
    en: 'look at the space and the faults of the disk that holds the state folder; the log of the portal has the cause',
  },
};

const ofDatabase = {
  failing: {
    pt: 'o banco de dados não grava os documentos: ninguém entra em sala alguma',
    en: 'the database does not take the documents: no room can be entered',
  },
  fix: {
    pt: 'veja se o PostgreSQL responde e tem espaço; o registro do portal tem a causa',
    en: 'look whether PostgreSQL answers and has space; the log of the portal has the cause',
  },
};

/** `trouble`: why nothing is collected that the store does not know. Decision: docs/decisions/0140-nothing-goes-for-a-missing-row.md */
export async function attachmentsCheck(store: Pick<Store, 'value'>, trouble: string | null, nowMs: number): Promise<DoctorCheck> {
  const since = Object.values(collectionMemory(await store.value(collectionValue))?.unknown ?? {});
  const days = (ms: number): number => Math.ceil(ms / (24 * 60 * 60_000));
  const known = { name: 'attachments', ok: true, warning: false, fix: null };
  if (trouble !== null) {
    const kept = days(roomLimits.attachmentUnknownMs);
    const fix = {
      pt:
        'encerre o portal e traga svc.db do backup desta pasta de estado; ou, se não há backup, deixe este banco assumir a pasta: ' +
        `rm STATE/anexos/${attachmentsMarkFile} e inicie de novo; o que ele não conhece some depois de ${kept} dias`,
      en:
        'end the portal and put svc.db back from the backup of this state folder; or, if there is none, let this store take the folder over: ' +
        `rm STATE/anexos/${attachmentsMarkFile} and start it again; what it does not know then goes after ${kept} days`,
    };
    const detail = {
      pt: 'os anexos não são deste svc.db: nada do que ele não conhece é removido',
      en: `${trouble}: nothing that it does not know is removed`,
    };
    return { ...known, ok: false, detail, fix };
  }
  if (since.length === 0)
    return { ...known, detail: { pt: 'o banco conhece tudo o que está guardado', en: 'the store knows all that is kept' } };
  const leftMs = since.reduce((least, sinceMs) => Math.min(least, sinceMs + roomLimits.attachmentUnknownMs - nowMs), Infinity);
  const left = days(Math.max(0, leftMs));
  const detail = {
    pt: `${since.length} pastas ou arquivos em STATE/anexos que o banco não conhece; o primeiro some em ${left} dias`,
    en: `${since.length} folders or files in STATE/anexos that the store does not know; the first goes in ${left} days`,
  };
  return {
    ...known,
    warning: true,
    detail,
    fix: {
      pt: 'se svc.db veio de um backup mais velho, traga o mais novo antes disso; senão, não há nada a fazer',
      en: 'if svc.db came from an older backup, put the newer one back before that; else there is nothing to do',
    },
  };
}

export interface DatabaseServer {
  /** As the Portal document names it, without a password. */
  readonly name: string;
  /** Why it does not answer; null: it does. */
  readonly away: string | null;
}

/** Reports databases that were deleted, replaced or cut while in use. `server`: the database server, where there is one. */
export function databasesCheck(lost: readonly string[], server: DatabaseServer | null = null): DoctorCheck {
  if (server !== null && server.away !== null)
    return {
      name: 'databases',
      ok: false,
      warning: false,
      detail: { pt: `${server.name} não responde: ${server.away}`, en: `${server.name} does not answer: ${server.away}` },
      fix: {
        pt: 'ponha o servidor de pé; os portais continuam sozinhos quando ele responde',
        en: 'bring the server up; the portals go on by themselves when it answers',
      },
    };
  if (lost.length === 0)
    return {
      name: 'databases',
      ok: true,
      warning: false,
      detail:
        server === null
          ? { pt: 'svc.db e rooms.db estão onde foram abertos', en: 'svc.db and rooms.db are where they were opened' }
          : { pt: `tudo está em ${server.name}`, en: `all is in ${server.name}` },
      fix: null,
    };
  const fix = {
    pt: 'encerre o portal, traga o arquivo do backup desta pasta de estado e inicie-o. O que não está no disco se perde no fim',
    en: 'end the portal, put the file back from the backup of this state folder, and start it. What is not on the disk is lost at the end',
  };
  const detail = {
    pt: `${lost.length} banco(s) apagado(s), trocado(s) ou cortado(s) durante o uso: nada mais se grava neles`,
    en: `${lost.join('; ')}: it is written to no more`,
  };
  return { name: 'databases', ok: false, warning: false, detail, fix };
}
