/** A kit of an earlier release, made of the one of now. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kitPrograms } from '../../kit/server/parts.ts';
import type { ServerKit } from '../../kit/server/made.ts';

const olderId = '0.0.9-00000001';

/** As an earlier release had it: another version in its programs, another name, and no svc-wrap yet. */
export function olderKit(now: ServerKit, folder: string): ServerKit {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', now.file, '-C', folder]);
  const version = now.id.slice(0, now.id.lastIndexOf('-'));
  for (const name of [...kitPrograms.map(({ bundle }) => `build/kit/${bundle}`), 'kit.json']) {
    const text = readFileSync(path.join(folder, 'svc', name), 'utf8');
    if (!text.includes(`"${version}"`)) throw new Error(`${name} does not say ${version}`);
    writeFileSync(
      path.join(folder, 'svc', name),
      text.replaceAll(`"${version}"`, '"0.0.9"').replaceAll(now.id, olderId).replace(',"svc-wrap"', ''),
    );
  }
  rmSync(path.join(folder, 'svc/bin/svc-wrap'));
  const file = path.join(folder, 'older.tgz');
  execFileSync('tar', ['-czf', file, '-C', folder, 'svc']);
  const sha256 = execFileSync('sha256sum', [file], { encoding: 'utf8' }).slice(0, 64);
  return { id: olderId, file, sha256, bytes: readFileSync(file).length };
}
