import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { credentialOf, publicKeyAt } from './credential.ts';
import { newKey } from './portal-key.ts';

test.for([
  ['/srv/estado/ssh/id_ed25519.pub', undefined],
  ['/srv/estado/chaves/sirius', { file: 'chaves/sirius' }],
  ['$CHAVE', { env: 'CHAVE' }],
  ['$SSH_AUTH_SOCK', { agent: 'SSH_AUTH_SOCK' }],
] as const)('the public key is found at %s for %j', ([place, key]) => {
  expect(publicKeyAt(key, '/srv/estado')).toContain(place);
});

test('a key that can’t be read is not kept', () => {
  // As ssh2 writes one whose public half begins with a zero.
  const unread = [
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMgAAAAtz',
    'c2gtZWQyNTUxOQAAAB8kn9HtpELsh2+TFz6E5a8AXB2KF3/LMMeb7BAB3p+IAAAA',
    'kDifcz44n3M+AAAAC3NzaC1lZDI1NTE5AAAAHySf0e2kQuyHb5MXPoTlrwBcHYoX',
    'f8swx5vsEAHen4gAAAA/L+GRUes0DPNbjbm1sPOXZi8VkW0JfPuUq8vwWQ1lC6wk',
    'n9HtpELsh2+TFz6E5a8AXB2KF3/LMMeb7BAB3p+IAAAACnN2Yy1wb3J0YWwBAgME',
    'BQ==',
    '-----END OPENSSH PRIVATE KEY-----\n',
  ].join('\n');
  const good = newKey();
  const made = [unread, unread, good];
  expect(newKey(() => made.shift()!)).toBe(good);
});

test('an own key that can not be read is told as that, and not as a server that does not answer', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-k-'));
  mkdirSync(path.join(dir, 'ssh/id_ed25519'), { recursive: true });
  await expect(credentialOf(undefined, dir, {})).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
    message: expect.stringContaining(`${dir}/ssh/id_ed25519, can't be read`) as string,
  });
  rmSync(dir, { recursive: true });
});
