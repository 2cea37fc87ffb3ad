/**
 * Checks that `svc get`, `why`, `plan` and `logs` report the true state of packages and people, from the words that an administrator reads.
 * Each test has a portal of its own; they go on at the same time.
 */
import { appendFileSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test as plain } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import type { DoctorRow } from '../../schema/texts/doctor.ts';
import { until } from '../support/portal.ts';
import { document, packageWorld, pinned, type PackageWorld } from '../support/packages.ts';

/** A resync with its jitter, and the delay of a busy machine; two resyncs are longer. */
const roundMsMax = 10_000 + 1_000 + 8_000;

const test = plain.extend<{ world: PackageWorld; svc: (...args: string[]) => ReturnType<typeof runSvc> }>({
  // oxlint-disable-next-line no-empty-pattern
  world: async ({}, use) => {
    const world = await packageWorld();
    await use(world);
    await world.dispose();
  },
  svc: async ({ world }, use) => {
    await use((...args) => runSvc(world.dir, [...args, '--state', world.state]));
  },
});

describe.concurrent('svc plan', () => {
  test('lists what is blocked with its reason and exits 2', async ({ world, svc, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '9.9.9'), document('ninguem', 'ninguem', '1.0.0'), pinned('ninguem')]);
    await world.begin();
    await world.when('Package/notas', 'missing');
    const table = await svc('plan');
    expect(table).toMatchObject({ code: 2, err: '' });
    expect(table.out).not.toContain('Nothing to change');
    expect(table.out).toMatch(/Package\/notas +SourceMissing +version 9\.9\.9 is wanted and the repository holds version 1\.0\.0/);
    expect(table.out).toMatch(/Package\/ninguem +SourceMissing +version 1\.0\.0 is wanted and the repository holds nothing of it/);
    expect(table.out).toMatch(/Backend\/ana\/ninguem +PackageMissing/);
    expect(table.out).toContain('3 blocked');
    const told = JSON.parse((await svc('plan', '-o', 'json')).out) as { readonly blocked: readonly { readonly key: string }[] };
    expect(told.blocked.map(({ key }) => key).sort()).toEqual(['Backend/ana/ninguem', 'Package/ninguem', 'Package/notas']);

    // The folder is in force all the same, and says what it could not bring about.
    expect(await svc('apply')).toMatchObject({ code: 0, out: expect.stringContaining('Package/notas') });
    // Without a portal it is the same.
    const offline = await runSvc(world.dir, ['plan', join(world.dir, 'd'), '--state', join(world.dir, 'fresh')]);
    expect(offline).toMatchObject({ code: 2, out: expect.stringMatching(/Package\/notas +SourceMissing/) });

    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.when('Package/notas', 'installed');
    expect(await svc('plan')).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
  });

  test('says of what it would do again how it failed the last time', async ({ world, svc, expect }) => {
    await world.publish('fraco', '1.0.0', { backend: { installCommand: 'exit 3' } });
    await world.write([document('fraco', 'fraco', '1.0.0')]);
    await world.begin();
    await world.when('Package/fraco', 'failed');
    const { code, out } = await svc('plan', '-o', 'json');
    expect(code).toBe(2);
    const { changes } = JSON.parse(out) as { readonly changes: readonly { readonly key: string; readonly detail: string }[] };
    expect(changes).toEqual([
      expect.objectContaining({ key: 'Package/fraco', detail: expect.stringContaining('the last attempt failed: ') }),
    ]);
  });
});

describe.concurrent('a package whose source has other files under the same version', () => {
  test('is told by plan, why and doctor with what to do, and no longer once that was done', async ({ world, svc, expect }) => {
    const open = world.unpacked('notas', '1.0.0');
    const file = join(open, 'notas/svc-app.json');
    await world.write([document('notas', 'notas', '1.0.0')], open);
    await world.begin();
    await world.when('Package/notas', 'installed');
    expect(await svc('plan')).toMatchObject({ code: 0, out: 'Nothing to change.\n' });

    appendFileSync(join(open, 'notas/new.py'), '# built only now');
    // Not published, so not installed either.
    writeFileSync(join(open, 'notas/.env'), 'KEY=1');
    const plan = await svc('plan');
    expect(plan.code).toBe(2);
    expect(plan.out).toContain(
      `Package/notas  SourceChanged  was installed from other files than ${open}/notas holds now under the same version: raise "version" in ${file} and versao in its document`,
    );
    const offline = await runSvc(world.dir, ['plan', join(world.dir, 'd'), '--state', world.state]);
    expect(offline).toMatchObject({ code: 2, out: expect.stringContaining('SourceChanged') });
    const isStale = () =>
      world.view('Package/notas')?.conditions.some(({ type, status }) => type === 'Stale' && status === 'True') === true;
    await until('a round to see it', isStale, roundMsMax);
    const why = await svc('why', 'Package/notas');
    expect(why.out.replaceAll(/\s+/g, ' ')).toContain(`was installed from other files than ${open}/notas holds now under the same version`);
    expect(why.out.replaceAll(/\s+/g, ' ')).toContain(`fix raise "version" in ${file} and versao in its document`);
    const row = async () => {
      const told = JSON.parse((await svc('doctor', '-o', 'json')).out) as { readonly checks: readonly DoctorRow[] };
      return told.checks.find(({ name }) => name === 'packages');
    };
    expect(await row()).toMatchObject({ ok: false, warning: true, fix: expect.stringContaining(file) });
    // An unreadable source proves nothing: the last observation stays.
    symlinkSync('/etc/passwd', join(open, 'notas/link'));
    expect(await svc('plan')).toMatchObject({ code: 2, out: expect.stringContaining('SourceChanged') });
    rmSync(join(open, 'notas/link'));

    // The second way of the fix: the same version again.
    await world.write([], open);
    await until('the package to be gone', () => world.view('Package/notas') === null, roundMsMax);
    await world.write([document('notas', 'notas', '1.0.0')], open);
    await world.when('Package/notas', 'installed');
    expect(await svc('plan')).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
    await until('a round to see it', () => !isStale(), roundMsMax);
    expect(await row()).toMatchObject({ ok: true });

    // The first one.
    appendFileSync(join(open, 'notas/new.py'), '# once more');
    expect(await svc('plan')).toMatchObject({ code: 2 });
    world.unpacked('notas', '1.1.0');
    await world.write([document('notas', 'notas', '1.1.0')], open);
    await world.when('Package/notas', 'installed', ({ details }) => details['installed'] === '1.1.0');
    expect(await svc('plan')).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
  });
});

describe.concurrent('a package folder that somebody deleted', () => {
  const folder = (world: PackageWorld): string => join(world.state, 'opt/svc-apps');

  test('is seen and there again within a round, and nothing is told of it that is not so', async ({ world, svc, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0'), pinned('notas')]);
    await world.begin();
    await world.when('Backend/ana/notas', 'running');
    await world.when('Package/notas', 'installed');
    const told: string[] = [];
    world.up.controller.context.options.bus.onPublish((_person, event) => {
      if (event.type === 'app-status') told.push(`${event.status} ${event.reason}: ${event.message}`);
    });
    rmSync(join(folder(world), 'notas'), { recursive: true });
    rmSync(join(folder(world), '.versions/notas'), { recursive: true });
    await until('its code to be there again', () => existsSync(join(folder(world), 'notas/svc-app.json')), roundMsMax);
    await world.when('Package/notas', 'installed');
    await world.when('Backend/ana/notas', 'running');
    // The same version is no other code, and there is none to go back to.
    expect(told.filter((line) => line.includes('other code'))).toEqual([]);
    expect(world.view('Package/notas')?.details['previous']).toBe(null);
    expect(await svc('rollback', 'notas')).toMatchObject({ code: 1, err: expect.stringContaining('NO_PREVIOUS_VERSION') });
  });

  test('without an offer: both objects say so, and the fix is one that is not done yet', async ({ world, svc, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas', 'installed');
    expect(await svc('start', 'ana/notas')).toMatchObject({ code: 0 });
    rmSync(world.repo, { recursive: true });
    rmSync(join(folder(world), 'notas'), { recursive: true });
    rmSync(join(folder(world), '.versions/notas'), { recursive: true });
    await until('the package to say so', () => world.view('Package/notas')?.reason === 'SourceMissing', roundMsMax);
    // A running app goes on, as while a version is missing; once it ended it can't begin again.
    expect(world.view('Backend/ana/notas')?.state).toBe('running');
    expect(await svc('stop', 'ana/notas')).toMatchObject({ code: 0 });
    await until('no object for what is not there', () => world.view('Backend/ana/notas') === null);
    await world.write([document('notas', 'notas', '1.0.0'), pinned('notas')]);
    await until('the pin to say so', () => /^(?:PackageMissing|NotInstalled)$/.test(world.view('Backend/ana/notas')?.reason ?? ''));
    const why = await world.up.gateway.admin.why('Backend/ana/notas');
    expect(why?.fix).toBe('svc why Package/notas says what its package waits for');
  });
});

describe.concurrent('a person who never signed in', () => {
  test('is told as that, their apps as never started, and their logs as none', async ({ world, svc, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas', 'installed');
    await world.when('Backend/ana/notas', 'stopped');
    expect(world.view('Person/ana')).toMatchObject({ state: 'away', reason: 'NeverSignedIn' });
    expect(world.view('Supervisor/ana')).toMatchObject({ state: 'ended', reason: 'NeverSignedIn' });
    expect(world.view('Backend/ana/notas')).toMatchObject({ state: 'stopped', reason: 'NeverStarted', message: 'was never started' });
    expect((await svc('why', 'person/ana')).out).toContain('has not signed in yet');
    expect((await svc('get')).out).not.toMatch(/SessionEnded|unknown/);
    const logs = await svc('logs', 'ana/notas');
    expect(logs).toMatchObject({
      code: 0,
      err: '',
      out: 'ana has not signed in yet and none of their apps was started: notas has no log\n',
    });
    expect(existsSync(join(world.state, 'home/ana/.svc-apps'))).toBe(false);
  });

  test('and one whose supervisor was ended: what their apps printed can be read all the same', async ({ world, svc, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas', 'installed');
    expect(await svc('start', 'ana/notas')).toMatchObject({ code: 0 });
    writeFileSync(join(world.state, 'home/ana/.svc-apps/notas/run.log'), 'what it printed\n');
    expect(await svc('stop', 'ana/notas')).toMatchObject({ code: 0 });
    // As the loop does when a minute went by in which nothing of theirs had to be kept alive.
    const { link } = world.up.controller.context.entries.people.get('ana')!;
    await link.ask({ op: 'quit' });
    await until('the line to be down', () => link.view().status === 'down');
    expect((await svc('logs', 'ana/notas')).out).toContain('what it printed');
  });
});

describe.concurrent('an env file that somebody deletes', () => {
  test('is not told as a stop by the person', async ({ world, svc, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas', 'installed');
    expect(await svc('start', 'ana/notas')).toMatchObject({ code: 0 });
    rmSync(join(world.state, 'home/ana/.svc-apps/notas/env'));
    await world.when('Backend/ana/notas', 'stopped', ({ reason }) => reason === 'WishDeleted');
    const { out } = await svc('why', 'ana/notas');
    expect(out.replaceAll(/\s+/g, ' ')).toContain('because its env file on the server was deleted (~/.svc-apps/notas/env)');
    expect(out).not.toContain('the person stopped it');
  });
});
