/**
 * A named pipe where a person, an author or an administrator may put something, for everything that reads it: it is said, with its name, and
 * nobody waits. Whatever waits all the same is released after a moment, and then its answer is another one.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createToken } from '../api/repository/tokens.ts';
import { systemClock } from '../controller/clock/system.ts';
import { previousVersion, readPackageManifest } from '../controller/hosts/package-folder.ts';
import { startLocalSupervisor } from '../controller/hosts/local-supervisor.ts';
import { credentialOf } from '../controller/hosts/ssh/credential.ts';
import { writeFileAtomic } from '../kit/atomic-file.ts';
import { takeLock } from '../kit/install/lock.ts';
import { currentManifest, versionsOf } from '../kit/install/versions.ts';
import { readManifest } from '../kit/launch/package.ts';
import { appendToRunLog, lastLines } from '../kit/launch/run-log.ts';
import { openRepositoryFolder } from '../kit/repository/publishing/folder.ts';
import { withRepositoryLock } from '../kit/repository/publishing/lock.ts';
import { judgePackage } from '../kit/repository/publishing/judge-package.ts';
import { publishEngineTarball } from '../kit/repository/publishing/publish-engine.ts';
import { extensionsAt } from '../kit/repository/reading/extensions.ts';
import { findPackage } from '../kit/repository/reading/find.ts';
import { createOfferedFiles } from '../kit/repository/reading/offered-file.ts';
import type { Repository } from '../kit/repository/reading/location.ts';
import type { Offers } from '../schema/shop-view.ts';
import { createOffersReader } from '../kit/repository/reading/offers.ts';
import { readSource } from '../kit/repository/reading/unpacked.ts';
import { createFence } from '../kit/supervise/fence.ts';
import { lockAt } from '../kit/supervise/lock.ts';
import type { Manifest } from '../schema/manifest/manifest.ts';
import { readPlainFile, readPlainFileSync } from '../schema/plain-file.ts';
import { markAttachments } from '../store/attachments-mark.ts';
import { createFolderBytes } from '../store/folder-bytes.ts';
import { openRoomDatabase } from '../store/room-log-database.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { lockState } from '../store/state-lock.ts';
import { appFolder } from './app-folder.ts';
import { runTrust } from './commands/server-trust.ts';
import { filesBeside } from './commands/validate-sources.ts';
import { needsBuild } from './dev/builder.ts';
import { ignoring } from './dev/first-good.ts';
import { buildLine } from './dev/left-out.ts';
import { rootedAddress } from './test-app/page-checks.ts';
import { packSource } from './up/pack-source.ts';
import { postgresPlace, storePlace } from './up/store-place.ts';

let pool: string;
let opener: Worker;
beforeAll(() => {
  pool = mkdtempSync(path.join(os.tmpdir(), 'svc-pipes-'));
  execFileSync(
    'mkfifo',
    Array.from(Object.keys(readers), (_, n) => path.join(pool, String(n))),
  );
  opener = new Worker(opening, { eval: true });
});
afterAll(async () => {
  rmSync(pool, { recursive: true });
  await opener.terminate();
});

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-pipe-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const said: string[] = [];
const folder = (): { kind: 'folder'; folder: string } => ({ kind: 'folder', folder: dir });
const repository = (): Repository => ({ ...folder(), place: dir, key: null, groups: null });
const engine = { nome: 'pandoc', versao: '1' };
const manifest = { icon: 'icon.png' } as Manifest;
const offers = (): Offers => ({
  apps: [
    {
      id: 'notas',
      repository: repository(),
      versions: [{ version: '1.0.0', tamanho: null, sha256: null, publicadoEm: null, novidades: '', manifest }],
    },
  ],
  problem: null,
});
const store = { value: async () => null, putValue: async () => undefined };
const says = (words: RegExp): unknown => expect.stringMatching(words);
const isPipe = says(/named pipe/);
/** Opens both ends of the pipe that it is told, again and again: whoever waits would be the end of the whole file, and may hold up this thread. */
const opening = `
const { closeSync, constants, openSync } = require('node:fs');
let timer;
require('node:worker_threads').parentPort.on('message', (pipe) => {
  const open = () => {
    try { closeSync(openSync(pipe, constants.O_RDWR)); } catch {}
    timer = setTimeout(open, 400);
  };
  clearTimeout(timer);
  if (pipe !== null) timer = setTimeout(open, 2_000);
});`;

/** Where the pipe lies below `dir`, what reads it, and what it answers or says. */
const readers: Readonly<Record<string, readonly [place: string, read: () => unknown, told: unknown]>> = {
  'any file, read': ['x', () => readPlainFile(path.join(dir, 'x')), isPipe],
  'any file, read at once': ['x', () => readPlainFileSync(path.join(dir, 'x')), isPipe],
  // The portal and its state folder.
  'Server.spec.ssh.key': ['key', () => credentialOf({ file: 'key' }, dir, {}), isPipe],
  'the key of the portal': ['ssh/id_ed25519', () => credentialOf(undefined, dir, {}), isPipe],
  'Portal.spec.storeCa': ['ca', () => postgresPlace({ store: 'postgres://svc@db/svc', storeCa: path.join(dir, 'ca') }, dir), isPipe],
  'where the store was': ['store', () => storePlace(path.join(dir, 'gone'), dir), isPipe],
  'the lock of the state folder': ['lock', () => lockState(dir), isPipe],
  'the pid of the state folder': ['pid', () => lockState(dir), isPipe],
  'the store': ['svc.db', () => openSqliteStore(path.join(dir, 'svc.db')), isPipe],
  'the log of rooms': ['rooms.db', () => openRoomDatabase(path.join(dir, 'rooms.db')), isPipe],
  'whose the attachments are': ['.store', () => markAttachments(dir, store), isPipe],
  'the mark of attachments, written': ['.store.tmp', () => markAttachments(dir, store), says(/ENXIO.*\.store\.tmp/)],
  'bytes that come': ['a/x', () => createFolderBytes(dir).grow('a', 'x'), says(/ENXIO/)],
  'a manifest that is installed': ['notas/svc-app.json', () => readPackageManifest(path.join(dir, 'notas')), isPipe],
  'the record of the version before': [
    '.versions/notas/0123456789ab.json',
    () => {
      symlinkSync('0123456789ab', path.join(dir, '.versions/notas/previous'));
      return previousVersion(dir, 'notas');
    },
    isPipe,
  ],
  'the log of a supervisor': [
    '.svc-apps/supervisor.log',
    () => startLocalSupervisor({ place: { home: dir, prefix: dir }, account: 'ana', binDir: dir, clock: systemClock }),
    isPipe,
  ],
  'a tarball for a server': [
    'a.tgz',
    () => packSource({ kind: 'tarball', path: path.join(dir, 'a.tgz'), sha256: '' }, dir),
    says(/a\.tgz is no plain file/),
  ],
  // A repository.
  'a catalogue, for the shop': [
    'v1/catalogo.json',
    () => {
      mkdirSync(path.join(dir, 'v1/pacote'));
      return createOffersReader(systemClock).read([repository()]);
    },
    expect.objectContaining({ problem: isPipe }),
  ],
  'a catalogue, for the installer': [
    'v1/catalogo.json',
    () => findPackage(dir, { app: 'notas', version: null, sha256: null }, async () => new Uint8Array()),
    isPipe,
  ],
  'a catalogue of extensions': ['extensoes.json', () => extensionsAt(folder()), isPipe],
  'an icon of the shop': ['notas/icon.png', () => createOfferedFiles().read([repository()], offers(), 'notas', '1.0.0', 'icon.png'), null],
  'a manifest in a repository': ['svc-app.json', () => readSource(dir), says(/svc-app\.json:1:1 UNREADABLE .*named pipe/)],
  'tokens of a repository': ['.svc/tokens.json', () => createToken(dir, null, 0), isPipe],
  'a record of a repository': ['v1/pacote/notas/1.0.0.json', () => openRepositoryFolder(dir), isPipe],
  'the lock of a repository': ['.svc/lock', () => withRepositoryLock(dir, async () => undefined), isPipe],
  'the tarball of an engine': [
    'a.tgz',
    () => publishEngineTarball(path.join(dir, 'a.tgz'), engine, { destination: null, base: new URL('http://x/'), nowMs: 0 }),
    isPipe,
  ],
  // On a server.
  'a manifest that is started': ['svc-app.json', () => readManifest(dir, 'notas'), isPipe],
  'the manifest before': ['notas/svc-app.json', () => currentManifest(versionsOf(dir, 'notas')), isPipe],
  'the lock of an installation': ['notas.lock', () => takeLock(path.join(dir, 'notas.lock')), isPipe],
  'the lock of a supervisor': ['supervisor.lock', () => lockAt(path.join(dir, 'supervisor.lock')).check(), 'unknown'],
  'the number of the leader': [
    'leader',
    () => {
      createFence({ file: path.join(dir, 'leader'), nowMs: () => 0, log: (_, fields) => said.push(JSON.stringify(fields)) });
      return said.splice(0).join('');
    },
    isPipe,
  ],
  'the log of an app, written': ['run.log', () => appendToRunLog(path.join(dir, 'run.log'), 'x'), isPipe],
  'the log of an app, read': ['run.log', () => lastLines(path.join(dir, 'run.log'), 1, 100), isPipe],
  'what a file is made of': [`x.${process.pid}.tmp`, () => writeFileAtomic(path.join(dir, 'x'), ''), says(/ENXIO.*x\.\d+\.tmp/)],
  // Commands of an author.
  'the manifest of a package': ['svc-app.json', () => judgePackage(dir, [], 'svc-app.json'), isPipe],
  'the folder of an app': ['svc-app.json', () => appFolder(dir), isPipe],
  'a file that a manifest names': ['icon.png', () => filesBeside(path.join(dir, 'svc-app.json'))('icon.png'), 'absent'],
  'the page of an app': ['frontend/x.js', () => rootedAddress(dir), null],
  'a manifest before it is built': ['svc-app.json', () => writeFileSync(path.join(dir, 'build.sh'), '') ?? needsBuild(dir), false],
  'package.json of an app': ['package.json', () => buildLine(dir), `echo 'COMMAND' > build.sh`],
  '.svcignore of an app': ['.svcignore', async () => (await ignoring(dir)).of('a'), false],
  'svc server trust': ['f.yaml', () => runTrust('casa', dir, { output: 'table' }), isPipe],
};

test.for(Object.entries(readers))('%s', async ([name, [place, read, told]]) => {
  const pipe = path.join(dir, place);
  mkdirSync(path.dirname(pipe), { recursive: true });
  renameSync(path.join(pool, String(Object.keys(readers).indexOf(name))), pipe);
  opener.postMessage(pipe, []);
  const beganMs = performance.now();
  try {
    expect(await (async () => await read())().catch(String)).toEqual(told);
    expect(performance.now() - beganMs).toBeLessThan(1_900);
  } finally {
    opener.postMessage(null, []);
  }
});
