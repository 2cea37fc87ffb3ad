import { describe, expect, it } from 'vitest';
import { decidePackage, type PackageDesired, type PackageMemory, type PackageObserved } from './package.ts';

const want: PackageDesired = { server: 'casa', app: 'notas', scope: 'sistema', person: null, version: '1.2.0', generation: 1 };
const sees = (changes: Partial<PackageObserved> = {}): PackageObserved => ({
  host: { status: 'reachable', message: '' },
  installed: null,
  source: { version: '1.2.0' },
  busy: false,
  failure: null,
  ...changes,
});
const at = (version: string) => ({ version, hash: 'h' });

describe('a package', () => {
  it.for([
    ['is installed when nothing stands there', want, sees(), 'installing', 'Installing', ['package/install']],
    ['is left alone when it is there', want, sees({ installed: at('1.2.0') }), 'installed', 'Installed', []],
    ['is brought to another version', want, sees({ installed: at('1.1.0') }), 'outdated', 'Outdated', ['package/install']],
    ['is brought back to an older version too', want, sees({ installed: at('2.0.0') }), 'outdated', 'Outdated', ['package/install']],
    ['waits for a repository that holds nothing', want, sees({ source: null }), 'missing', 'SourceMissing', []],
    ['waits for a repository that holds another version', want, sees({ source: { version: '1.3.0' } }), 'missing', 'SourceMissing', []],
    ['keeps what runs while it waits', want, sees({ source: null, installed: at('1.1.0') }), 'outdated', 'SourceMissing', []],
    [
      'is removed with its document',
      { ...want, version: null },
      sees({ installed: at('1.2.0') }),
      'removing',
      'Uninstalled',
      ['package/remove'],
    ],
    ['is gone when nothing is left', { ...want, version: null }, sees(), 'removed', 'Uninstalled', []],
    ['is not touched twice at once', want, sees({ busy: true }), 'installing', 'Installing', []],
    [
      'is unknown on a server that does not answer',
      want,
      sees({ host: { status: 'unreachable', message: 'no route' } }),
      'unknown',
      'ServerUnreachable',
      [],
    ],
  ] as const)('%s', ([, desired, observed, state, reason, actions]) => {
    const decision = decidePackage(desired, observed, null, 1_000);
    expect([decision.state, decision.reason, decision.actions.map(({ kind }) => kind)]).toEqual([state, reason, actions]);
  });

  it('is tried again after 2, 4, 8… s when it fails for a passing cause', () => {
    const failure = { reason: 'InstallFailed', message: 'disk full', retry: 'transient', atMs: 0 } as const;
    let memory: PackageMemory | null = null;
    const attempts: number[] = [];
    for (let nowMs = 0; nowMs <= 31_000; nowMs += 500) {
      const decision = decidePackage(want, sees({ failure: memory === null ? null : failure }), memory, nowMs);
      if (decision.actions.length > 0) attempts.push(nowMs);
      expect(decision.state).toBe(decision.actions.length > 0 ? 'installing' : 'failed');
      memory = decision.memory;
    }
    expect(attempts).toEqual([0, 2_000, 6_000, 14_000, 30_000]);
  });

  it('waits no longer than its longest wait when the clock was set back', () => {
    const { memory } = decidePackage(want, sees(), null, 365 * 86_400_000);
    const failure = { reason: 'InstallFailed', message: 'disk full', retry: 'transient', atMs: 0 } as const;
    expect(decidePackage(want, sees({ failure }), memory, 1_000).actions).toHaveLength(1);
  });

  it('waits for another wish or another source when it failed for good', () => {
    const failure = { reason: 'InstallFailed', message: 'broken manifest', retry: 'terminal', atMs: 0 } as const;
    const first = decidePackage(want, sees(), null, 0);
    const failed = decidePackage(want, sees({ failure }), first.memory, 1_000_000);
    expect([failed.state, failed.actions, failed.nextDeadlineMs]).toEqual(['failed', [], null]);
    const other = decidePackage({ ...want, version: '1.3.0' }, sees({ failure, source: { version: '1.3.0' } }), failed.memory, 1_000_001);
    expect(other.actions).toHaveLength(1);
  });

  it('keeps the very same memory while nothing changes', () => {
    const first = decidePackage(want, sees({ installed: at('1.2.0') }), null, 0);
    expect(decidePackage(want, sees({ installed: at('1.2.0') }), first.memory, 10_000).memory).toBe(first.memory);
  });
});
