/** nginx before several portals, with the very configuration of docs/several-portals.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository, until } from './portal.ts';

/** `place`: a folder for its own files, which it makes. `listen`: as nginx has it. `within`: words before its command. */
export async function beginPortalsNginx(
  place: string,
  listen: string,
  portals: readonly string[],
  within: readonly string[] = [],
): Promise<() => Promise<void>> {
  if (!existsSync('/usr/sbin/nginx')) throw new Error('no nginx here; install it with:  apt-get install -y nginx-light');
  mkdirSync(place);
  const page = readFileSync(path.join(repository, 'docs/several-portals.md'), 'utf8');
  const told = /```nginx\n([^]*?)```/.exec(page)?.[1] ?? '';
  const servers = portals.map((each) => `server ${each} max_fails=1 fail_timeout=1s;`).join('\n');
  const server = told.replace(/( {2}server 10\.0\.0\.\d:8787[^\n]*\n)+/, `${servers}\n`).replace('listen 80;', `listen ${listen};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${place}/${each};`).join('\n');
  const config = path.join(place, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    config,
    `daemon off; ${user} worker_processes 1; pid ${place}/pid; error_log ${place}/error.log;\nevents { worker_connections 2000; }\nhttp { access_log off; ${temporary}\n${server} }`,
  );
  const [command, ...words] = [...within, '/usr/sbin/nginx', '-c', config, '-e', `${place}/error.log`];
  const child = spawn(command, words, { stdio: 'inherit' });
  await until('nginx to run', () => {
    if (child.exitCode !== null) throw new Error(readFileSync(`${place}/error.log`, 'utf8'));
    return existsSync(`${place}/pid`);
  });
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
  };
}
