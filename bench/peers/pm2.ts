/** PM2 on its defaults, in a home of its own. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Manager } from './manager.ts';

const run = promisify(execFile);
const program = resolve(import.meta.dirname, '../../node_modules/pm2/bin/pm2');

export function pm2Manager(): Manager {
  let home = '';
  const pm2 = (args: readonly string[]): Promise<unknown> =>
    run(process.execPath, [program, ...args], {
      env: { ...process.env, PM2_HOME: home, PM2_DISABLE_VERSION_CHECK: 'true' },
      timeout: 180_000,
    });
  return {
    name: 'PM2',
    async start(folder, apps) {
      home = join(folder, 'pm2');
      const file = join(folder, 'apps.json');
      const entries = apps.map((app) => ({
        name: app,
        script: join(folder, 'backend.pl'),
        args: app,
        interpreter: 'none',
      }));
      await writeFile(file, JSON.stringify({ apps: entries }));
      await pm2(['start', file]);
    },
    managerPids: () => [Number(readFileSync(join(home, 'pm2.pid'), 'utf8'))],
    reset: async () => {},
    async stop() {
      if (home !== '') await pm2(['kill']);
    },
  };
}
