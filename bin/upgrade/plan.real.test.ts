/** `svc upgrade --plan` as this version runs it over state folders of others: what it says, its exit code, and that nothing was written. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../../store/migrations.ts';
import { roomLogSteps } from '../../store/room-log-database.ts';
import { startPortal, type RunningPortal } from '../../test/support/portal.ts';
import { writeDesired } from '../../test/integration/world.ts';
import { runSvc } from '../testing/run-svc.ts';

let folder: string;
let desired: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-up-'));
  desired = await writeDesired(path.join(folder, 'd'), { apps: ['notas'] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const server = (name: string, kit: string | null) => ({ key: `Server/${name}`, state: 'ready', details: { kit, portalKit: kit } });
const person = (name: string, at: string) => ({ key: `Person/${name}`, state: 'present', details: { server: at } });
const backend = (of: string, state: string) => ({ key: `Backend/${of}/notas`, state, details: {} });

/** Steps of a svc whose intents did not say who asked. */
const beforeIntents = migrations.findIndex((step) => step.includes('ALTER TABLE intents ADD COLUMN who'));

/** As a svc that knew so many steps left it. `isCut`: it was killed, and its last writes are in the file beside. */
function stateOf(name: string, steps: number, isCut = false): string {
  const state = path.join(folder, name);
  mkdirSync(state, { recursive: true });
  const made = isCut ? path.join(folder, `${name}-living`) : state;
  mkdirSync(made, { recursive: true });
  const database = new DatabaseSync(path.join(made, 'svc.db'));
  database.exec('PRAGMA journal_mode = WAL');
  for (const step of migrations.slice(0, steps)) database.exec(step);
  database.exec(`PRAGMA user_version = ${steps}`);
  const put = database.prepare('INSERT INTO statuses VALUES (?, ?)');
  const all = [
    server('polar', '0.2.5-00000000'),
    server('vega', '0.2.5-00000000'),
    server('velha', '0.2.4-00000000'),
    server('nova', null),
  ];
  const people = [
    person('ana', 'polar'),
    person('bia', 'vega'),
    backend('ana', 'running'),
    backend('bia', 'stopped'),
    backend('caio', 'running'),
  ];
  for (const status of [...all, ...people]) put.run(status.key, JSON.stringify(status));
  database.exec(
    "INSERT INTO intents (person, app, wish, by_whom, request_id, at_ms, done) VALUES ('ana', 'notas', 'start', 'user', 'r', 1, 1)",
  );
  if (isCut) cpSync(made, state, { recursive: true });
  database.close();
  if (isCut) rmSync(path.join(state, 'svc.db-shm'));
  writeFileSync(path.join(state, 'desired-dir'), JSON.stringify({ dir: desired }));
  return state;
}

const bytesOf = (dir: string): readonly string[] =>
  readdirSync(dir, { withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
    .toSorted()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(path.join(dir, name)))
          .digest('hex')}`,
    );

test.for([false, true])('a folder of before is told of and not written to (its portal was killed: %s)', async (isCut) => {
  const state = stateOf(`old-${isCut}`, beforeIntents, isCut);
  const rooms = new DatabaseSync(path.join(state, 'rooms.db'));
  rooms.exec(`${roomLogSteps[0]} PRAGMA user_version = 1`);
  rooms.close();
  const before = bytesOf(state);
  const { code, out } = await runSvc(folder, ['upgrade', '--plan'], { SVC_STATE: state });
  expect([code, bytesOf(state)]).toEqual([2, before]);
  expect(out).toContain(`${state}, while no portal runs; nothing is changed by looking\n`);
  expect(out).toContain(
    `svc.db: schema ${beforeIntents} to ${migrations.length} at the first start; worked on: intents (1 rows), rooms (0 rows)\n`,
  );
  expect(out).toContain(`${state}/rooms.db: schema 1 to ${roomLogSteps.length} at the first start\n`);
  const kits = out.split('\n').filter((line) => line.startsWith('kits'));
  expect(kits).toEqual([
    expect.stringMatching(/vega: 0\.2\.5-00000000 to 0\.2\.\d+-[0-9a-f]{8}.*, first of all; 0 app/),
    expect.stringMatching(
      /velha: 0\.2\.4-00000000 .* ran well with it; 0 app\(s\) run there, and go on; until then no app can be started there/,
    ),
    expect.stringMatching(/polar: 0\.2\.5-00000000 .* 1 app\(s\) run there, and go on$/),
    expect.stringMatching(/nova: no kit was seen there/),
  ]);
  expect(out).toMatch(/^folder {3}.*: no error$/m);
  expect(out).toMatch(/^back {5}the store: no version of before opens it then\. Make a backup first/m);
  // A plan of the folder neither: what it decides on is a copy.
  const plan = await runSvc(folder, ['plan', desired, '--state', state]);
  expect([plan.code, plan.err, bytesOf(state)]).toEqual([2, '', before]);
});

test('a folder of a newer svc is refused in words by the plan and by svc up, and stays as it is', async () => {
  const state = stateOf('newer', migrations.length);
  const database = new DatabaseSync(path.join(state, 'svc.db'));
  database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  database.close();
  const before = bytesOf(state);
  const plan = await runSvc(folder, ['upgrade', '--plan', '--state', state]);
  expect([plan.code, bytesOf(state)]).toEqual([1, before]);
  expect(plan.out).toContain('is of a newer svc');
  const up = await runSvc(folder, ['up', desired, '--state', state, '--listen', '127.0.0.1:0']);
  expect(up.code).toBe(1);
  expect(up.err).toMatch(
    /STORE_NEWER.*schema \d+, this svc knows \d+: run the newer svc, or put back a backup of before it \(svc restore FOLDER --over --yes\), or name another state folder/,
  );
  expect(bytesOf(state).filter((line) => line.startsWith('svc.db '))).toEqual(before.filter((line) => line.startsWith('svc.db ')));
});

test('beside a portal that runs, of this very version: nothing would change; what is no plan is refused', async () => {
  let portal: RunningPortal | null = null;
  try {
    portal = await startPortal({ desired });
    const { code, out } = await runSvc(folder, ['upgrade', '--plan', '--state', portal.state]);
    expect([code, out]).toEqual([0, expect.stringContaining(`schema ${migrations.length}, as it is\n`)]);
    expect(out).toContain('whose portal runs');
    const json = JSON.parse((await runSvc(folder, ['upgrade', '--plan', '-o', 'json', '--state', portal.state])).out) as object;
    expect(json).toMatchObject({ isRunning: true, kits: [], apps: [], errors: [] });
    const acts = await runSvc(folder, ['upgrade', '--state', portal.state]);
    expect([acts.code, acts.err]).toEqual([1, expect.stringContaining('svc upgrade only says what would be done, with --plan')]);
  } finally {
    await portal?.stop();
  }
});

test('apps that come with svc are told of where another version is wanted, and documents that this version refuses', async () => {
  const own = path.resolve(import.meta.dirname, '../..');
  const state = stateOf('apps', migrations.length);
  const database = new DatabaseSync(path.join(state, 'svc.db'));
  database.exec('DELETE FROM statuses');
  const put = database.prepare('INSERT INTO statuses VALUES (?, ?)');
  for (const [name, app, version] of [
    ['notas', 'notas', '0.9.0'],
    ['ana/sumido', 'sumido', '1.0.0'],
  ])
    put.run(`Package/${name}`, JSON.stringify({ key: `Package/${name}`, state: 'installed', details: { app, version } }));
  database.close();
  const bundled = path.join(folder, 'bundled');
  mkdirSync(bundled);
  const portal = `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { repository: ${own}/examples/apps }\n`;
  writeFileSync(path.join(bundled, 'portal.yaml'), portal);
  const { code, out } = await runSvc(folder, ['upgrade', '--plan', bundled, '--state', state]);
  expect(out).toMatch(/^apps {5}notas: notas 1\.\S+ comes with this svc, 0\.9\.0 is wanted/m);
  expect(out).toMatch(/^apps {5}ana\/sumido: sumido does not come with this svc; what is installed stays$/m);
  expect(code).toBe(2);
  writeFileSync(path.join(bundled, 'portal.yaml'), portal.replace('repository', 'repositorio'));
  const refused = await runSvc(folder, ['upgrade', '--plan', bundled, '--state', state]);
  expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/1 error\(s\): what is in force stays\n.*UNKNOWN_FIELD/s)]);
});
