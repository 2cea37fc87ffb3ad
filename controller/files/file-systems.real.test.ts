/** The contract of files on all three ways, of which two are answered by Node's fs in a process of its own. Needs root: an sshd and a process become an account. */
import { execFile } from 'node:child_process';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startSshd, type TestSshd } from '../../test/support/sshd.ts';
import { systemClock } from '../clock/system.ts';
import { createConnections } from '../hosts/ssh/connections.ts';
import { createAccountFileSystem } from './account-files.ts';
import type { FileSystem } from './file-system.ts';
import { createSftpFileSystem } from './sftp/file-system.ts';
import { testFileSystem, type FilesUnderTest } from './testing/file-system-contract.ts';

let sshd: TestSshd;
let ways: Record<'ssh' | 'account' | 'portal', FileSystem>;
let folder: Buffer;
let count = 0;
let connections: ReturnType<typeof createConnections>;

beforeAll(async () => {
  sshd = await startSshd({ accounts: 1, config: ['Subsystem sftp internal-sftp'] });
  const [account] = sshd.accounts;
  if (account === undefined) throw new Error('no account');
  const privateKey = await readFile(sshd.keyFile);
  connections = createConnections({
    target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
    admin: 'root',
    credential: async () => ({ kind: 'key', privateKey }),
    clock: systemClock,
  });
  const { stdout } = await promisify(execFile)('id', ['-g', account.name]);
  ways = {
    ssh: createSftpFileSystem({ open: () => connections.of(account.name).subsystem('sftp'), clock: systemClock }),
    account: createAccountFileSystem({ name: account.name, uid: account.uid, gid: Number(stdout), home: account.home }, systemClock),
    portal: createAccountFileSystem(null, systemClock),
  };
});
afterAll(async () => {
  await ways?.ssh.close();
  await ways?.account.close();
  await ways?.portal.close();
  connections?.close();
  await sshd?.stop();
});
beforeEach(async () => {
  const [account] = sshd.accounts;
  count += 1;
  const made = `${account?.home}/t${count}`;
  await mkdir(made);
  await chown(made, account?.uid ?? 0, account?.uid ?? 0);
  folder = Buffer.from(made);
});

const under = (way: 'ssh' | 'account' | 'portal') => (): FilesUnderTest => ({
  fs: ways[way],
  folder,
  isRoot: way === 'portal',
  path: (name) => Buffer.concat([folder, Buffer.from('/'), Buffer.from(name)]),
});

testFileSystem('over ssh', under('ssh'));
testFileSystem('by a process that became the account', under('account'));
testFileSystem('as the account of the portal', under('portal'));
