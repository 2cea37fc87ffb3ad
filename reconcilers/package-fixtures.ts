/** Builders for the tests of packages: version 1.2.0 of notas is wanted for everybody, and nothing is there yet. */
import type { PackageBusy, PackageDesired, PackageObserved } from './package-types.ts';

export const want: PackageDesired = {
  name: 'notas',
  leaving: false,
  cancels: false,
  server: 'casa',
  app: 'notas',
  scope: 'sistema',
  person: null,
  version: '1.2.0',
  generation: 1,
  requestId: null,
  paused: false,
  rollback: null,
};
export const sees = (changes: Partial<PackageObserved> = {}): PackageObserved => ({
  host: { status: 'reachable', message: '' },
  targetObserved: true,
  isOthers: false,
  overruled: null,
  installed: null,
  offer: { mark: 'a' },
  offered: ['1.2.0'],
  problem: null,
  refusedThere: null,
  refusal: null,
  living: 0,
  answered: false,
  busy: null,
  failure: null,
  ...changes,
});
export const at = (version: string, more: Partial<NonNullable<PackageObserved['installed']>> = {}) => ({
  version,
  hash: 'h',
  drift: false,
  previous: null,
  ...more,
});
export const busy = (act: PackageBusy['act'], more: Partial<PackageBusy> = {}): PackageBusy => ({
  act,
  version: act === 'install' ? '1.2.0' : null,
  cancelled: false,
  reason: act === 'install' ? 'Downloading' : 'Uninstalled',
  message: 'Downloading rosto 43 %',
  ...more,
});
