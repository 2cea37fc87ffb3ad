/** Options that many commands of `svc` take, and what values of options are read as. */
import { InvalidArgumentError, Option } from 'commander';
import about from '../package.json' with { type: 'json' };
import { aboutBuild } from './about-build.ts';

/** With the commit where it is known: of what `npm run pack` made. */
export function versionText(): string {
  const commit = aboutBuild()?.commit ?? null;
  return commit === null ? about.version : `${about.version} (${commit})`;
}

export const state = () => new Option('--state <dir>', 'folder of the portal').env('SVC_STATE').default('state');
export const output = (formats: readonly string[] = ['table', 'json', 'yaml']) =>
  new Option('-o, --output <format>', 'how it is printed').choices(formats).default('table');
/** Output of lists: `wide` has more columns, and cuts nothing. */
export const listed = () => output(['table', 'wide', 'json', 'yaml']);

export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function lengthMs(text: string): number | null {
  const [, number, unit] = /^([0-9]{1,6})([mhd])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd'];
}

/** Milliseconds. */
export function duration(text: string): number {
  const ms = lengthMs(text);
  if (ms === null) throw new InvalidArgumentError('expected a time such as 30m, 12h or 7d');
  return ms;
}

/** Milliseconds since the epoch. */
export function time(text: string): number {
  const agoMs = lengthMs(text);
  if (agoMs !== null) return Date.now() - agoMs;
  const ms = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || ms < 0) throw new InvalidArgumentError('expected a date, a date with a time, or 30m, 12h, 7d');
  return ms;
}

export function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 10_000) throw new InvalidArgumentError('expected a whole number from 1 to 10000');
  return number;
}
