/**
 * An account number that no account has, for one extraction. Not the account `nobody`: other services run as that, and could enter, stop
 * and change what shares it. A number needs no entry in any list to own a folder.
 */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { livingPids } from '../processes.ts';

/**
 * Numbers that systemd's table of ids leaves unused, and for a container that has 65,536 of them those of short-lived services.
 * Source: https://systemd.io/UIDS-GIDS/
 */
const ranges: readonly (readonly [number, number])[] = [
  [1_879_048_192, 2_147_483_646],
  [61_184, 65_519],
];
const triesMax = 32;

/** Serves as group, too. Rejects when this system has no such number. */
export async function unusedAccount(): Promise<number> {
  const maps = ['uid_map', 'gid_map'].map((name) => readFileSync(`/proc/self/${name}`, 'utf8'));
  const range = ranges.find(([first, last]) => maps.every((map) => isMapped(map, first, last)));
  if (range === undefined) throw new Error('no number is free for an account that extracts archives');
  const taken = new Set(livingPids().flatMap(ownerOf));
  for (let nth = 0; nth < triesMax; nth += 1) {
    const number = randomInt(range[0], range[1] + 1);
    if (!taken.has(number) && !(await isKnown('passwd', number)) && !(await isKnown('group', number))) return number;
  }
  throw new Error('no number is free for an account that extracts archives');
}

/** Lines `inside outside length`. Source: user_namespaces(7). */
export function isMapped(map: string, first: number, last: number): boolean {
  return map.split('\n').some((line) => {
    const [inside = NaN, , length = NaN] = line.trim().split(/\s+/).map(Number);
    return inside <= first && last < inside + length;
  });
}

function ownerOf(pid: number): readonly number[] {
  const stat = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  return stat === undefined ? [] : [stat.uid];
}

function isKnown(table: 'passwd' | 'group', number: number): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('getent', [table, '--', String(number)], { timeout: 5_000 }, (error) => resolve(error === null));
  });
}
