/** Settings of `svc up` from the Portal document and the command line, with the defaults of the house. */
import type { PortalOptions } from '../../api/portal.ts';
import { portalDefaults, type PortalSpec } from '../../controller/desired/restart.ts';
import { SvcError } from '../../schema/errors.ts';

export function portalSettings(spec: PortalSpec, listen: string | null): PortalOptions['settings'] {
  const address = listen ?? spec.listen ?? portalDefaults.listen;
  const { listenHost, listenPort } = listenAt(address);
  const { origins, trustedProxies, shellScripts } = { ...portalDefaults, ...spec };
  return { listenHost, listenPort, url: portalUrl(spec.url, listenPort), origins, trustedProxies, shellScripts };
}

/** Throws BAD_REQUEST for what is not host:port. */
export function listenAt(address: string): Pick<PortalOptions['settings'], 'listenHost' | 'listenPort'> {
  const found = parsedAddress(address);
  if (found === null) {
    throw new SvcError('BAD_REQUEST', `can't listen on ${JSON.stringify(address)}, expected host:port, for example 127.0.0.1:8787`);
  }
  return found;
}

/** Throws BAD_REQUEST for what the other portals could not reach. */
export function joinAt(address: string): Pick<PortalOptions['settings'], 'listenHost' | 'listenPort'> {
  const expected = 'expected the HOST:PORT at which the other portals reach this one, for example 10.0.0.2:8788';
  const found = parsedAddress(address);
  if (found === null || found.listenPort === 0) throw new SvcError('BAD_REQUEST', `--join ${JSON.stringify(address)}: ${expected}`);
  if (/^(?:0\.0\.0\.0|[0:]*)$/.test(found.listenHost))
    throw new SvcError('BAD_REQUEST', `--join ${JSON.stringify(address)} is every address of this machine: ${expected}`);
  return found;
}

function parsedAddress(address: string): Pick<PortalOptions['settings'], 'listenHost' | 'listenPort'> | null {
  const parsed = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):([0-9]{1,5})$/.exec(address);
  const listenPort = Number(parsed?.[3]);
  const listenHost = parsed?.[1] ?? parsed?.[2];
  return listenHost === undefined || !(listenPort <= 65_535) ? null : { listenHost, listenPort };
}

/** `svc.localhost` means http on the port of the portal; a whole URL is used as it is. */
function portalUrl(url: string | undefined, port: number): string {
  if (url === undefined) return `http://svc.localhost:${port}`;
  if (/^https?:\/\//.test(url)) return url.replace(/\/$/, '');
  return /:[0-9]+$/.test(url) ? `http://${url}` : `http://${url}:${port}`;
}
