import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../../clock/system.ts';
import { createNodeFileSystem } from '../node-file-system.ts';
import { createSftpFileSystem } from './file-system.ts';
import { serveSftp } from './server.ts';

test('a line that is still being opened as the end comes is closed, and nothing opens another one', async () => {
  const [ours, theirs] = duplexPair();
  serveSftp(theirs, createNodeFileSystem(), () => undefined);
  const opened = Promise.withResolvers<typeof ours>();
  let asked = 0;
  const fs = createSftpFileSystem({ open: () => ((asked += 1), opened.promise), clock: systemClock });
  const space = fs.space(Buffer.from('/'));
  await fs.close();
  opened.resolve(ours);
  await expect(space).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(ours.destroyed).toBe(true);
  await expect(fs.space(Buffer.from('/'))).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(asked).toBe(1);
});
