/** The servers of the portal, for its port and its control socket, with the limits of the border. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import { isUnknownProxy, type TrustedProxies } from '../auth/client-address.ts';
import { boundConnections } from './connections.ts';
import { asOwner, ownEvents } from './fault-owner.ts';
import type { Front } from '../front.ts';
import type { Site } from '../http/hosts.ts';
import { answerUnreadable } from './large-head.ts';
import { limits } from '../limits.ts';
import { inPipelineTurn } from './pipelined.ts';
import { ownerOfRequest } from './work-owner.ts';

/** Limits how long a client may keep sending a body after it was answered. */
function boundLeftover(clock: Clock, req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => {
    if (req.complete) return;
    req.once(
      'close',
      clock.at(clock.monotonicMs() + limits.leftoverBodyMsMax, () => req.destroy()),
    );
  });
}

/** Requests that arrive during start-up wait until the parts are assembled. */
export interface Holder<Parts> {
  parts: Parts | null;
  readonly isMade: PromiseWithResolvers<void>;
}

interface Entered {
  readonly site: Pick<Site, 'origin'>;
  readonly front: Pick<Front, 'upgrade'>;
}

interface BorderDeps {
  readonly holder: Holder<Entered>;
  readonly clock: Clock;
  readonly isTrusted: TrustedProxies;
}

/** Limits of the border. Decision: docs/decisions/0035-http-border.md */
export function createBorderServer(
  { holder, clock, isTrusted }: BorderDeps,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): http.Server {
  const server = http.createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    // Uploads to apps may take long; header and API bodies have deadlines of their own.
    requestTimeout: 0,
    keepAliveTimeout: limits.portalKeepAliveMs,
    connectionsCheckingInterval: 5_000,
    noDelay: true,
    // A reader of a stream that vanished without a word is noticed by the kernel.
    keepAlive: true,
    keepAliveInitialDelay: limits.portalTcpKeepAliveMs,
    requireHostHeader: true,
    shouldUpgradeCallback: isWebSocketOffer,
  });
  boundConnections(server, { clock, isTrusted });
  answerUnreadable(server, clock, () => holder.parts?.site.origin ?? '');
  server.on('request', (req, res) => {
    // It exceeded a client's share of connections.
    if (req.socket.destroyed) return;
    const { headers } = req;
    // Node reads no further request after an offer that was passed over.
    if (headers.upgrade !== undefined) res.shouldKeepAlive = false;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) boundLeftover(clock, req, res);
    const handled = (): void =>
      inPipelineTurn(req, res, () =>
        asOwner(
          ownerOfRequest(req, true, () => void (res.closed || req.socket.destroy())),
          () => handle(req, res),
        ),
      );
    if (holder.parts) return handled();
    void holder.isMade.promise.then(() => (req.socket.destroyed ? undefined : handled()));
  });
  server.on('upgrade', (req, socket, head) => {
    const owner = ownerOfRequest(req, false, () => socket.destroy());
    ownEvents(socket, owner);
    const enter = (): void => (socket.destroyed ? undefined : asOwner(owner, () => holder.parts?.front.upgrade(req, socket, head)));
    if (holder.parts) return enter();
    socket.on('error', () => socket.destroy());
    void holder.isMade.promise.then(enter);
  });
  return server;
}

/**
 * Other protocols (h2c of Java's client and of `curl --http2`) are offers, which a server may pass over: the request is answered as any, without
 * its Upgrade header. Source: RFC 9110, 7.8.
 */
const isWebSocketOffer = ({ method, headers: { upgrade } }: IncomingMessage): boolean =>
  method === 'GET' && upgrade?.trim().toLowerCase() === 'websocket';

/** Once a run: all who come through it are one address to the portal, and share its counts. */
export function warnUnknownProxy(server: http.Server, isTrusted: TrustedProxies, log: Logger): void {
  const check = (req: IncomingMessage): void => {
    if (!isUnknownProxy(req, isTrusted)) return;
    server.off('request', check);
    const peer = req.socket.remoteAddress;
    log.warn({ peer }, 'X-Forwarded-For is not read: Portal.spec.trustedProxies does not name its sender');
  };
  server.on('request', check);
}
