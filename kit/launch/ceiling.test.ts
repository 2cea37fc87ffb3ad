import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { ceilingsOf, containment, lostManager, scopeArgv, scopeUnit } from './ceiling.ts';
import { wordsOf } from '../../test/support/words.ts';

const manifestWith = (resources: unknown): Manifest =>
  parseManifest(JSON.stringify({ id: 'a', version: '1', backend: { runtime: 'node', entrypoint: 'a.js' }, resources }));

describe('ceilings', () => {
  test('have defaults for memory and tasks and none for the processor', () => {
    expect(ceilingsOf(manifestWith(undefined))).toEqual({ memoryHigh: '1536M', memoryMax: '2G', cpuQuota: null, tasksMax: '512' });
  });

  test('of the wrong alphabet are dropped one by one', () => {
    const ceilings = ceilingsOf(manifestWith({ memoryMax: '4G; rm -rf /', memoryHigh: '3G', tasksMax: 64, cpuQuota: '150%' }));
    expect(ceilings).toEqual({ memoryHigh: '3G', memoryMax: '2G', cpuQuota: '150%', tasksMax: '512' });
  });

  test('become a scope of the person in front of the command', () => {
    const ceilings = ceilingsOf(manifestWith({ memoryMax: 'none', cpuQuota: '150%' }));
    expect(scopeArgv('/usr/bin/systemd-run', scopeUnit('notas', 1_000_000), ceilings)).toEqual(
      wordsOf(`
      /usr/bin/systemd-run --user --scope --quiet --collect --unit=svc-app-notas-lfls.scope -p MemoryHigh=1536M -p MemoryMax=infinity -p
      TasksMax=512 -p CPUQuota=150% --
    `),
    );
  });

  test('of a service manager that is ending are not asked for, and the reason names lingering', () => {
    expect(lostManager).toMatchObject({ contained: false, reason: expect.stringMatching(/enable-linger/) as string });
  });

  test('without a service manager there are none, and the reason is told', async () => {
    const none = await containment('/nonexistent', '/usr/bin');
    expect(none.contained).toBe(false);
    // Where systemd does not run, nothing that is typed starts one.
    const why = existsSync('/run/systemd/system')
      ? 'no service manager runs for this account (/nonexistent/systemd/private is missing); loginctl enable-linger ACCOUNT starts it'
      : 'systemd does not run on this server';
    expect(none.contained ? '' : none.reason).toBe(why);
    const missing = await containment('/nonexistent', '/nonexistent');
    expect(missing).toEqual({ contained: false, reason: 'systemd-run is not installed on this server' });
  });
});
