/** Starts the backend on a bench: a free port of this machine, data in a folder of its own, no portal and no token. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const dados = mkdtempSync(path.join(tmpdir(), 'app-'));
let app;
let endereco;

before(async () => {
  const { SVC_APP_TOKEN: _, SVC_APP_SOCKET: __, ...ambiente } = process.env;
  const main = fileURLToPath(new URL('../backend/main.mjs', import.meta.url));
  app = spawn(process.execPath, [main, '--tcp', '127.0.0.1:0'], {
    env: { ...ambiente, SVC_APP_DATA_DIR: dados },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const linha of createInterface({ input: app.stdout })) {
    const achado = /escutando em (\S+)/.exec(linha);
    if (achado) {
      endereco = `http://${achado[1]}`;
      return;
    }
  }
  throw new Error('the backend did not start; does node find the library svc?  eval "$(svc env)"');
});

after(() => {
  app?.kill('SIGTERM');
  rmSync(dados, { recursive: true, force: true });
});

const pedir = async (metodo, caminho) => await (await fetch(endereco + caminho, { method: metodo })).text();

void test('counts and serves its page', async () => {
  assert.equal(await pedir('GET', '/api/contagem'), '{"contagem":0}');
  assert.deepEqual(await Promise.all([pedir('POST', '/api/contagem'), pedir('POST', '/api/contagem')]), [
    '{"contagem":1}',
    '{"contagem":2}',
  ]);
  assert.match(await pedir('GET', '/'), /_sdk\/svc\.js/);
});
