/**
 * Faults of other readers of tarballs, by the name of the advisory (bombs are in bombs.real.test.ts): each archive is made as the advisory describes
 * it, byte by byte. It is refused, leaves nothing, and the files beside the target are unchanged.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { SvcError } from '../../schema/errors.ts';
import { extractArchive } from './extract.ts';
import { packageArchive } from './rules.ts';
import { inPieces, pax, type RawEntry, rawEntry, tarball, tarEnd } from './testing/raw-tar.ts';
import { outside } from './testing/trees.ts';

let base: string;
let target: string;
let before: string;
let archives = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-adv-'));
  for (const folder of ['canary/inner', 'place', 'place/.ssh']) mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['canary/file', 'canary/inner/file', 'place/.ssh/authorized_keys', 'secret.txt'])
    writeFileSync(join(base, file), `mine: ${file}`);
  target = join(base, 'place/target');
  before = outside(base, target);
});
afterAll(() => {
  tellCount(
    `archives of the advisories: ${archives} tried, bytes changed outside of the target: ${outside(base, target) === before ? 0 : 'SOME'}`,
  );
  rmSync(base, { recursive: true, force: true });
});

const root: RawEntry = { name: 'a-1/', type: '5', mode: '0000755' };
const folder = (name: string): RawEntry => ({ name: `a-1/${name}/`, type: '5', mode: '0000755' });
const file = (name: string): RawEntry => ({ name: `a-1/${name}`, data: 'evil' });
const symlink = (name: string, link: string): RawEntry => ({ name: `a-1/${name}`, type: '2', link });
const hardlink = (name: string, link: string): RawEntry => ({ name: `a-1/${name}`, type: '1', link });
/** GNU long name before an entry of another name. */
const longName = (text: string): RawEntry => ({ name: '././@LongLink', type: 'L', data: `${text}\0` });

const advisories: readonly (readonly [string, string, readonly (RawEntry | Buffer)[]])[] = [
  // A directory, then a link of a name that normalizes to the same, then a file below it: the cache still says "a directory".
  [
    'GHSA-qq89-hq3f-393p (CVE-2021-37712): NFC, then NFD',
    'LINK',
    [root, folder('caf\u00e9'), symlink('cafe\u0301', '../../canary'), file('caf\u00e9/file')],
  ],
  [
    'GHSA-qq89-hq3f-393p: the link in NFC',
    'DUPLICATE',
    [root, folder('caf\u00e9'), { ...file('caf\u00e9'), data: '' }, file('caf\u00e9/file')],
  ],
  [
    'GHSA-qq89-hq3f-393p: an 8.3 short name',
    'LINK',
    [root, folder('longfolder'), symlink('LONGFO~1', '../../canary'), file('longfolder/file')],
  ],
  ['CVE-2021-37701: a folder with a backslash replaced by a link', 'NAME', [root, folder('x\\y'), symlink('x\\y', '../../canary')]],
  ['CVE-2021-32803: a folder replaced by a link', 'LINK', [root, folder('x'), symlink('x', '../../canary'), file('x/file')]],
  ['CVE-2021-32804: ////absolute', 'ABSOLUTE', [root, { name: '////a-1/canary/file', data: 'evil' }]],
  ['CVE-2021-37713: C:relative\\..', 'NAME', [root, { name: 'a-1/C:..\\..\\canary\\file', data: 'evil' }]],
  ['CVE-2026-23745: a hard link with an absolute target', 'LINK', [root, hardlink('x', '/etc/passwd'), file('x')]],
  ['CVE-2026-23745: a symbolic link with an absolute target', 'LINK', [root, symlink('x', '/etc'), file('x/passwd')]],
  [
    'CVE-2026-23950: names that collide where ß is ss',
    'LINK',
    [root, symlink('collision_\u00df', '../../canary/file'), file('collision_ss')],
  ],
  ['CVE-2026-23950: names that collide where case is one', 'LINK', [root, symlink('FILE', '../../canary/file'), file('file')]],
  [
    'CVE-2026-24842: a hard link whose target is judged from another folder',
    'LINK',
    [root, folder('d'), folder('d/e'), hardlink('d/e/x', '../../../secret.txt'), file('d/e/x')],
  ],
  [
    'CVE-2026-26960: a hard link through a chain of links',
    'LINK',
    [root, symlink('a/b/c/up', '../..'), symlink('a/b/escape', 'c/up/../..'), hardlink('exfil', 'a/b/escape/canary/file')],
  ],
  ['CVE-2026-26960: the chain without its links first', 'LINK', [root, hardlink('exfil', 'a-1/a/b/escape/../../canary/file')]],
  ['CVE-2026-29786: a hard link to C:../target', 'LINK', [root, hardlink('x', 'C:../canary/file'), file('x')]],
  ['CVE-2026-29786: a symbolic link to C:../target', 'LINK', [root, symlink('x', 'C:../canary'), file('x/file')]],
  // A pax size that one reader gives to the long name and another to the file: two lists of contents in one archive.
  [
    'CVE-2026-53655: a pax size before a GNU long name',
    'PAX',
    [root, pax({ size: '1536' }), longName('a-1/x'), file('y'), file('../../canary/file')],
  ],
  [
    'CVE-2026-53655: a pax path before a GNU long name',
    'LONG_NAME',
    [root, pax({ path: 'a-1/x' }), longName('a-1/../../canary/file'), file('y')],
  ],
  ['CVE-2026-53655: a pax size before a pax header', 'PAX', [root, pax({ path: 'a-1/x' }), pax({ size: '0' }), file('y')]],
  [
    'CVE-2025-45582: a link in one archive, the file in the next, in one target',
    'LINK',
    [root, symlink('x', '../../canary'), tarEnd, rawEntry(file('x/file'))],
  ],
  ['CVE-2018-20834: a hard link to a file outside, then its content', 'LINK', [root, hardlink('x', '../secret.txt'), file('x')]],
];

test.for(advisories)('%s', async ([, rule, parts]) => {
  const bytes = tarball(...parts);
  for (const pieces of [1, 512, 1_000_000]) {
    archives += 1;
    const outcome = await extractArchive(inPieces(bytes, pieces), target, { limits: packageArchive }).catch((error: unknown) => error);
    expect(outcome instanceof SvcError ? outcome.details['rule'] : outcome).toBe(rule);
    expect([existsSync(target), outside(base, target) === before]).toEqual([false, true]);
  }
});
