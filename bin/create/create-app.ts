/** Writes a new app: the files of its template, judged as publishing judges them, and built where the template needs a compiler. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import { findExecutable } from '../../kit/place.ts';
import { packageArchive } from '../../kit/archive/rules.ts';
import { walkFolder } from '../../kit/archive/walk.ts';
import { judgePackage } from '../../kit/repository/publishing/judge-package.ts';
import { packageChooser } from '../../kit/repository/publishing/package-files.ts';
import { limits } from '../limits.ts';
import { filesOf, type NewApp } from './fill.ts';
import { compilerOf } from './templates.ts';
import { writeBeside, writeFolder } from './write-folder.ts';

/** '' when there is nothing to build, or it is built; the command of a compiler that is not there; else why not. */
type Unbuilt = string;
type Caller = Readonly<Record<string, string | undefined>>;

/** Rejects CONFLICT, and PACKAGE_REFUSED for words of the author that a manifest can't hold. Nothing is left then. */
export async function createApp(dir: string, app: NewApp, env: Caller): Promise<Unbuilt> {
  let unbuilt = '';
  await writeFolder(dir, filesOf(app), async (made) => {
    const compiler = compilerOf(app.template);
    if (compiler !== undefined) unbuilt = await build(made, compiler.command, env);
    await judge(made, unbuilt !== '');
  });
  return unbuilt;
}

/** Beside the files of a project: those that are there stay as they are. Rejects as above; answers the files that were left as they are. */
export async function createAppHere(dir: string, app: NewApp): Promise<readonly string[]> {
  const files = filesOf(app);
  const workshop = await mkdtemp(path.join(tmpdir(), 'svc-create-'));
  try {
    await writeFolder(path.join(workshop, 'app'), files, async (made) => await judge(made, false));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return await writeBeside(dir, files, ['svc-app.json', 'backend/app']);
}

async function judge(made: string, isUnbuilt: boolean): Promise<void> {
  const entries = walkFolder(made, packageArchive, packageChooser(made));
  const { report } = await judgePackage(made, entries, 'svc-app.json');
  const fault = [...report.errors, ...report.warnings].find(({ code }) => code !== 'FILE_MISSING' || !isUnbuilt);
  if (fault !== undefined) throw new SvcError('PACKAGE_REFUSED', `svc-app.json: ${fault.path.slice(1)}: ${fault.message}`);
}

async function build(made: string, compiler: string, env: Caller): Promise<Unbuilt> {
  if (findExecutable(compiler, env['PATH'] ?? '') === null) return compiler;
  try {
    await promisify(execFile)('sh', [path.join(made, 'build.sh')], { cwd: made, timeout: limits.templateBuildMsMax });
    return '';
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    return stderr.split('\n').find((line) => line.trim() !== '') ?? String(error);
  }
}
