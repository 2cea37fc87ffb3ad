import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { watchApp, watchesLine } from './watch.ts';

test('where the kernel has no watches left files are looked at, and that is told once', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svcw-'));
  writeFileSync(path.join(folder, 'a.py'), '1');
  const told: string[] = [];
  const changed = Promise.withResolvers<readonly string[]>();
  const watched = watchApp(
    {
      folder,
      clock: systemClock,
      ignored: () => false,
      onChange: changed.resolve,
      onError: ({ message }) => told.push(message),
      onPolling: (code) => told.push(code),
    },
    (dir, options) => {
      if (options.usePolling === true) return watch(dir, options);
      const refused = Object.assign(new EventEmitter(), { close: async () => Promise.resolve() });
      // Two folders, and both are refused.
      for (let n = 0; n < 2; n += 1) setImmediate(() => refused.emit('error', Object.assign(new Error('watch'), { code: 'EMFILE' })));
      return refused as unknown as FSWatcher;
    },
  );
  try {
    await watched.ready;
    writeFileSync(path.join(folder, 'a.py'), 'changed');
    expect(await changed.promise).toEqual(['a.py']);
    expect(told).toEqual(['EMFILE']);
    expect(watchesLine('EMFILE')).toContain('max_user_instances');
  } finally {
    await watched.close();
    rmSync(folder, { recursive: true });
  }
});
