/**
 * WebSockets that pages of the shell open: only from the shell's origin, with a session, for the person for whom the page was loaded. Each is
 * asked at every ping whether its page still answers, and ends with the session.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../schema/clock.ts';
import { readSessionCookie } from '../auth/cookies.ts';
import type { OpenAnswers } from '../auth/open-answers.ts';
import { mayUpgrade } from '../auth/same-origin.ts';
import type { Session, Sessions } from '../auth/sessions.ts';
import type { Site } from '../http/hosts.ts';
import { limits } from '../limits.ts';
import { queryOf } from '../http/navigation.ts';
import { refuseUpgrade } from '../http/refuse-upgrade.ts';

/** Close codes of svc (4000 to 4999 are free for use). Documented in docs/api.md. */
export const closeCodes = { sessionEnded: 4401, unexpected: 1008 } as const;

/** Ends a socket that sent what it may not: nothing more of it is read, so that nobody works for what comes behind. */
export function turnAway(socket: WebSocket, why: string): void {
  socket.close(closeCodes.unexpected, why);
  socket.pause();
}

export interface PageSocketKind {
  readonly frameBytesMax: number;
  /** Status line of a refusal; null: it is opened. */
  readonly refuse: (session: Session, url: string) => readonly [number, string] | null;
  readonly attach: (socket: WebSocket, session: Session, url: string) => void;
}

export type PageSocketEntrance = (req: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

export interface PageSockets {
  /** The handler of handshakes of one kind. It rejects when the store can't be read. */
  entrance(kind: PageSocketKind): PageSocketEntrance;
  close(): void;
}

export interface PageSocketDeps {
  readonly site: Site;
  readonly sessions: Pick<Sessions, 'portal'>;
  readonly open: Pick<OpenAnswers, 'hold'>;
  readonly clock: Clock;
}

interface Open {
  readonly socket: WebSocket;
  answeredPing: boolean;
}

export function createPageSockets({ site, sessions, open: answers, clock }: PageSocketDeps): PageSockets {
  const open = new Set<Open>();
  const servers: WebSocketServer[] = [];
  let cancelPing = (): void => {};

  /** Once per ping: who did not answer the last one is gone. */
  const check = (one: Open): void => {
    if (!one.answeredPing) return one.socket.terminate();
    one.answeredPing = false;
    one.socket.ping();
  };
  const pingAll = (): void => {
    for (const one of open) check(one);
    cancelPing = clock.at(clock.monotonicMs() + limits.eventPingMs, pingAll);
  };
  cancelPing = clock.at(clock.monotonicMs() + limits.eventPingMs, pingAll);

  const watch = (socket: WebSocket, session: Session): void => {
    const one: Open = { socket, answeredPing: true };
    open.add(one);
    const release = answers.hold({ person: session.person, session: session.root }, () =>
      socket.close(closeCodes.sessionEnded, 'session ended'),
    );
    socket.on('pong', () => {
      one.answeredPing = true;
    });
    // ws reports frames over the limit and malformed ones as `error` and closes.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      open.delete(one);
      release();
    });
  };

  return {
    entrance: ({ frameBytesMax, refuse, attach }) => {
      const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: frameBytesMax });
      // The types lack it: whoever does not answer a close is let go after so long.
      Object.assign(server.options, { closeTimeout: limits.pageGoodbyeMs });
      servers.push(server);
      return async (req, socket, head) => {
        if (!mayUpgrade(req, [site.origin])) return refuseUpgrade(socket, 403, 'Forbidden');
        const session = await sessions.portal(readSessionCookie(req.headers.cookie, site));
        if (!session) return refuseUpgrade(socket, 401, 'Unauthorized');
        const url = req.url ?? '';
        // The page says for which person it was loaded, as with every call of the API (shell.ts).
        const loadedFor = queryOf(url).get('pessoa');
        if (loadedFor !== null && loadedFor !== session.person) return refuseUpgrade(socket, 409, 'Conflict');
        const refusal = refuse(session, url);
        if (refusal !== null) return refuseUpgrade(socket, ...refusal);
        server.handleUpgrade(req, socket, head, (ws) => {
          watch(ws, session);
          attach(ws, session, url);
        });
      };
    },
    close: () => {
      cancelPing();
      for (const { socket } of open) socket.terminate();
      for (const server of servers) server.close();
    },
  };
}
