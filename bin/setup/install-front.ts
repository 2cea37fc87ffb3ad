/** Puts the configuration of the front in its place: never over one that a person wrote, and the old one comes back when the new one can't be used. */
import { createHash } from 'node:crypto';
import { mkdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { readIfThere, writeFileAtomic } from '../../kit/atomic-file.ts';
import { SvcError } from '../../schema/errors.ts';
import { ask, hasSystemd, isThere, run } from './commands.ts';
import { optionsIn, places, type Front, type FrontKind } from './front.ts';

/** As the package of Debian brought it: nobody's work is lost. */
function isUntouched(file: string, text: string, debianPackage: string): boolean {
  const said = ask(['dpkg-query', '--show', '--showformat=${Conffiles}', debianPackage]) ?? '';
  const sum = createHash('md5').update(text).digest('hex');
  return said.split('\n').some((line) => line.trim() === `${file} ${sum}`);
}

/** Rejects CONFLICT before anything is written. */
export function refuseTakenFront({ kind }: Front): void {
  const { file, package: debianPackage } = places[kind];
  if (!isThere(kind)) throw new SvcError('CONFLICT', `${kind} is not installed; install it with:  apt install ${debianPackage}`);
  const before = readIfThere(file);
  if (before === null || optionsIn(before) !== null || isUntouched(file, before, debianPackage)) return;
  throw new SvcError(
    'CONFLICT',
    `${file} has lines of your own: put what svc setup --print says into it, and run svc setup with --front none`,
  );
}

/** The authority that certificates come from, as the file says; empty: those that Caddy takes by itself. */
const authorityIn = (text: string): string => (optionsIn(text) ?? []).filter((_, at, all) => all[at - 1]?.startsWith('--acme')).join(' ');

/** Whether anything was changed. */
export function installFront(front: Front, text: string): boolean {
  const { file, service, check } = places[front.kind];
  const before = readIfThere(file);
  if (before === text) return false;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  writeFileAtomic(file, text, { mode: 0o644, durable: true });
  try {
    run(check);
  } catch (error) {
    if (before === null) unlinkSync(file);
    else writeFileAtomic(file, before, { mode: 0o644, durable: true });
    throw error;
  }
  if (hasSystemd()) {
    run(['systemctl', 'enable', '--quiet', service]);
    // Orders at the authority of before go on for a month, through any reload.
    const isOther = before !== null && authorityIn(before) !== authorityIn(text);
    run(['systemctl', isOther ? 'restart' : 'reload-or-restart', service]);
  }
  return true;
}

/** Takes away what an earlier run wrote for another front, and ends what has nothing to serve then. The files that are gone. */
export function removeOthers(kept: FrontKind): readonly string[] {
  const others = (['caddy', 'nginx'] as const).filter((kind) => kind !== kept && optionsIn(readIfThere(places[kind].file)) !== null);
  for (const kind of others) {
    unlinkSync(places[kind].file);
    if (!hasSystemd()) continue;
    // nginx may serve other sites.
    if (kind === 'nginx') run(['systemctl', 'try-reload-or-restart', 'nginx']);
    else run(['systemctl', 'disable', '--now', '--quiet', 'caddy']);
  }
  return others.map((kind) => places[kind].file);
}
