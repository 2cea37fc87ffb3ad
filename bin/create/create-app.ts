/** Writes a new app: the files of its template, judged as publishing judges them, and built where the template needs a compiler. */
import { execFile } from 'node:child_process';
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
import { writeFolder } from './write-folder.ts';

/** '' when there is nothing to build, or it is built; else why not. */
type Unbuilt = string;

/** Rejects CONFLICT, and PACKAGE_REFUSED for words of the author that a manifest can't hold. Nothing is left then. */
export async function createApp(dir: string, app: NewApp, env: Readonly<Record<string, string | undefined>>): Promise<Unbuilt> {
  let unbuilt = '';
  await writeFolder(dir, filesOf(app), async (made) => {
    if (app.template === 'binary') unbuilt = await build(made, env);
    const entries = walkFolder(made, packageArchive, packageChooser(made));
    const { report } = await judgePackage(made, entries, 'svc-app.json');
    const fault = [...report.errors, ...report.warnings].find(({ code }) => code !== 'FILE_MISSING' || unbuilt === '');
    if (fault !== undefined) throw new SvcError('PACKAGE_REFUSED', `svc-app.json: ${fault.path.slice(1)}: ${fault.message}`);
  });
  return unbuilt;
}

async function build(made: string, env: Readonly<Record<string, string | undefined>>): Promise<Unbuilt> {
  if (findExecutable('cc', env['PATH'] ?? '') === null) return 'cc';
  try {
    await promisify(execFile)('sh', [path.join(made, 'build.sh')], { cwd: made, timeout: limits.templateBuildMsMax });
    return '';
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    return stderr.split('\n').find((line) => line.trim() !== '') ?? String(error);
  }
}
