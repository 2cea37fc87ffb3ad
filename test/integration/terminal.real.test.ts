/**
 * Output of `svc up` on a terminal, and who may be administrator at its control socket.
 * @module-tag carries-state
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { callControlSocket } from '../support/control-socket.ts';
import { copyExamples } from '../support/example-desired.ts';
import { emptyServer, freePort, repository, until } from '../support/portal.ts';
import { writeDesired } from './world.ts';

let folder: string;
let desired: string;
let state: string;
let terminal: ChildProcess;
let raw = '';
const shown = (): string => stripVTControlCharacters(raw).replaceAll('\r', '');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcy-'));
  state = join(folder, 's');
  const packages = join(folder, 'p');
  await copyExamples(['notas', 'porta-errada'], packages);
  desired = await writeDesired(join(folder, 'd'), { apps: ['notas', 'porta-errada'], packages, people: ['bia', 'caio'] });
  const command = `${join(repository, 'bin/svc')} up ${desired} --state ${state} --listen 127.0.0.1:${await freePort()}`;
  const { SVC_LOG_LEVEL: _, ...environment } = process.env;
  terminal = spawn('script', ['-qefc', command, '/dev/null'], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  terminal.stdout?.on('data', (chunk: Buffer) => (raw += chunk.toString()));
  await until('the link', () => /^ +http:\/\/\S+\?passe=\S+$/m.test(shown()));
  await until('the packages in place', async () => {
    const { body } = await callControlSocket(join(state, 'svc.sock'), 'GET', '/api/admin/objects?prefix=Backend/ana/', undefined);
    return (body as readonly ObjectView[]).length === 2;
  });
});
afterAll(async () => {
  terminal.stdin?.write('\u0003');
  await once(terminal, 'close');
  await emptyServer(state);
  await rm(folder, { recursive: true, force: true });
});

test('errors of the folder, their mend and what waits for --prune are sentences', async () => {
  expect(shown()).toMatch(
    /note: on the local server casa the apps of ana, bia and caio run as the account of the portal, \w+: each may read/,
  );
  const file = join(desired, 'erro.yaml');
  await writeFile(file, 'apiVersion: svc/v1\nkind: Persn\nmetadata: { name: x }\nspec: {}\n');
  await until('the error', () => shown().includes('kind: Persn\n'));
  expect(shown()).toMatch(
    /the folder has errors; the last good state stays in force\nerro\.yaml:2:7 UNKNOWN_KIND .*\n 2 \| kind: Persn\n +\| +\^{5}/,
  );
  await rm(file);
  await until('the mend', () => shown().includes('the errors of the folder are mended; it is in force'));
  const whole = await readFile(join(desired, 'casa.yaml'), 'utf8');
  await writeFile(
    join(desired, 'casa.yaml'),
    whole
      .split('---\n')
      .filter((text) => !text.includes('kind: Package'))
      .join('---\n'),
  );
  await until('what waits', () =>
    /nothing is removed until svc apply --prune\n {2}Package\/notas\n {2}Package\/porta-errada\n/.test(shown()),
  );
  await writeFile(join(desired, 'casa.yaml'), whole);
  await until('that nothing waits', () => shown().includes('nothing is held back any more'));
  expect(shown()).not.toContain('{"level"');
});

test('svc start of an app that can not come up ends with 1 and says where to read on', async () => {
  const start = () => runSvc(folder, ['start', 'ana/porta-errada', '--state', state]);
  expect(await start()).toMatchObject({
    code: 1,
    out: expect.stringMatching(/starting {2}BoundTcp .*\nit did not come up; more: svc why ana\/porta-errada\n$/),
  });
  await runSvc(folder, ['stop', 'ana/porta-errada', '--state', state]);
  expect((await runSvc(folder, ['start', 'ana/notas', '--state', state])).code).toBe(0);
}, 120_000);

test('the control socket is closed to apps, and the doctor says what separates nobody', async () => {
  const asApp = await runSvc(folder, ['get', '--state', state], { SVC_APP_ID: 'notas', SVC_APP_SOCKET: '/x' });
  expect(asApp).toMatchObject({ code: 1, err: expect.stringMatching(/FORBIDDEN process \d+ belongs to the app "notas"/) });
  const doctor = await runSvc(folder, ['doctor', '--state', state, '-o', 'json'], { LC_ALL: 'en_US.UTF-8' });
  const { checks } = JSON.parse(doctor.out) as { checks: { name: string; warning: boolean; detail: string }[] };
  expect(checks.find(({ name }) => name === 'separation')).toMatchObject({
    warning: true,
    detail: expect.stringContaining('ana, bia and caio'),
  });
});
