/** Projects written by `svc create`: every template validates, does what every app must do, passes its own test, and can be published. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { publishApp } from '../../kit/repository/publishing/publish.ts';
import { schemaText } from '../../schema/manifest/published.ts';
import { validateManifest } from '../../schema/manifest/validate.ts';
import { everyNth } from '../../test/support/share.ts';
import { testApp } from '../test-app/run.ts';
import { repository, runSvc } from '../testing/run-svc.ts';
import { createApp } from './create-app.ts';
import type { NewApp } from './fill.ts';
import { templateNames, templates } from './templates.ts';

const base = mkdtempSync(join(tmpdir(), 'svc-create-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const app = (template: NewApp['template'], more: Partial<NewApp> = {}): NewApp => ({
  id: `meu-${template}`,
  nome: 'Meu app',
  descricao: 'Um teste.',
  template,
  language: 'en',
  ...more,
});

/** A program of somebody else: it listens on a socket, and says when it is ready. */
const panel = `
import socketserver, sys
from http.server import BaseHTTPRequestHandler
class Server(socketserver.ThreadingUnixStreamServer):
    def get_request(self): return self.socket.accept()[0], ('', 0)
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.end_headers()
        self.wfile.write(b'<!doctype html><title>painel</title>')
Server(sys.argv[1], Handler).serve_forever()
`;

/** As `eval "$(svc env)"` makes a terminal, with the Node of this repository. */
const terminal = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}:${join(repository, 'bin')}`,
  PYTHONPATH: join(repository, 'sdk/python'),
  NODE_PATH: join(repository, 'sdk/node'),
  NODE_OPTIONS: '',
  // A test of Node that is started by another one reports to it.
  NODE_TEST_CONTEXT: undefined,
};

describe('the template', () => {
  // Go, Rust and Java are large packages: sh setup/ready.sh long installs them. The long run has every template, others a half of the small ones.
  const large = new Set<string>(['go', 'rust', 'java']);
  const tried = everyNth(
    2,
    templateNames.filter((name) => process.env['SVC_TEST_LONG'] === '1' || !large.has(name)),
  );
  test.concurrent.for(tried)('%s', async (template) => {
    const dir = join(base, template);
    expect(await createApp(dir, app(template), process.env)).toBe('');
    const manifest = join(dir, 'svc-app.json');
    expect(validateManifest(manifest, readFileSync(manifest))).toMatchObject({ ok: true, errors: [], warnings: [] });
    expect(readFileSync(join(dir, '.vscode/svc-app.schema.json'), 'utf8')).toBe(schemaText());
    expect(readFileSync(join(dir, 'README.md'), 'utf8').trimEnd().split('\n')).toHaveLength(11);
    const { findings } = await testApp(dir, process.env);
    expect(findings.filter(([, { verdict }]) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
    const { outcome, entries } = await publishApp(dir, { destination: null, nowMs: 0 });
    expect(outcome).toBe('checked');
    expect(entries.filter(({ path }) => /^(?:test|\.vscode|README|\.git|build\.sh|backend\/src)/.test(path))).toEqual([]);
    // Rejects when it ends with another code than 0.
    await promisify(execFile)('sh', ['-c', templates[template].test], { cwd: dir, env: terminal });
    const left = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name));
    const text = left.filter((file) => statSync(file).isFile() && !/\.mjs$|backend\/(?:app|programa|app\.jar)$|\.pyc$/.test(file));
    expect(text.filter((file) => /\{\{\w+\}\}/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  test.for(
    everyNth(4, [
      ['binary', 'cc'],
      ['go', 'go'],
      ['rust', 'rustc'],
      ['java', 'javac'],
    ] as const),
  )('%s says what is missing where there is no compiler, and is there all the same', async ([template, command]) => {
    const dir = join(base, `sem-${command}`);
    expect(await createApp(dir, app(template), { PATH: '/nowhere' })).toBe(command);
    const { findings } = await testApp(dir, process.env);
    const { files, start } = Object.fromEntries(findings);
    // The entrypoint of `binary` is the program itself.
    expect(template === 'binary' ? files : start).toMatchObject({ verdict: 'fail' });
  });

  test('takes any words of the author as words', async () => {
    const dir = join(base, 'palavras');
    const nome = '</title>"&{{id}} \\ç';
    await createApp(dir, app('static', { nome, descricao: '"}],\\' }), process.env);
    expect(JSON.parse(readFileSync(join(dir, 'svc-app.json'), 'utf8'))).toMatchObject({ name: nome, description: '"}],\\' });
    expect(readFileSync(join(dir, 'frontend/index.html'), 'utf8')).toContain('<h1>&lt;/title&gt;&quot;&amp;{{id}} \\ç</h1>');
    const { findings } = await testApp(dir, process.env);
    expect(findings.filter(([, { verdict }]) => verdict === 'fail')).toEqual([]);
  });
});

describe('svc create', () => {
  const svc = (...args: readonly string[]) => runSvc(base, ['create', ...args], { LANG: 'C', LC_ALL: '', LC_MESSAGES: '' });

  test('without a terminal asks nothing, and says what to do next in the language of the readme', async () => {
    const { code, out, err } = await svc('minhas-notas', '--template', 'static', '--lang', 'pt');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^pronto: minhas-notas \(static: só uma página\)\nagora:\n {2}cd minhas-notas\n {2}svc dev /);
    expect(readFileSync(join(base, 'minhas-notas/README.md'), 'utf8')).toMatch(/^# Minhas notas\n\nConta as palavras/);
    expect(statSync(join(base, 'minhas-notas')).mode & 0o777).toBe(0o777 & ~process.umask());
  });

  test.for<[string, readonly string[], string]>([
    [
      'a name that is no id',
      ['Minhas Notas!'],
      'BAD_REQUEST "Minhas Notas!": an id has lowercase letters without accents, digits and "-", at most 49, no "-" first or last and no "xn--" first; svc create minhas-notas --name \'Minhas Notas!\'',
    ],
    ['a path as a name', ['../fora'], 'svc create fora'],
    [
      'a place where nothing can be made',
      ['x', '--dir', '/proc/x'],
      "CONFLICT /proc/x can't be made (ENOENT): choose another folder with --dir",
    ],
    ['no name', [], 'BAD_REQUEST which app?'],
    ['an unknown template', ['x', '--template', 'cobol'], 'Allowed choices are python, node'],
    [
      'a program without a place to listen',
      ['x', '--command', './painel'],
      'BAD_REQUEST where does the program listen? write {socket} or {port}',
    ],
    ['a port that is none', ['x', '--command', './painel', '--port', '70000'], 'BAD_REQUEST a port is a number from 1 to 65535'],
    ['a command of two lines', ['x', '--command', './painel {port}\nrm'], 'BAD_REQUEST the command of the program is one line'],
    [
      'a package that is none',
      ['x', '--command', './painel {port}', '--packages', 'a;b'],
      'PACKAGE_REFUSED svc-app.json: requiredPackages',
    ],
    [
      'a command for another template',
      ['x', '--template', 'node', '--command', 'a'],
      'BAD_REQUEST --command is of the template wrap alone',
    ],
    ['a name that a manifest can not hold', ['x', '--name', 'a\u0007b'], 'PACKAGE_REFUSED svc-app.json: name'],
    ['a name of two lines', ['x', '--name', 'a\nb'], 'PACKAGE_REFUSED svc-app.json: name'],
  ])('refuses %s, and leaves nothing', async ([, args, said]) => {
    const before = readdirSync(base);
    const { code, err } = await svc(...args);
    expect([code, err]).toEqual([1, expect.stringContaining(said)]);
    expect(readdirSync(base)).toEqual(before);
  });

  test('takes an empty folder, and refuses one that holds something, a file and a link', async () => {
    mkdirSync(join(base, 'vazia'));
    mkdirSync(join(base, 'cheia'));
    writeFileSync(join(base, 'cheia/a'), '1');
    symlinkSync('vazia', join(base, 'elo'));
    expect((await svc('vazia', '--template', 'static')).code).toBe(0);
    for (const [name, why] of [
      ['cheia', 'is not empty'],
      ['cheia/a', 'is no folder'],
      ['elo', 'is no folder'],
    ] as const) {
      const { code, err } = await svc('x', '--dir', name);
      expect([name, code, err]).toEqual([name, 1, expect.stringContaining(why)]);
    }
    expect(readdirSync(join(base, 'cheia'))).toEqual(['a']);
    expect(readdirSync(base).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('--here makes an app of a project and leaves its files as they are, once', async () => {
    const dir = join(base, 'Meu Painel');
    mkdirSync(dir);
    writeFileSync(join(dir, 'README.md'), 'meu');
    writeFileSync(join(dir, 'painel.py'), panel);
    const here = (...more: readonly string[]) =>
      svc(
        '--here',
        '--dir',
        'Meu Painel',
        '--command',
        "python3 painel.py '{socket}'",
        '--packages',
        'python3, tzdata',
        '--health',
        '/pronto',
        ...more,
      );
    const { code, out, err } = await here();
    expect({ code, err, out }).toEqual({ code: 0, err: '', out: expect.stringContaining('README.md: was there, and stays as it is\n') });
    expect(readFileSync(join(dir, 'README.md'), 'utf8')).toBe('meu');
    const manifest = JSON.parse(readFileSync(join(dir, 'svc-app.json'), 'utf8')) as unknown;
    expect(manifest).toMatchObject({ id: 'meu-painel', requiredPackages: ['python3', 'tzdata'], backend: { healthcheckPath: '/pronto' } });
    const { findings } = await testApp(dir, process.env);
    expect(findings.filter(([, { verdict }]) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
    await promisify(execFile)('sh', ['test/test.sh'], { cwd: dir, env: terminal });
    const again = await here();
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('CONFLICT')]);
    expect(readdirSync(dir, { recursive: true }).length).toBeGreaterThan(5);
  });

  test.for([
    ['a file', (place: string) => writeFileSync(place, '')],
    ['a link', (place: string) => symlinkSync(base, place)],
  ] as const)('--here names %s that is where a folder of the app belongs, and leaves nothing', async ([, lay]) => {
    const dir = mkdtempSync(join(base, 'painel-'));
    lay(join(dir, 'test'));
    const { code, err } = await svc('--here', '--dir', dir, '--command', './painel {port}');
    expect([code, err]).toEqual([1, expect.stringContaining(`CONFLICT test is there already in ${dir} and is no folder`)]);
    expect(readdirSync(dir)).toEqual(['test']);
  });

  test('on a terminal asks what is not said, again where an answer is none, and Ctrl-C leaves nothing', async () => {
    const shown = await typed([
      ['pasta: ', 'Minha Lista\n'],
      ['(minha-lista): ', '\n'],
      ['static  só uma página', '19\nstatic\n'],
      ['(Minha Lista): ', '\n'],
      ['(Conta as palavras de um texto.): ', 'Da casa.\n'],
    ]);
    expect(shown).toContain('letras minúsculas');
    expect(shown).toContain('pronto: minha-lista');
    const manifest = JSON.parse(readFileSync(join(base, 'minha-lista/svc-app.json'), 'utf8')) as unknown;
    expect(manifest).toMatchObject({ name: 'Minha Lista', description: 'Da casa.' });
    await typed([
      ['pasta: ', 'embrulho\n'],
      ['Modelo', 'wrap\n'],
      ['(Embrulho): ', '\n'],
      ['(Uma aplicação web.): ', '\n'],
      ['escuta) (python3', './painel\n'],
      ['precisa: ', '\n'],
      ['escuta: ', '8080\n'],
      ['(/saude): ', '\n'],
    ]);
    expect(readFileSync(join(base, 'embrulho/backend/app'), 'utf8')).toContain('exec svc-wrap "$@" --port 8080 -- ./painel\n');
    const before = readdirSync(base);
    const left = await typed([
      ['pasta: ', 'outra\n'],
      ['Modelo', '\u0003'],
    ]);
    expect(left).toContain('CANCELLED nothing was written');
    expect(readdirSync(base)).toEqual(before);
  });
});

/** On a terminal of `script`: each text is typed once what stands before it is on the screen. Answers all that was shown. */
async function typed(steps: readonly (readonly [string, string])[]): Promise<string> {
  const child = spawn('script', ['-qec', `${join(repository, 'bin/svc')} create --lang pt`, '/dev/null'], { cwd: base });
  let shown = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const closed = once(child, 'close');
  for (const [prompt, text] of steps) {
    await expect.poll(() => stripVTControlCharacters(shown).slice(seen)).toContain(prompt);
    seen = stripVTControlCharacters(shown).length;
    child.stdin.write(text);
  }
  await closed;
  return stripVTControlCharacters(shown);
}

test('svc env gives a terminal the library, once', async () => {
  const own = `--require "${repository}/sdk/node/svc/import.cjs"`;
  const PATH = String(process.env['PATH']);
  const env = { PYTHONPATH: '/outro', NODE_PATH: join(repository, 'sdk/node'), NODE_OPTIONS: `${own} --no-warnings`, PATH };
  const { out } = await runSvc(base, ['env'], env);
  const lines = [
    `PYTHONPATH='${repository}/sdk/python:/outro'`,
    `NODE_PATH='${repository}/sdk/node'`,
    `PATH='${PATH}:${repository}/bin'`,
    `NODE_OPTIONS='${own} --no-warnings'`,
  ];
  expect(out).toBe(lines.map((line) => `export ${line}\n`).join(''));
  const asked = `eval "$1"; python3 -c 'import svc.servidor; print("ok")'; "$2" --input-type=module -e "import { web } from 'svc'; console.log(typeof web.spa)"; svc-wrap --version`;
  const { stdout } = await promisify(execFile)('sh', ['-c', asked, 'sh', out, process.execPath]);
  expect(stdout).toMatch(/^ok\nfunction\n\d+\.\d+\.\d+\n$/);
});
