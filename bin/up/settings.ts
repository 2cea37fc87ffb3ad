/** What `svc up` takes from the Portal document, the command line and the state folder, with the defaults of the house. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PortalOptions } from '../../api/portal.ts';
import { readFolder } from '../../controller/desired/read-folder.ts';
import type { PortalDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';

type PortalSpec = PortalDocument['spec'];

/** Where the store is: said by the Portal document; a broken folder leaves it where it was. */
export async function storeFile(dir: string, stateDir: string): Promise<string> {
  const remembered = path.join(stateDir, 'store');
  const answer = await readFolder(dir);
  let text: string;
  if (answer.ok) {
    const portal = answer.state.documents.map(({ document }) => document).find((document) => document.kind === 'Portal');
    text = portal?.spec.store ?? 'sqlite:svc.db';
  } else text = (await readFile(remembered, 'utf8').catch(() => 'sqlite:svc.db')).trim();
  const file = /^sqlite:(.+)$/.exec(text)?.[1];
  if (file === undefined) throw new SvcError('BAD_REQUEST', `Portal.spec.store is ${JSON.stringify(text)}, expected sqlite:PATH`);
  return path.resolve(stateDir, file);
}

/** So that a broken folder at the next start does not open another store. */
export async function rememberStore(stateDir: string, file: string): Promise<void> {
  const target = path.join(stateDir, 'store');
  await writeFile(`${target}.tmp`, `sqlite:${file}\n`, { mode: 0o600 });
  await rename(`${target}.tmp`, target);
}

export function portalSettings(spec: PortalSpec, listen: string | null): PortalOptions['settings'] {
  const address = listen ?? spec.listen ?? '127.0.0.1:8787';
  const parsed = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):([0-9]{1,5})$/.exec(address);
  const listenPort = Number(parsed?.[3]);
  const listenHost = parsed?.[1] ?? parsed?.[2];
  if (listenHost === undefined || !(listenPort <= 65_535)) {
    throw new SvcError('BAD_REQUEST', `can't listen on ${JSON.stringify(address)}, expected host:port, for example 127.0.0.1:8787`);
  }
  const { origins = 'subdomain', trustedProxies = [], shellScripts = 'system' } = spec;
  return { listenHost, listenPort, url: portalUrl(spec.url, listenPort), origins, trustedProxies, shellScripts };
}

/** `svc.localhost` means http on the port of the portal; a whole URL is used as it is. */
function portalUrl(url: string | undefined, port: number): string {
  if (url === undefined) return `http://svc.localhost:${port}`;
  if (/^https?:\/\//.test(url)) return url.replace(/\/$/, '');
  return /:[0-9]+$/.test(url) ? `http://${url}` : `http://${url}:${port}`;
}
