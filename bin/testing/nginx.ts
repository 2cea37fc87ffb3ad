/** nginx over the `v1/` of a repository folder, as docs/repository.md says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/portal.ts';

/** `place` is a folder for its own files, which it makes. */
export async function beginNginx(place: string, root: string): Promise<{ readonly url: string; readonly end: () => Promise<void> }> {
  mkdirSync(place);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${place}/${each};`).join('\n');
  const config = path.join(place, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    config,
    `daemon off; ${user} pid ${place}/pid; error_log ${place}/error.log; events {}
http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; location /v1/ { root ${root}; disable_symlinks on; } } }`,
  );
  const server = spawn('/usr/sbin/nginx', ['-c', config, '-e', `${place}/error.log`], { stdio: 'inherit' });
  const end = async (): Promise<void> => {
    server.kill('SIGTERM');
    await once(server, 'close');
  };
  for (const until = Date.now() + 60_000; !(await answers(port));) {
    if (Date.now() > until) {
      await end();
      throw new Error('nginx does not listen');
    }
    await sleep(20);
  }
  return { url: `http://127.0.0.1:${port}`, end };
}

async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
