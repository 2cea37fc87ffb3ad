import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync, chmodSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LaunchRefused } from './refusal.ts';
import { parseSecrets, readSecrets, secretValueProblem } from './secrets.ts';

const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof LaunchRefused) return error.refusal.message;
    throw error;
  }
  return 'accepted';
};
const parse = (text: string) => parseSecrets(new TextEncoder().encode(text));

describe('the vault', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'svc-'));
    path = join(dir, 'secrets.json');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('is a map of names and texts', () => {
    writeFileSync(path, '{"API_KEY":"s3cret = #x"}', { mode: 0o600 });
    expect([...readSecrets(path)]).toEqual([['API_KEY', 's3cret = #x']]);
  });

  test('without a file is empty', () => {
    expect(readSecrets(path).size).toBe(0);
  });

  test.for([0o640, 0o604, 0o660, 0o666] as const)('open to others (mode %o) is refused', (mode) => {
    writeFileSync(path, '{}');
    chmodSync(path, mode);
    expect(messageOf(() => readSecrets(path))).toBe(
      `secrets.json can't be used: others may read or write it (mode ${mode.toString(8)}); make it 600`,
    );
  });

  test('behind a link, or a folder, is refused', () => {
    writeFileSync(join(dir, 'other'), '{}', { mode: 0o600 });
    symlinkSync(join(dir, 'other'), path);
    expect(messageOf(() => readSecrets(path))).toBe("secrets.json can't be used: it is a link");
    expect(messageOf(() => readSecrets(dir))).toContain('it is not a regular file');
  });

  test('a socket in its place is refused', async () => {
    const server = createServer().listen(path);
    await once(server, 'listening');
    expect(messageOf(() => readSecrets(path))).toBe("secrets.json can't be used: it is not a regular file");
    server.close();
  });

  test.runIf(process.getuid?.() === 0)('of another account is refused', () => {
    writeFileSync(path, '{}', { mode: 0o600 });
    chownSync(path, 65_534, 65_534);
    expect(messageOf(() => readSecrets(path))).toBe("secrets.json can't be used: it belongs to another account");
  });

  test.for(['BROWSER', 'NODE_AUTH_TOKEN', 'PYTHON_KEY', 'ENV', 'SVC_PORTAL_URL', 'SVC_APP_BASE_PATH', 'SVC_APP_TOKEN', 'PATH'])(
    "may hold %s: the name is the person's",
    (name) => {
      expect([...parse(JSON.stringify({ [name]: 'x' }))]).toEqual([[name, 'x']]);
    },
  );

  test.for([
    ['SVC_APP_SOCKET', 'x'],
    ['SVC_APP_ID', 'x'],
    ['SVC_APP_INSTALLED_HASH', 'x'],
    ['SVC_APP_TOKEN', ''],
    ['SVC_APP_TOKEN', 'a\r\nX: y'],
  ] as const)('never yields %s=%j, and refuses nothing for it', ([name, value]) => {
    const told: string[] = [];
    const bytes = new TextEncoder().encode(JSON.stringify({ [name]: value, OTHER: 'y' }));
    expect([...parseSecrets(bytes, (one) => told.push(one))]).toEqual([['OTHER', 'y']]);
    expect(told).toEqual([name]);
  });

  test('holds a PEM key as it is', () => {
    const key = '-----BEGIN PRIVATE KEY-----\r\nMIIEvQ\nAbc\n-----END PRIVATE KEY-----\n';
    expect(parse(JSON.stringify({ CHAVE: key })).get('CHAVE')).toBe(key);
    expect(secretValueProblem(key)).toBeNull();
  });

  test.for([
    ['{"API_KEY":"a\\u0000b"}', 'the secret API_KEY holds a NUL'],
    ['{"API_KEY":7}', 'the secret API_KEY is not a text'],
    ['{"api":"x"}', 'a name is not of the form AAA_BBB'],
    ['{"__proto__":"x"}', 'a name is not of the form AAA_BBB'],
    ['["hunter2"]', 'expected an object of names and texts'],
    ['{"API_KEY":"hunter2', 'it is not JSON'],
  ] as const)('%s: %s', ([text, why]) => {
    const message = messageOf(() => parse(text));
    expect(message).toBe(`secrets.json can't be used: ${why}`);
    expect(message).not.toContain('hunter2');
  });
});
