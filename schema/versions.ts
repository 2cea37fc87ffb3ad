/** Which of two versions is the newer one. */
import compareBuild from 'semver/functions/compare-build.js';
import parse from 'semver/functions/parse.js';

/**
 * Semantic versions by their rules; an invalid text (publishing warns of it) is older than all of them and ordered by its numbers. A total order: 0
 * only for equal texts. Source: rules 2.1 `version`, 9.
 */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [parse(a), parse(b)];
  if (left && right) return compareBuild(left, right) || plain(a, b);
  if (left || right) return left ? 1 : -1;
  return byNumbers(a, b) || plain(a, b);
}

function byNumbers(a: string, b: string): number {
  const [left, right] = [a.split(/[^0-9A-Za-z]+/), b.split(/[^0-9A-Za-z]+/)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [x = '', y = ''] = [left[at], right[at]];
    const both = /^[0-9]{1,15}$/.test(x) && /^[0-9]{1,15}$/.test(y);
    const order = both ? Number(x) - Number(y) : plain(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

function plain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether `installed` satisfies a `minShellVersion`: one to three numbers, those not written are 0. Source: rules 2.1. */
export function satisfiesMinimum(shellVersion: string, minimum: string): boolean {
  const numbers = (text: string): number[] => (/^[0-9]+(?:\.[0-9]+){0,2}/.exec(text)?.[0] ?? '0').split('.').map(Number);
  const [have, want] = [numbers(shellVersion), numbers(minimum)];
  for (let at = 0; at < 3; at += 1) {
    const [x = 0, y = 0] = [have[at], want[at]];
    if (x !== y) return x > y;
  }
  return true;
}
