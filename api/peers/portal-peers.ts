/** The portal's relation to the others of its store: it takes the sockets that they carry to it, and carries theirs to them. */
import type { Logger } from 'pino';
import type { EntranceDeps, RoomEntrance } from '../rooms/entrance.ts';
import type { HistoryDeps } from '../rooms/history.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { carriedUpgrades, carryUpgrade } from './carry.ts';
import type { OtherRecords } from '../audit/site-record.ts';
import { answerPeers, askPeer, type AnswerRecord } from './record-lines.ts';
import { createLivingLines } from './living-lines.ts';
import { listenForPeers } from './peer-lines.ts';
import { answerRevert, askRevert, type Revert, roomPath } from './room-lines.ts';

export interface PeerOptions {
  /** Id of this one among them. */
  readonly portal: string;
  /** host:port of this one, as the others know it. */
  readonly address: string;
  /** The key by which portals recognize each other. */
  readonly key: string;
  /** Where they reach this one. */
  readonly listenHost: string;
  readonly listenPort: number;
  /** host:port of the portal that has the room; null: this one, from now on. */
  readonly elsewhere: (sala: string) => Promise<string | null>;
  /** host:port of the portals that live. Rejects when that is not known. */
  readonly living: () => Promise<ReadonlySet<string>>;
  /** host:port of those that were there within the time that lines of the audit record are kept, this one among them. */
  readonly recorded: () => Promise<readonly string[]>;
}

export interface PeerLines {
  /** Rejects ADDRESS_IN_USE, and BAD_REQUEST for what is no address of this machine. */
  listen(): Promise<void>;
  /** Takes no more lines; those that are there end with what they carry. */
  close(): void;
}

/** Answers to the other portals; undefined while there are none. */
export interface PeerAnswers {
  readonly record: () => AnswerRecord | undefined;
  readonly revert: () => Revert | undefined;
}

export function peerLines(peers: PeerOptions | undefined, take: RoomEntrance, { record, revert }: PeerAnswers): PeerLines {
  if (peers === undefined) return { listen: async () => undefined, close: () => undefined };
  const { key, listenHost, listenPort } = peers;
  const records = answerPeers(record);
  const server = listenForPeers(
    key,
    carriedUpgrades(take, async (req, res) => await (req.url === roomPath ? answerRevert(revert(), req, res) : records(req, res))),
  );
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        const refuse = (cause: NodeJS.ErrnoException): void => {
          const code = cause.code === 'EADDRINUSE' ? 'ADDRESS_IN_USE' : 'BAD_REQUEST';
          const why = cause.code === 'EADDRNOTAVAIL' ? 'it is no address of this machine' : cause.message;
          reject(new SvcError(code, `--join: the portal can't listen for others on ${listenHost}:${listenPort}: ${why}`, {}, { cause }));
        };
        server.once('error', refuse);
        server.listen(listenPort, listenHost, () => {
          server.off('error', refuse);
          resolve();
        });
      }),
    close: () => void server.close(),
  };
}

/** For the audit record; null: there are no others. A portal whose answers can't be read is logged once, until it answers again. */
export function otherRecords(peers: PeerOptions | undefined, log: Pick<Logger, 'warn'>): OtherRecords | null {
  if (peers === undefined) return null;
  const { key, recorded, address: own } = peers;
  const unreadable = new Set<string>();
  const ask: OtherRecords['ask'] = async (address, question) => {
    try {
      const answer = await askPeer(address, key, question);
      unreadable.delete(address);
      return answer;
    } catch (error) {
      if (error instanceof SvcError && error.code === 'PORTAL_PROTOCOL' && !unreadable.has(address)) {
        unreadable.add(address);
        log.warn({ err: error, peer: address }, 'the audit record of another portal is left out');
      }
      throw error;
    }
  };
  return { own, all: recorded, ask };
}

/** For the entrance of rooms. */
export function elsewhereOf(peers: PeerOptions | undefined, clock: Clock): Pick<EntranceDeps, 'elsewhere'> {
  if (peers === undefined) return {};
  const { key, elsewhere, living } = peers;
  const lines = createLivingLines(clock, living);
  return {
    elsewhere: async (sala) => {
      const address = await elsewhere(sala);
      return address === null ? null : (req, socket, head) => carryUpgrade({ address, key, lines }, req, socket, head);
    },
  };
}

/** For what a room's own portal has to do; undefined: there are no others. */
export function revertElsewhere(peers: PeerOptions | undefined): HistoryDeps['elsewhere'] {
  if (peers === undefined) return undefined;
  const { key, elsewhere } = peers;
  return async (sala) => {
    const address = await elsewhere(sala);
    return address === null ? null : (asked) => askRevert(address, key, asked);
  };
}
