import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { takeKey } from './this-machine.ts';

test('root of this machine takes the key of the portal once, from loopback alone, beside keys without an end of their line', () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'svc-key-'));
  try {
    mkdirSync(path.join(home, '.ssh'));
    const file = path.join(home, '.ssh/authorized_keys');
    writeFileSync(file, 'ssh-rsa BBBB ana');
    const line = 'ssh-ed25519 AAAA svc-portal\n';
    expect([takeKey(line, home), takeKey(line, home)]).toEqual([true, false]);
    expect(readFileSync(file, 'utf8')).toBe('ssh-rsa BBBB ana\nfrom="127.0.0.1,::1" ssh-ed25519 AAAA svc\n');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
