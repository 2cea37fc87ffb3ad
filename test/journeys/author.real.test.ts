/**
 * An author with the shipped commands alone, in an empty folder, along docs/first-app.md: an app is made, seen while it is written, judged,
 * published, installed by YAML, opened through a portal, and updated.
 * @module-tag carries-state
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { everyNth } from '../support/share.ts';
import { fronts, openFront } from './fronts.ts';
import { openStreet, type Machine, type Street } from './machines.ts';
import { packMsMax, shippedTree } from './shipped-tree.ts';
import { until } from './until.ts';
import { createVisitor } from './visitor.ts';

let street: Street;
let machine: Machine;
/** The commands of the page, without those that make a clone ready, and its file. */
let commands: readonly string[];
const command = (nth: number): string => commands[nth] ?? '';
let yaml: string;
const startMs = performance.now();
const work = '/home/autora/apps';

const author = async (script: string): Promise<string> => (await machine.sh(`cd ${work}; ${script}`, { as: 'autora' })).out;

/** Resolves to the link that is printed, and what ends the command. */
async function begin(command: string): Promise<{ readonly link: string; end(): Promise<void> }> {
  const child = machine.start(['sh', '-c', `cd ${work} && exec ${command}`], { as: 'autora' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const link = await until(`the link of ${command}`, () => {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${said}`);
    return /https?:\/\/\S+passe=\S+/.exec(said)?.[0];
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it printed:\n${said}`);
  });
  return {
    link,
    end: async () => {
      await machine.sh(`pkill -TERM -u autora -f 'svc(-main)?[.](mjs|ts) ${command.split(' ')[1]}'`);
      // A machine that does much else may need longer than a portal has for its end: then it is killed.
      await until(`the end of ${command}`, () => child.exitCode !== null || child.signalCode !== null);
    },
  };
}

/** A look at the folder, an installation and a start, on a machine that does much else. */
const installMsMax = 300_000;

type Sees = (text: string) => Promise<void>;

/** Signs in by the link, which works once; the answer opens the app until its page says that. */
async function signedIn(link: string): Promise<Sees> {
  const { protocol, host, port } = new URL(link);
  const visitor = createVisitor(machine, `127.0.0.1:${port}`);
  await visitor.open(link);
  return async (text) =>
    void (await until(
      `a page with ${text}`,
      async () => {
        const { status, body } = await visitor.open(`${protocol}//my-notes.${host}/`);
        return status === 200 && body.includes(text);
      },
      installMsMax,
    ));
}

beforeAll(async () => {
  const [tree, opened] = await Promise.all([shippedTree(), openStreet()]);
  street = opened;
  machine = await street.machine({ '/usr/lib/svc': tree });
  await machine.sh(
    'useradd -m -s /bin/bash autora; for name in svc svc-app-publish; do ln -s /usr/lib/svc/bin/$name /usr/local/bin/$name; done',
  );
  await machine.run(['mkdir', work], { as: 'autora' });
  const page = readFileSync(path.join(tree, 'docs/first-app.md'), 'utf8');
  [, ...commands] = Array.from(page.matchAll(/^```sh\n([^]*?)\n```/gm), ([, line = '']) => line);
  yaml = /^```yaml\n([^]*?)^```/m.exec(page)?.[1] ?? '';
}, packMsMax);

afterAll(async () => {
  await street?.end();
  tellCount(`journey author: ${Math.round((performance.now() - startMs) / 1_000)} s`);
});

test('an app is made, and a change is seen while it is written', { timeout: 600_000 }, async () => {
  expect(commands.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'svc create',
    'svc dev',
    'svc test-app',
    'svc-app-publish my-notes',
    'svc up',
  ]);
  await author(command(0));
  const { link, end } = await begin(command(1));
  const sees = await signedIn(link);
  await sees('<h1>');
  await author("sed -i 's|<h1>.*</h1>|<h1>Changed by its author</h1>|' my-notes/frontend/index.html");
  await sees('Changed by its author');
  await end();
});

test('it is judged, published, installed by YAML and opened', { timeout: 900_000 }, async () => {
  expect(await author(command(2))).toMatch(/^(\d+) of \1 checks ok; 2 do not apply$/m);
  expect(await author(command(3))).toMatch(/^my-notes 0\.1\.0: published /);
  await machine.sh(`cd ${work}; mkdir portal; cat >portal/home.yaml`, { as: 'autora', input: yaml });
  const { link, end } = await begin(command(4));
  const sees = await signedIn(link);
  await sees('Changed by its author');

  // Another version: a line of its manifest, a line of YAML.
  await author(
    'sed -i \'s|Changed by|Updated by|\' my-notes/frontend/index.html; sed -i \'s|"version": "0.1.0"|"version": "0.2.0"|\' my-notes/svc-app.json',
  );
  expect(await author(command(3))).toMatch(/^my-notes 0\.2\.0: published /);
  await author("sed -i 's|0[.]1[.]0|0.2.0|' portal/home.yaml");
  await sees('Updated by its author');
  await end();
});

test('behind a reverse proxy its page and its next version are the same', { timeout: 900_000 }, async () => {
  // The lines of docs/fronts.md, in the YAML of before.
  await author(`sed -i "s|listen: '127.0.0.1:8787'|&, url: 'https://svc.localhost:8443', trustedProxies: ['127.0.0.1']|" portal/home.yaml`);
  await machine.sh('mkdir /tmp/front; chmod 755 /tmp/front');
  const place = { folder: '/tmp/front', sh: machine.sh, start: (argv: readonly string[]) => machine.start(argv) };
  const portal = await begin(command(4));
  let sees: Sees | null = null;
  const chosen = everyNth(2, fronts);
  for (const [n, front] of chosen.entries()) {
    const end = await openFront(front, place, { host: 'svc.localhost', port: 8443, portal: 8787 });
    sees ??= await signedIn(portal.link);
    await sees(n === 0 ? 'Updated by its author' : `Behind ${chosen[n - 1]}`);
    await author(`sed -i 's|<h1>.*</h1>|<h1>Behind ${front}</h1>|' my-notes/frontend/index.html`);
    await author(`sed -i 's|"version": "0.[0-9]*.0"|"version": "0.${n + 3}.0"|' my-notes/svc-app.json`);
    expect(await author(command(3))).toMatch(/^my-notes 0\.\d+\.0: published /);
    await author(`sed -i 's|versao: 0[.][0-9]*[.]0|versao: 0.${n + 3}.0|' portal/home.yaml`);
    await sees(`Behind ${front}`);
    await end();
  }
  await portal.end();
});
