/**
 * Lines between portals of one store: TLS with a key that all of them have (RFC 5489, ECDHE with a pre-shared key), so each end knows that the other one
 * is a portal, and nobody in between reads or changes anything. Decision: docs/decisions/0301-lines-between-portals.md
 */
import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';

const identity = 'svc';
/** 1.3 has no key exchange of its own beside such a key in Node. No authorities: nobody shows a certificate, and those that Node knows take 1 MB. */
const common: tls.SecureContextOptions = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'ECDHE-PSK-CHACHA20-POLY1305', ca: [] };

/** A context for all dialled lines: each would make its own. Decision: docs/decisions/0309-what-a-carried-socket-costs.md */
const dialled = tls.createSecureContext(common);

const pskOf = (key: string): Buffer => Buffer.from(hash('sha256', `svc peers ${key}`, 'hex'), 'hex');

/** `take` gets each line whose other end has the key; every other one is closed. */
export function listenForPeers(key: string, take: (line: Socket) => void): tls.Server {
  const psk = pskOf(key);
  const server = tls.createServer({
    ...common,
    handshakeTimeout: limits.peerHandshakeMsMax,
    pskCallback: (_line, name) => (name === identity ? psk : null),
    pskIdentityHint: identity,
  });
  server.maxConnections = limits.peerLinesMax;
  server.on('secureConnection', (line) => {
    line.setNoDelay(true);
    take(line);
  });
  // Somebody without the key, or a line that broke before it was one.
  server.on('tlsClientError', (_error, line) => line.destroy());
  return server;
}

/** `address`: host:port. Rejects PORTAL_UNREACHABLE. */
export function dialPeer(address: string, key: string): Promise<tls.TLSSocket> {
  const psk = pskOf(key);
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const line = tls.connect({
      secureContext: dialled,
      host,
      port: Number(address.slice(colon + 1)),
      pskCallback: () => ({ psk, identity }),
      // The key proves a portal: there is no certificate.
      checkServerIdentity: () => undefined,
    });
    const fail = (why: string) => (): void => {
      line.destroy();
      reject(new SvcError('PORTAL_UNREACHABLE', `the portal at ${address} ${why}`));
    };
    line.setTimeout(limits.peerHandshakeMsMax, fail('does not answer'));
    line.once('error', fail('can not be reached, or has another key'));
    line.once('secureConnect', () => {
      line.setTimeout(0);
      line.removeAllListeners('error');
      line.removeAllListeners('timeout');
      line.on('error', () => undefined);
      line.setNoDelay(true);
      resolve(line);
    });
  });
}
