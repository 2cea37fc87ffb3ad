/** Signatures as minisign 0.11 wrote them, and what is refused of them. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSigningKey, signTarball } from '../publishing/sign.ts';
import { writeSecretKey } from '../testing/secret-key.ts';
import { checkClaim, checkTarball } from './signature.ts';

const tarball = 'the tarball';
const key = 'RWSKFxAcK9hjL8mhpAHWMFseKGVL+Iqv4OBGOulxjURkHMdPus/1ZyUb';
const claim = { app: 'notas', version: '1.0.0', sha256: '9444287dee246d8a40b79422081a10430102ae982462a7c7e713e729b593d2d5' };
/** `minisign -S -W -s key -m t.tgz -t "svc-app notas 1.0.0 sha256:…"` */
const signature = `untrusted comment: signature from minisign secret key
RUSKFxAcK9hjL23v1h9CR94z831fGI6CS44FVviM+VQlvza5K5OfYXiNlJYumCynHyS3ApFp3Q5TVJSXg3M8VSwFd5DfJxgqAws=
trusted comment: svc-app notas 1.0.0 sha256:${claim.sha256}
AWqWNZPRmoegTx/c0g2gAB9hFVaWaEValwpG34t0CxJlMCSsfgY6/d3KXI63LmFWqtm32jJQqIe3K90dvqTqBw==
`;
const legacy = `untrusted comment: signature from minisign secret key
RWSKFxAcK9hjL/cp1j1UQ7kAitFzoo6SjYrDJ1WE1hq2Wclojzw41AIlaqtj+RPWJ+u5eJb3cAn5SAS3DkFa8H3hARykWJcQIQ8=
trusted comment: svc-app notas 1.0.0 sha256:${claim.sha256}
QybhSXyemt1/7oh7oGSsLmC812ZVHb5dorjVPl0LSJ4KP+7o48LDKd2zLwYAhLl29eTLvMmxfbCcKXUv3QyMCg==
`;
const digest = (text: string): Buffer => createHash('blake2b512').update(text).digest();

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-sig-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a signature of minisign is good for its claim and its bytes, and for no others', () => {
  expect(checkClaim(signature, key, claim)).toBe('2F63D82B1C10178A');
  checkTarball(signature, key, digest(tarball));
  expect(() => checkTarball(signature, key, digest(`${tarball}!`))).toThrow('did not sign these bytes');
  for (const other of [
    { ...claim, version: '1.0.1' },
    { ...claim, app: 'mapa' },
    { ...claim, sha256: 'a'.repeat(64) },
  ])
    expect(() => checkClaim(signature, key, other)).toThrow('it is for "svc-app notas 1.0.0');
});

const at = (text: string, line: number, change: (line: string) => string): string =>
  text
    .split('\n')
    .map((one, index) => (index === line ? change(one) : one))
    .join('\n');

test.for([
  ['another claim in the comment', at(signature, 2, (line) => line.replace('1.0.0', '2.0.0')), 'did not sign its trusted comment'],
  ['another first signature', at(signature, 1, (line) => line.replace('23v1', '23v2')), 'did not sign its trusted comment'],
  ['the legacy format', legacy, 'legacy format'],
  ['a line more', `${signature}x`, 'four lines'],
  ['lines of Windows', signature.replaceAll('\n', '\r\n'), 'four lines'],
  ['bits beyond the end in base64', at(signature, 1, (line) => line.replace(/s=$/, 't=')), 'base64'],
  ['a text that is too long', at(signature, 0, (line) => line + 'x'.repeat(2_048)), 'four lines'],
  ['nothing', '', 'four lines'],
] as const)('%s is refused', ([, text, why]) => {
  expect(() => checkClaim(text, key, claim)).toThrow(why);
});

test('what is signed here is good for the key of that file alone; a file that others may read, or with a password, is no key', async () => {
  const [file, own] = [join(dir, 't.tgz'), join(dir, 'own.key')];
  writeFileSync(file, tarball);
  writeSecretKey(own);
  const secret = await readSigningKey(own);
  const text = await signTarball(file, claim, secret);
  expect(checkClaim(text, secret.publicKey, claim)).toMatch(/^[0-9A-F]{16}$/);
  checkTarball(text, secret.publicKey, digest(tarball));
  expect(() => checkClaim(text, key, claim)).toThrow('expected is 2F63D82B1C10178A');
  writeSecretKey(join(dir, 'open.key'), 0o644);
  await expect(readSigningKey(join(dir, 'open.key'))).rejects.toThrow('chmod 600');
  writeFileSync(join(dir, 'locked.key'), `c\n${Buffer.concat([Buffer.from('EdScB2'), Buffer.alloc(152)]).toString('base64')}\n`, {
    mode: 0o600,
  });
  await expect(readSigningKey(join(dir, 'locked.key'))).rejects.toThrow('has a password');
});
