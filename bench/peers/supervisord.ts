/** supervisord (Debian package `supervisor`) on its defaults. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manager } from './manager.ts';

export function supervisordManager(): Manager {
  const program = '/usr/bin/supervisord';
  if (!existsSync(program)) throw new Error('bench: supervisord is missing: apt-get install -y --no-install-recommends supervisor');
  let child: ChildProcess | null = null;
  return {
    name: 'supervisord',
    async start(folder, apps) {
      const programs = apps.map((app) => `[program:${app}]\ncommand=${folder}/backend.pl ${app}\nautorestart=true\n`);
      const config = `[supervisord]\nnodaemon=true\nlogfile=${folder}/supervisord.log\npidfile=${folder}/supervisord.pid\n\n${programs.join('\n')}`;
      await writeFile(join(folder, 'supervisord.conf'), config);
      child = spawn(program, ['-c', join(folder, 'supervisord.conf')], { stdio: 'ignore', cwd: folder });
      await once(child, 'spawn');
    },
    managerPids: () => [child!.pid!],
    reset: async () => {},
    async stop() {
      if (child === null || child.exitCode !== null) return;
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
    },
  };
}
