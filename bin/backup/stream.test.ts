import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { openBackupFolder } from '../../store/backup/folder.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { secretFiles } from './secret-files.ts';
import { streamBackup, unpackStream } from './stream.ts';

let dir: string;
let tar: Buffer;
let id: string;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-stream-'));
  const stateDir = path.join(dir, 'state');
  await (await openSqliteStore(path.join(stateDir, 'svc.db'))).close();
  writeFileSync(path.join(stateDir, 'store'), '{"store":"sqlite:svc.db"}\n');
  const output = new PassThrough();
  const read = buffer(output);
  ({ id } = await streamBackup({ stateDir, desired: null, clock: systemClock }, output));
  output.end();
  tar = await read;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Paths of what was read back; every object was read. */
const unpack = async (bytes: Buffer): Promise<readonly string[]> => {
  const folder = mkdtempSync(path.join(dir, 'unpacked-'));
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 700) parts.push(bytes.subarray(at, at + 700));
  await unpackStream(Readable.from(parts), folder);
  const backups = await openBackupFolder(folder, { makes: false });
  try {
    expect((await backups.snapshots()).map((one) => one.id)).toEqual([id]);
    const { entries } = await backups.manifest(id);
    for (const { chunks } of entries) for (const sha of chunks) await backups.object(sha);
    return entries.map((entry) => entry.path);
  } finally {
    backups.close();
  }
};

test('a stream is read back as a folder of backups with one snapshot, in pieces of any size', async () => {
  expect(await unpack(tar)).toEqual(['svc.db', 'store']);
});

test.for([1, 2, 3])('a reader that goes at write %i ends the backup', async (last) => {
  let writes = 0;
  const output = new Writable({ write: (_bytes, _encoding, done) => done((writes += 1) === last ? new Error('gone') : null) });
  await expect(streamBackup({ stateDir: path.join(dir, 'state'), desired: null, clock: systemClock }, output)).rejects.toThrow('gone');
});

/** Flips a bit in the first object of the stream. */
function otherByte(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  other.writeUInt8(other.readUInt8(520) ^ 1, 520);
  return other;
}

test.for([
  ['cut before its snapshot', (bytes: Buffer) => bytes.subarray(0, bytes.indexOf('snapshots/')), 'DIGEST_MISMATCH'],
  ['cut within an object', (bytes: Buffer) => bytes.subarray(0, 512 * 4), 'ARCHIVE_REFUSED'],
  ['with another byte', otherByte, 'DIGEST_MISMATCH'],
] as const)('one %s is refused', async ([, change, code]) => {
  await expect(unpack(change(tar))).rejects.toMatchObject({ code });
});

test('files and variables that documents name are found at any depth, and certificates', () => {
  const portal = {
    apiVersion: 'svc/v1',
    kind: 'Portal',
    metadata: { name: 'casa' },
    spec: {
      storeCa: 'ca.pem',
      portalKey: { env: 'KEY' },
      signIn: { oidc: { issuer: 'https://i', clientId: 'c', clientSecret: { file: 'secrets/oidc' } } },
    },
  } as const;
  const server = {
    apiVersion: 'svc/v1',
    kind: 'Server',
    metadata: { name: 's' },
    spec: { ssh: { host: 'h', hostKey: 'k', key: { file: '/etc/key' } } },
  } as const;
  expect(secretFiles([portal, server])).toEqual({ files: ['/etc/key', 'ca.pem', 'secrets/oidc'], variables: ['KEY'] });
});
