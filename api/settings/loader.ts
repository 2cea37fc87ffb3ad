/**
 * The loader of an engine, a path below the root that its backend serves (rules 2.1 `engine`). Where the package holds it, in `frontend/` (which
 * `web.spa` serves) or at its own root, the bytes on the disk count: any app of the person could answer at the backend's socket, and would run in
 * the shell. A loader that only the backend has is asked for where nobody else can answer, and where the admin trusts people's own packages.
 * Decision: docs/decisions/0205-engines-in-the-environment.md
 */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { withDeadline, type Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, BackendRoute } from '../../schema/gateway.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { limits } from '../limits.ts';
import type { ShellScripts } from './settings.ts';

interface Wanted {
  readonly apps: Pick<AppsView, 'file'>;
  readonly clock: Clock;
  readonly shellScripts: ShellScripts;
  readonly person: string;
  readonly manifest: Manifest;
  readonly file: string;
  readonly route: BackendRoute;
}

/** Null when neither has it. Rejects FORBIDDEN where the backend alone could, and is not believed. */
export async function readLoader({ apps, clock, shellScripts, person, manifest, file, route }: Wanted): Promise<Uint8Array | null> {
  const { id, escopo } = manifest;
  const packed = (await apps.file(person, id, `frontend/${file}`)) ?? (await apps.file(person, id, file));
  if (packed !== null) return packed;
  if (escopo !== 'servidor' && shellScripts !== 'person')
    throw new SvcError(
      'FORBIDDEN',
      `the package of ${id} has neither frontend/${file} nor ${file}, and a loader that only its backend has is not run`,
    );
  const socket = route.dial();
  try {
    return await withDeadline(clock, limits.loaderMsMax, asked(socket, route, file), () => new Error('too late'));
  } catch {
    throw new SvcError('BACKEND_UNREACHABLE', `${id} did not answer with its loader`);
  } finally {
    void socket.then(
      (open) => open.destroy(),
      () => {},
    );
  }
}

/** A byte more than may be, so that the caller sees that it is too much. */
async function asked(dialled: Promise<Duplex>, { token }: BackendRoute, file: string): Promise<Uint8Array | null> {
  const socket = await dialled;
  const headers = { host: 'localhost', 'x-svc-app-token': token, connection: 'close' };
  const request = http.request({ createConnection: () => socket, path: `/${file}`, headers });
  // Once its answer began, its failures show in the answer.
  request.on('error', () => {}).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > limits.shellScriptBytesMax) break;
  }
  return Buffer.concat(chunks);
}
