/** Variables of a job, whatever their names: all of them are the command's, and none steers what is around it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { words, world, wrapperFile } from './testing/wrapper-world.ts';

/** Every name that the wrapper gives a variable, that bash knows by itself, or that a loader reads. */
function names(): readonly string[] {
  const text = readFileSync(wrapperFile, 'utf8');
  const own = [...text.matchAll(/(?:^|[\s;({"$])\{?([A-Za-z_][A-Za-z0-9_]*)(?=[=+[}\s;)"])/gm)].map(([, name = '']) => name);
  const manual = execFileSync('bash', ['-c', 'LC_ALL=C grep -aoE "[A-Z_][A-Z0-9_]{1,24}" "$(command -v bash)"'], { encoding: 'utf8' });
  const bash = execFileSync('bash', ['-c', 'compgen -v'], { encoding: 'utf8' });
  const loader = [
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'LD_AUDIT',
    'LD_DEBUG',
    'LD_BIND_NOW',
    'GLIBC_TUNABLES',
    'LOCPATH',
    'NLSPATH',
    'MALLOC_CHECK_',
  ];
  return [...new Set([...own, ...manual.split('\n'), ...bash.split('\n'), ...loader, '_', 'a', 'PS4', 'APPTAINER_BIND'])].filter(
    (name) => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !name.startsWith('SVC_'),
  );
}

/** The environment that the command itself gets, without a shell that takes some of the variables for its own. */
const told = String.raw`import os, sys
for name in sorted(os.environb): sys.stdout.write((name + b"=" + os.environb[name]).decode("latin1").replace("\n", "\\n") + "\n")`;

const walls = words('bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc');

test.concurrent.for([
  ['a plain process', ''],
  ['behind walls', walls],
])('%s has every variable as it was given, and the wrapper does its work', async ([, launch = ''], { expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  // A bad loader would refuse to load; the value of PATH is looked in for the command.
  const given = names().map((name) => `${name}=${name === 'PATH' ? '/nada' : name.startsWith('LD_') ? '' : `v ${name} 7`}`);
  const program = path.join(w.folder, 'told.py');
  writeFileSync(program, told);
  const env = [...given, 'SVC_SAIDA=/fora', 'SVC_PROGRESSO=/fora'];
  const command = ['/usr/bin/python3', '-I', program];
  const run = w.start({ command, env, files: { launch: launch.replace('--proc', `--bind\0${w.folder}/work\0${w.folder}/work\0--proc`) } });
  expect([await run.ended, run.said()]).toEqual([0, '']);
  const lines = w.portal.log().split('\n');
  expect(given.filter((line) => !lines.includes(line))).toEqual([]);
  expect(lines).toContain(`SVC_SAIDA=${w.folder}/work/saida`);
  expect(w.portal.beats.at(-1)).toBe('codigo=0');
});

test.concurrent('a command with a sign of equality in its name runs with such variables, too', async ({ expect, onTestFinished }) => {
  const w = await world(onTestFinished);
  writeFileSync(path.join(w.folder, 'a=b'), '#!/bin/sh\necho "$1 $PATH"\n', { mode: 0o755 });
  const run = w.start({ command: [`${w.folder}/a=b`, 'c=d'], env: ['PATH=/nada'] });
  expect([await run.ended, w.portal.log()]).toEqual([0, 'c=d /nada\n']);
});

test.concurrent.for(['apptainer', 'singularity'])(
  'what runs an image is told the variables under its own prefix: %s',
  async (tool, { expect, onTestFinished }) => {
    const w = await world(onTestFinished);
    const bin = w.programsWith('curl');
    writeFileSync(path.join(bin, tool), '#!/bin/bash\n/usr/bin/env | /usr/bin/grep -E "launch|PATH|BIND|state"\n', { mode: 0o755 });
    const env = ['launch=outro', 'state=/fora', 'PATH=/nada', 'APPTAINER_BIND=/', 'SINGULARITY_BIND=/'];
    const run = w.start({ command: ['true'], env, files: { image: 'debian:12\n' }, programs: bin });
    expect([await run.ended, run.said()]).toEqual([0, '']);
    const lines = [`PATH=${bin}`, ...env.map((line) => `${tool.toUpperCase()}ENV_${line}`)];
    expect(w.portal.log().trim().split('\n').toSorted()).toEqual(lines.toSorted());
  },
);
