/**
 * Becomes a person's account for good, or stays that of the portal (`null`), and answers questions about files (account-files.ts), in SFTP on
 * descriptor 3. Ends with the portal. Exit codes: 0 the portal went, 1 it could not become the account, 2 something was asked that is none.
 */
import net from 'node:net';
import { become } from './become-account.ts';
import type { Account } from '../../schema/account-lookup.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { serveSftp } from './sftp/server.ts';

function leave(code: number, error: unknown): never {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(code);
}

try {
  const account = JSON.parse(process.argv[2] ?? '') as Account | null;
  if (account !== null) {
    process.umask(0o022);
    become(account);
  }
} catch (error) {
  leave(1, error);
}
const line = new net.Socket({ fd: 3 });
line.on('error', () => process.exit(0));
line.on('close', () => process.exit(0));
serveSftp(line, createNodeFileSystem(), (error) => leave(2, error));
