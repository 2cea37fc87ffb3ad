import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { unitText } from './unit.ts';

const manifest = (extra: object) =>
  parseManifest(
    JSON.stringify({
      id: 'mural',
      version: '1',
      kind: 'service',
      escopo: 'servidor',
      backend: { runtime: 'node', entrypoint: 'a.js' },
      ...extra,
    }),
  );
const lineOf = (text: string, name: string): string | undefined => text.split('\n').find((line) => line.startsWith(`${name}=`));

describe('the unit of a server-scope app', () => {
  test('runs as its own account, with its own folders, behind closed doors', () => {
    const text = unitText(manifest({}), '/opt/svc/bin');
    for (const line of [
      'User=svc-mural',
      'EnvironmentFile=-/etc/svc-kit/portal/mural.env',
      'ExecStart=/opt/svc/bin/svc-app-serve mural',
      'RuntimeDirectory=svc-apps/mural',
      'StateDirectory=svc-apps/mural',
      'StateDirectoryMode=0700',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'CapabilityBoundingSet=',
      'PrivateDevices=yes',
      'StartLimitBurst=5',
      'StartLimitIntervalSec=600',
      'RestartPreventExitStatus=78',
      'WantedBy=multi-user.target',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test.for([
    [{}, ['1536M', '2G', '512', undefined]],
    [{ memoryMax: 'none', tasksMax: '64', cpuQuota: '150%' }, ['1536M', 'infinity', '64', '150%']],
    [{ memoryMax: '1G\nExecStartPre=/bin/evil', cpuQuota: 'none' }, ['1536M', '2G', '512', undefined]],
  ] as const)('holds the ceilings of %j', ([resources, [high, max, tasks, cpu]]) => {
    const text = unitText(manifest({ resources }), '/opt/svc/bin');
    expect(lineOf(text, 'MemoryHigh')).toBe(`MemoryHigh=${high}`);
    expect(lineOf(text, 'MemoryMax')).toBe(`MemoryMax=${max}`);
    expect(lineOf(text, 'TasksMax')).toBe(`TasksMax=${tasks}`);
    expect(lineOf(text, 'CPUQuota')).toBe(cpu === undefined ? undefined : `CPUQuota=${cpu}`);
    expect(text).not.toContain('evil');
  });

  test('leaves the devices visible to an app that declares a GPU, and time to one that sets up', () => {
    const text = unitText(
      manifest({ gpu: true, backend: { runtime: 'node', entrypoint: 'a.js', installCommand: 'make' } }),
      '/opt/svc/bin',
    );
    expect(lineOf(text, 'PrivateDevices')).toBe('PrivateDevices=no');
    expect(lineOf(text, 'TimeoutStartSec')).toBe('TimeoutStartSec=960');
    expect(lineOf(unitText(manifest({}), '/opt/svc/bin'), 'TimeoutStartSec')).toBe('TimeoutStartSec=60');
    const needsCard = manifest({ recursos: { gpu: { modo: 'necessaria' } } });
    expect(lineOf(unitText(needsCard, '/opt/svc/bin'), 'TimeoutStartSec')).toBe('TimeoutStartSec=210');
  });
});
