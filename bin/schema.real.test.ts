/** `svc schema`, and the schema as a repository serves it. Source: rules 9. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { packFolder } from '../kit/archive/pack.ts';
import { until } from '../test/support/portal.ts';
import { beginSvc, runSvc } from './testing/run-svc.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-schema-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const svc = (...args: readonly string[]) => runSvc(folder, args, { SVC_REPOSITORY: '' });

test('prints the schema with its version; another version needs a repository', async () => {
  const { code, out } = await svc('schema');
  const schema = JSON.parse(out) as { $id: string; properties: Record<string, { description: string }> };
  expect([code, schema.$id]).toEqual([0, `urn:svc:esquema:svc-app:${about.version}`]);
  expect(schema.properties['backend']?.description).toBe('The process of the app.');
  expect(await svc('schema', '--version', '99.0.0')).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
});

test('is written for an editor; settings with comments are left alone', async () => {
  // A name that is mistyped makes no folder.
  expect(await svc('schema', '--write', 'app')).toMatchObject({ code: 1, err: expect.stringContaining('is no folder') });
  await mkdir(join(folder, 'app'));
  expect(await svc('schema', '--write', 'app')).toMatchObject({ code: 1, err: expect.stringContaining('holds no svc-app.json') });
  expect(await readdir(join(folder, 'app'))).toEqual([]);
  await writeFile(join(folder, 'app/svc-app.json'), '{}');
  const { code, out } = await svc('schema', '--write', 'app');
  expect([code, out]).toEqual([0, 'app/.vscode/svc-app.schema.json\napp/.vscode/settings.json\n']);
  const settings = join(folder, 'app/.vscode/settings.json');
  expect(JSON.parse(await readFile(settings, 'utf8'))).toHaveProperty(['json.schemas', 0, 'url'], './.vscode/svc-app.schema.json');
  await writeFile(settings, '// mine\n{}');
  expect(await svc('schema', '--write', 'app')).toMatchObject({ code: 1, err: expect.stringContaining('CONFLICT') });
  expect(await readFile(settings, 'utf8')).toBe('// mine\n{}');
});

test('a repository serves it, and svc schema reads it from there', async () => {
  const { child, text } = beginSvc(folder, ['repository', 'repo', '--listen', '127.0.0.1:0']);
  try {
    const url = await until('the address', () => /http:\S+(?=\s)/.exec(text.out)?.[0]);
    const own = (await svc('schema')).out;
    const answer = await fetch(`${url}/v1/esquema/svc-app/atual.json`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'application/json', own]);
    const same = { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } };
    expect((await fetch(`${url}/v1/esquema/svc-app/${about.version}.json`, same)).status).toBe(304);
    for (const none of ['9.9.9.json', '.json', 'atual']) expect((await fetch(`${url}/v1/esquema/svc-app/${none}`)).status).toBe(404);
    expect((await svc('schema', '--version', 'atual', '--repository', url)).out).toBe(own);
    // Source: rules 9. From a newer svc, which takes the field.
    const token = (await svc('repository', 'repo', '--new-token')).out.trim();
    const app = join(folder, 'newer');
    await mkdir(app);
    const manifest = {
      id: 'a',
      version: '1.0.0',
      minShellVersion: '99',
      holograma: true,
      backend: { runtime: 'node', entrypoint: 'm.js' },
    };
    await writeFile(join(app, 'svc-app.json'), JSON.stringify(manifest));
    await writeFile(join(app, 'm.js'), '');
    await packFolder(app, { root: 'a-1.0.0', out: join(folder, 'a.tgz') });
    const put = { method: 'PUT', headers: { authorization: `Bearer ${token}` }, body: await readFile(join(folder, 'a.tgz')) };
    const refused = (await (await fetch(`${url}/v1/pacote/a/1.0.0.tgz`, put)).json()) as { code: string; detail: string };
    expect(refused.code).toBe('MANIFEST_INVALID');
    for (const word of ['"holograma"', 'svc 99 or newer', `this is svc ${about.version}`]) expect(refused.detail).toContain(word);
  } finally {
    child.kill('SIGTERM');
  }
});
