/** A named pipe where the libraries of backends read or write: both say it, and neither waits for its other end. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const runtimes = {
  node: { program: join(root, 'node_modules/.bin/node'), main: 'main.mjs', path: { NODE_PATH: join(root, 'sdk/node') } },
  python: { program: 'python3', main: 'main.py', path: { PYTHONPATH: join(root, 'sdk/python') } },
} as const;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-sdk-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const node = (text: string): string =>
  `import { createRequire } from 'node:module';\nconst svc = createRequire(import.meta.url)('svc');\n${text}\n`;
const python = (text: string): string => `import svc\nfrom svc import erros\n${text}\n`;

/** Where the pipe lies below the home, a program of each, and what it says. */
const rows = [
  [
    'the manifest of the app',
    'app/svc-app.json',
    node("console.log(createRequire(import.meta.url)('svc/lib/app.js').version())"),
    python('from svc import _app\nprint(_app.version())'),
    /^dev$/m,
  ],
  [
    'limits.json',
    '.svc-apps/dev/limits.json',
    node('console.log(svc.gpu.disponivel().motivo)'),
    python("from svc import gpu\nprint(gpu.disponivel()['motivo'])"),
    /limits\.json ilegível: não é um arquivo comum/,
  ],
  [
    'app.log',
    '.svc-apps/dev/data/app.log',
    node("svc.servidor.criarLog()('a')"),
    python("from svc import servidor\nservidor.criar_log()('a')"),
    /app\.log não pôde ser escrito: .*(ENXIO|No such device)/,
  ],
  [
    'an input of a job',
    'entrada',
    node("await svc.fila.submeter({ comando: ['true'], entradas: { a: 'entrada' } }).catch((erro) => console.log(erro.message))"),
    python(
      "from svc import fila\ntry:\n    fila.submeter(['true'], entradas={'a': 'entrada'})\nexcept svc.erros.ErroSvc as erro:\n    print(erro)",
    ),
    /entrada não é um arquivo comum/,
  ],
] as const;

test.for(rows.flatMap((row) => (['node', 'python'] as const).map((runtime) => [row[0], runtime, row] as const)))(
  '%s, %s',
  ([, runtime, [, place, ofNode, ofPython, told]]) => {
    const { program, main, path } = runtimes[runtime];
    mkdirSync(join(home, 'app'));
    mkdirSync(dirname(join(home, place)), { recursive: true });
    execFileSync('mkfifo', [join(home, place)]);
    writeFileSync(join(home, 'app', main), runtime === 'node' ? ofNode : ofPython);
    const env = {
      PATH: process.env['PATH'],
      ...path,
      HOME: home,
      SVC_PORTAL_URL: 'http://127.0.0.1:1',
      SVC_PORTAL_TOKEN: 'x',
      SVC_PORTAL_SCOPES: 'fila',
      SVC_APP_INSTALLED_HASH: 'x',
    };
    const { stdout, stderr, signal } = spawnSync(program, [join(home, 'app', main)], { cwd: home, env, encoding: 'utf8', timeout: 20_000 });
    expect([signal, `${stdout}${stderr}`]).toEqual([null, expect.stringMatching(told)]);
  },
);
