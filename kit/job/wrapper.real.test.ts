import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';
import { sha256 } from '../../test/support/job-portal.ts';
import { words, world, wrapperFile } from './testing/wrapper-world.ts';

describe.for(['curl', 'python3'] as const)('with %s and nothing but the core utilities', (client) => {
  test.concurrent('fetches, runs, tells and sends, with every third connection broken or its answer lost', async ({
    expect,
    onTestFinished,
  }) => {
    const w = await world(onTestFinished);
    const big = Buffer.alloc(300_000, 'dados ');
    w.portal.input('entrada/dados.bin', big);
    w.portal.input('entrada/pasta/ação 1%.txt', Buffer.from('olá'));
    w.portal.input('entrada/vazio', Buffer.alloc(0));
    w.portal.fault = (_, nth) => (nth % 6 === 2 ? 'break' : nth % 6 === 5 ? 'lose' : null);
    const script = [
      'cat "entrada/pasta/ação 1%.txt"; echo',
      'echo "svc-progresso 0.4210526315789473" >"$SVC_PROGRESSO"; sleep 1.2',
      'cp entrada/dados.bin "$SVC_SAIDA/cópia.bin"; mkdir saida/b; echo "$NOME" >saida/b/nome; : >saida/nada; ln -s /etc/passwd saida/elo',
      'echo fim >&2; exit 3',
    ].join('\n');
    const run = w.start({ command: ['bash', '-c', script], env: ['NOME=a b\nc'], programs: w.programsWith(client) });
    expect([await run.ended, run.said()]).toEqual([3, '']);
    expect(w.portal.log()).toBe('olá\nfim\nsvc: not sent: saida/elo: it is a link\n');
    expect(w.portal.outputs()).toEqual({ 'saida/cópia.bin': big.toString(), 'saida/b/nome': 'a b\nc\n', 'saida/nada': '' });
    expect(w.portal.beats).toContain('progresso=0.421052');
    expect(w.portal.beats.filter((line) => line.startsWith('codigo='))).toContain('codigo=3');
    expect(w.portal.beats.findLast((line) => line.startsWith('estado='))).toBe('estado=terminado');
    expect(sha256(readFileSync(path.join(w.folder, 'work/entrada/dados.bin')))).toBe(sha256(big));
    expect([w.kept('codigo'), w.kept('sent')]).toEqual(['3', 'yes']);
  });
});

/** Names that bash makes, with what the log says of each; the shapes are those of a name that the portal takes none of. */
const refusedNames: readonly (readonly [made: string, told: string])[] = [
  [String.raw`res\\ultado.csv`, String.raw`saida/res\\ultado.csv: its name holds a backslash`],
  [String.raw`a\nb`, String.raw`a\nb': its name holds a control character`],
  [String.raw`a\rb`, String.raw`a\rb': its name holds a control character`],
  [String.raw`a\x7fb`, String.raw`a\177b': its name holds a control character`],
  [String.raw`a\xffb`, String.raw`a\377b': its name is not UTF-8`],
  // Longer than it need be, a half of a pair, past the last character, cut.
  [String.raw`a\xc0\xaf`, 'its name is not UTF-8'],
  [String.raw`a\xed\xa0\x80`, 'its name is not UTF-8'],
  [String.raw`a\xf4\x90\x80\x80`, 'its name is not UTF-8'],
  [String.raw`a\xe2\x82`, 'its name is not UTF-8'],
  [String.raw`a\xe2\x80\xaegnp.exe`, 'its name holds a character that is not shown'],
];

describe.for([
  ['curl', false],
  ['python3', false],
  ['curl', true],
] as const)('outputs with %s, with walls: %s', ([client, hasWalls]) => {
  const launch = hasWalls ? words('bwrap', '--bind', '/', '/', '--dev', '/dev') : '';
  test.concurrent('names that can not be carried are told and left, all others arrive, and it ends at once', async ({
    expect,
    onTestFinished,
  }) => {
    const w = await world(onTestFinished);
    const script = [
      ...refusedNames.map(([name]) => `echo x >"saida/$(printf '${name}')"`),
      'p=saida; for n in 1 2 3 4 5; do p=$p/$(printf "%0250d" 7); mkdir $p; done; echo x >$p/fundo; echo fica >${p%/*}/raso',
      'mkfifo saida/cano; ln -s ok saida/elo; mkdir saida/vazia; echo 😀 >"saida/relatório 1% 日本 😀.txt"; echo z >"saida/ok"; sleep 1.5',
    ].join('\n');
    const programs = hasWalls ? undefined : w.programsWith(client);
    if (programs !== undefined)
      for (const name of ['mkfifo', 'stat'])
        if (!existsSync(path.join(programs, name))) symlinkSync(`/usr/bin/${name}`, path.join(programs, name));
    const files = { launch, pace: '1 1 0 2 65536 1\n' };
    const run = w.start({ command: ['bash', '-c', script], files, delivery: 600, ...(programs === undefined ? {} : { programs }) });
    expect([await run.ended, run.said()]).toEqual([0, '']);
    expect(Object.keys(w.portal.outputs()).toSorted((a, b) => a.length - b.length)).toEqual([
      'saida/ok',
      'saida/relatório 1% 日本 😀.txt',
      expect.stringMatching(/^saida\/(?:0+7\/){4}raso$/),
    ]);
    for (const [, told] of refusedNames) expect(w.portal.log()).toContain(told);
    for (const told of ['fundo: its path is longer than 1024 bytes', 'cano: it is no plain file', 'saida/elo: it is a link'])
      expect(w.portal.log()).toContain(told.startsWith('fundo') ? told.slice(6) : told);
    // The outcome says that outputs are missing.
    expect(w.portal.beats.slice(-2)).toEqual(['estado=a-enviar', 'codigo=0']);
  });
});

test.concurrent('of more outputs than a job leaves the first ones arrive, and a file that vanishes or grows keeps none back', async ({
  expect,
  onTestFinished,
}) => {
  const w = await world(onTestFinished);
  const many =
    'for ((n = 0; n < 1012; n++)); do printf -v name "b%04d" $n; : >saida/$name; done; echo some >saida/a-some; echo muda >saida/a-muda';
  // Between the list and the bytes.
  w.portal.fault = (what) => {
    if (!what.startsWith('POST') || !what.endsWith('/saidas')) return null;
    rmSync(path.join(w.folder, 'work/saida/a-some'), { force: true });
    writeFileSync(path.join(w.folder, 'work/saida/a-muda'), 'muda\nmais\n');
    return null;
  };
  const run = w.start({ command: ['bash', '-c', many], delivery: 600 });
  expect([await run.ended, run.said()]).toEqual([0, '']);
  const announced = w.portal.announced();
  expect([announced.length, ...announced.slice(0, 3), announced.at(-1)]).toEqual([
    1_000,
    'saida/a-muda',
    'saida/a-some',
    'saida/b0000',
    'saida/b0997',
  ]);
  expect(w.portal.outputs()).toEqual({ 'saida/a-muda': 'muda\n', 'saida/b0000': '' });
  expect(w.portal.log()).toContain('svc: not sent: 14 outputs more than the 1000 that a job leaves\nsvc: not all outputs could be sent\n');
});

test.concurrent('a folder that can not be read for a while is not one that was removed', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const claim = path.join(w.folder, 'claim');
  const script = `mv ${claim} ${claim}.x; ln -s claim ${claim}; sleep 2.5; rm ${claim}; mv ${claim}.x ${claim}; echo fim`;
  const run = w.start({ command: ['bash', '-c', script] });
  expect([await run.ended, w.portal.log()]).toEqual([0, 'fim\n']);
});

test.concurrent.for([
  ['can not be read for a while', 'mv wanted w; ln -s wanted wanted; sleep 2.5; rm wanted; mv w wanted', '7 ended'],
  ['goes', 'rm wanted; sleep 20', '143 cancelled'],
] as const)('a backend on a node whose wish %s', async ([, act, end], { expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const job = path.join(w.folder, 'job/1');
  mkdirSync(job, { recursive: true });
  const files = { cwd: job, seconds: '60\n', env: '', wanted: '', command: words('bash', '-c', `${act}; exit 7`) };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(job, name), text);
  await once(spawn('bash', [path.join(import.meta.dirname, 'on-node.sh'), job], { stdio: 'ignore' }), 'exit');
  expect(readFileSync(path.join(job, 'end'), 'utf8')).toBe(`${end}\n`);
});

test.concurrent.for(['curl', 'python3'] as const)(
  'no proxy of the environment stands before the portal: %s',
  async (client, { expect, onTestFinished }) => {
    const w = await world(onTestFinished);
    const away = 'http://127.0.0.1:9';
    const environment = { http_proxy: away, HTTP_PROXY: away, all_proxy: away, ALL_PROXY: away, PYTHONHOME: '/nowhere' };
    const run = w.start({ command: ['bash', '-c', 'echo a >saida/a'], programs: w.programsWith(client), environment });
    expect(await run.ended).toBe(0);
    expect(w.portal.outputs()).toEqual({ 'saida/a': 'a\n' });
  },
);

test.concurrent('as in a pod: what it reads may be read-only, and what it writes is elsewhere', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const job = path.join(w.folder, 'job');
  mkdirSync(job);
  const files = {
    url: w.portal.url,
    header: `Authorization: Bearer ${w.portal.token}`,
    seconds: '60',
    delivery: '60',
    pace: '1 1 0 2 65536',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(job, name), `${text}\n`);
  writeFileSync(path.join(job, 'command'), words('bash', '-c', 'echo ok >saida/a; exit 5'));
  for (const name of ['env', 'launch']) writeFileSync(path.join(job, name), '');
  const state = path.join(w.folder, 'state');
  mkdirSync(state);
  const argv = ['--unshare-pid', '--bind', '/', '/', '--ro-bind', job, job, '--dev', '/dev', '--proc', '/proc'];
  const child = spawn('bwrap', [...argv, 'bash', wrapperFile, job, state], { stdio: 'ignore' });
  w.began.push(child);
  expect((await once(child, 'exit'))[0]).toBe(5);
  expect([w.portal.outputs(), w.portal.beats.at(-1)]).toEqual([{ 'saida/a': 'ok\n' }, 'codigo=5']);
});

test.concurrent('the token is in no argv and in no environment', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const look =
    'all=(/proc/[0-9]*); cat "${all[@]/%//cmdline}" "${all[@]/%//environ}" 2>/dev/null | tr "\\0" "\\n" | grep -c "$(printf segredo%s -do-trabalho)" || :';
  const run = w.start({ command: ['bash', '-c', look] });
  expect(await run.ended).toBe(0);
  expect(w.portal.log()).toBe('0\n');
});

test.concurrent('of a command that is over at once and leaves nothing its beginning and its end are told, and no more is asked', async ({
  expect,
  onTestFinished,
}) => {
  const w = await world(onTestFinished);
  // No beat comes meanwhile, however slow the machine is.
  const run = w.start({ command: ['true'], files: { pace: '60 60 0 2 65536\n' } });
  expect([await run.ended, run.said()]).toEqual([0, '']);
  const beat = 'POST /api/fila/executor/batida';
  expect([w.portal.requests, w.portal.beats]).toEqual([
    [beat, beat],
    ['estado=iniciado', 'estado=terminado', 'codigo=0'],
  ]);
});

test.concurrent('a portal that does not answer the beginning with the inputs is asked for them', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  w.portal.input('entrada/a', Buffer.from('dados'));
  // As one of before, and then one whose answer is cut.
  w.portal.fault = (what, nth) => (nth === 1 ? 204 : nth === 2 && what.endsWith('/entradas') ? 'break' : null);
  const run = w.start({ command: ['cat', 'entrada/a'] });
  expect([await run.ended, w.portal.log()]).toEqual([0, 'dados']);
});

test.concurrent('a command never runs twice', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const first = w.start({ command: ['bash', '-c', 'echo x >>saida/vezes; sleep 1'] });
  await expect.poll(() => existsSync(path.join(w.folder, 'work/saida/vezes'))).toBe(true);
  const second = w.start({ command: ['bash', '-c', 'echo x >>saida/vezes'] });
  expect(await second.ended).toBe(125);
  expect(await first.ended).toBe(0);
  expect(w.portal.outputs()).toEqual({ 'saida/vezes': 'x\n' });
});

test.concurrent('the exit code is kept and told when the portal is away at the end', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', ': >aqui; sleep 0.5; echo pronto; exit 7'] });
  await expect.poll(() => existsSync(path.join(w.folder, 'work/aqui'))).toBe(true);
  const back = await w.portal.away();
  await expect.poll(() => existsSync(path.join(w.folder, 'codigo'))).toBe(true);
  expect(w.kept('codigo')).toBe('7');
  await back();
  expect(await run.ended).toBe(7);
  expect([w.portal.log(), w.portal.beats.includes('codigo=7')]).toEqual(['pronto\n', true]);
});

test.concurrent('gives up in time when the portal stays away, with the exit code kept', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', 'exit 4'], seconds: 1, delivery: 2 });
  await w.portal.away();
  expect(await run.ended).toBe(125);
  expect([w.kept('codigo'), w.kept('reason')]).toEqual(['125', 'inputs']);
});

test.concurrent('410 ends the command and all that it started, and its exit code is kept', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', 'trap "" TERM; sleep 300 & echo $! >filho; wait; sleep 300'] });
  await expect.poll(() => existsSync(path.join(w.folder, 'work/filho'))).toBe(true);
  w.portal.cancel();
  expect(await run.ended).toBe(143);
  expect([w.kept('codigo'), w.kept('reason')]).toEqual(['143', 'cancelled']);
  expect(existsSync(`/proc/${w.kept('work/filho')}/exe`)).toBe(false);
});

test.concurrent('the time of the command is limited, and what it left is sent', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', 'echo meio >saida/parte; echo; sleep 300'], seconds: 3 });
  expect(await run.ended).toBe(124);
  expect(w.portal.outputs()).toEqual({ 'saida/parte': 'meio\n' });
  expect([w.kept('reason'), w.portal.beats.at(-1)]).toEqual(['limit', 'codigo=124']);
});

test.concurrent('ended from outside it ends the command, and tells that', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', 'sleep 300'] });
  await expect.poll(() => w.portal.beats.includes('estado=a-correr')).toBe(true);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(143);
  expect([w.kept('codigo'), w.kept('reason'), w.portal.beats.at(-1)]).toEqual(['143', 'ended', 'codigo=143']);
});

test.concurrent('an input with other bytes than announced is never used', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  w.portal.input('entrada/x', Buffer.from('certo'));
  w.portal.fault = (request) => (request.includes('/entradas/') ? 500 : null);
  const run = w.start({ command: ['touch', path.join(w.folder, 'correu')], seconds: 1, delivery: 5 });
  expect(await run.ended).toBe(125);
  expect(existsSync(path.join(w.folder, 'correu'))).toBe(false);
  expect(w.portal.log()).toBe('svc: the inputs could not be fetched\n');
});

test.concurrent.for(['../fora', 'entrada/../../fora', '/etc/fora', 'a//b', 'entrada/a%00b', 'entrada/a%0Ab'])(
  'the path %s of an input is refused',
  async (bad, { expect, onTestFinished }) => {
    const w = await world(onTestFinished);
    w.portal.input('x', Buffer.from('x'));
    w.portal.fault = () => null;
    const list = `${sha256(Buffer.from('x'))}\t1\t${bad}\n`;
    const run = w.startWithList(list);
    expect(await run.ended).toBe(125);
    expect(existsSync(path.join(w.folder, 'fora'))).toBe(false);
  },
);

test.concurrent('a job with an image says so when nothing here runs images', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', 'echo oi'], files: { image: 'debian:12\n' }, programs: w.programsWith('curl') });
  expect(await run.ended).toBe(0);
  expect(w.portal.log()).toBe('svc: nothing here runs images: the command runs without debian:12\noi\n');
});

/** No registry and no runtime can be had here: what it would be called with. */
test.concurrent('an image runs by apptainer where it is, with the work folder bound', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const bin = w.programsWith('curl');
  writeFileSync(path.join(bin, 'apptainer'), '#!/bin/bash\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  const run = w.start({ command: ['python3', '-c', 'print("a b")'], files: { image: 'debian:12\n' }, programs: bin });
  expect(await run.ended).toBe(0);
  const work = path.join(w.folder, 'work');
  const argv = ['exec', '--bind', work, '--pwd', work, 'docker://debian:12', 'python3', '-c', 'print("a b")'];
  expect(w.portal.log().trim().split('\n')).toEqual(argv);
});

test.concurrent('what is complete goes to the portal while the command runs, and what changes after that takes its place', async ({
  expect,
  onTestFinished,
}) => {
  const w = await world(onTestFinished);
  const script = `
    mkdir saida/a; echo um >saida/a/pronto; echo igual >saida/b; echo igual >saida/c
    while [ ! -e muda ]; do date +%N >>saida/cresce; sleep 0.1; done
    echo dois >saida/a/pronto
    while [ ! -e fim ]; do date +%N >>saida/cresce; sleep 0.1; done
    echo fim >saida/cresce`;
  const run = w.start({ command: ['bash', '-c', script], files: { pace: '1 1 0 2 65536 1\n' } });
  const first = { 'saida/a/pronto': 'um\n', 'saida/b': 'igual\n', 'saida/c': 'igual\n' };
  await expect.poll(() => Object.keys(w.portal.outputs()).includes('saida/a/pronto')).toBe(true);
  // The portal of the test keeps equal bytes under their last path only.
  expect(first).toMatchObject(w.portal.outputs());
  expect(w.portal.beats).not.toContain('estado=a-enviar');
  writeFileSync(path.join(w.folder, 'work/muda'), '');
  await expect.poll(() => Object.values(w.portal.outputs())).toContain('dois\n');
  expect(Object.keys(w.portal.outputs())).not.toContain('saida/cresce');
  const announced = w.portal.requests.filter((request) => request.startsWith('POST /api/fila/executor/saidas')).length;
  writeFileSync(path.join(w.folder, 'work/fim'), '');
  expect(await run.ended).toBe(0);
  expect(w.portal.outputs()).toMatchObject({ 'saida/a/pronto': 'dois\n', 'saida/cresce': 'fim\n' });
  // Each change is announced, and whether all of it arrived; a pass without a change is not.
  expect(announced).toBeLessThanOrEqual(6);
});

/** Words in place of bubblewrap's: fail so many times, as it does on a folder that is gone, before they run the command. */
const failing = (times: number): string =>
  words('bash', '-c', `echo >>fim; (($(wc -l <fim) > ${times})) || { echo "bwrap: Can't mkdir" >&2; exit 1; }; exec -- "$@"`, 'walls');

test.concurrent.for([
  ['mounted at the second try', failing(1), 0, "bwrap: Can't mkdir\noi\n", null],
  ['that can never be mounted', failing(9), 125, "bwrap: Can't mkdir\n".repeat(3), 'walls'],
  // Nothing of the command is repeated.
  ['of a command that ends with 1', failing(0), 1, 'oi\n', null],
] as const)('walls %s', async ([, launch, code, log, reason], { expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const run = w.start({ command: ['bash', '-c', `echo oi; exit ${code}`], files: { launch } });
  expect(await run.ended).toBe(code);
  expect(w.portal.log()).toBe(log);
  expect(existsSync(path.join(w.folder, 'reason')) ? w.kept('reason') : null).toBe(reason);
});

/** The wrapper with all that it writes on a disk of its own of that size. */
function onDisk(w: Awaited<ReturnType<typeof world>>, bytes: number, command: readonly string[]) {
  const job = path.join(w.folder, 'job');
  const state = path.join(w.folder, 'state');
  for (const folder of [job, state]) mkdirSync(folder);
  const files = {
    url: w.portal.url,
    header: `Authorization: Bearer ${w.portal.token}`,
    seconds: '30',
    delivery: '30',
    pace: '1 1 0 2 65536',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(job, name), `${text}\n`);
  writeFileSync(path.join(job, 'command'), words(...command));
  for (const name of ['env', 'launch']) writeFileSync(path.join(job, name), '');
  const argv = ['--unshare-pid', '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--size', String(bytes), '--tmpfs', state];
  const child = spawn('bwrap', [...argv, 'bash', wrapperFile, job, state], { stdio: 'ignore' });
  w.began.push(child);
  return once(child, 'exit').then(([code]) => code as number | null);
}

test.concurrent('inputs that the disk does not hold end the job at once, and its log says why', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  w.portal.input('entrada/grande', Buffer.alloc(3_000_000, 'dados '));
  expect(await onDisk(w, 1_048_576, ['true'])).toBe(125);
  expect(w.portal.log()).toContain('the disk of this machine is full: the inputs could not be stored');
  expect(w.portal.beats.findLast((line) => line.startsWith('codigo='))).toBe('codigo=125');
});

test.concurrent('a command that fills the disk keeps its exit code, and what it left comes', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  const script = 'echo pequeno >saida/a; cat /dev/zero >saida/cheio; echo "cheio: $?" >&2; exit 3';
  expect(await onDisk(w, 2_097_152, ['bash', '-c', script])).toBe(3);
  expect(w.portal.beats.slice(-2)).toEqual(['estado=terminado', 'codigo=3']);
  expect(w.portal.outputs()['saida/a']).toBe('pequeno\n');
  expect(w.portal.outputs()['saida/cheio']).toMatch(/^\0{1000000,}$/);
});

test.concurrent('outputs that the portal takes none of are not said to have arrived', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  w.portal.fault = (what) => (what.startsWith('POST') && what.endsWith('/saidas') ? 413 : null);
  const run = w.start({ command: ['bash', '-c', 'echo a >saida/a'] });
  expect(await run.ended).toBe(0);
  expect(w.portal.beats.slice(-2)).toEqual(['estado=a-enviar', 'codigo=0']);
  expect(w.portal.log()).toContain('not all outputs could be sent');
});
