/** The first manifest to run, and what of the folder counts. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { chooserOf } from '../../kit/repository/publishing/package-files.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { isIgnored } from './changes.ts';
import { judgeManifest, type JudgedManifest } from './manifest.ts';
import { watchApp } from './watch.ts';
import type { Say } from './words.ts';

export const ignoreFile = '.svcignore';

/** Its rules as they are now. */
export interface Ignoring {
  of(file: string): boolean;
  reread(): Promise<void>;
}

export async function ignoring(folder: string): Promise<Ignoring> {
  let ships = chooserOf('');
  const reread = async (): Promise<void> => {
    const text = await readFile(path.join(folder, ignoreFile), 'utf8').catch(() => '');
    try {
      ships = chooserOf(text);
    } catch {
      // Publishing says which line is not understood; until then the rules are as they were.
    }
  };
  await reread();
  return { of: (file) => file !== ignoreFile && isIgnored(file, ships), reread };
}

/** Without a good manifest there is nothing to run: it is shown what is wrong, and each change of it looked at. Null: it was ended. */
export async function firstGood(folder: string, ignored: Ignoring, say: Say, ended: Promise<unknown>): Promise<Manifest | null> {
  const show = ({ errors, warnings }: JudgedManifest): void => {
    for (const text of [...errors, ...warnings]) process.stderr.write(`${text}\n`);
  };
  let edge = Promise.withResolvers<void>();
  let judged = await judgeManifest(folder, (file) => ignored.of(file));
  if (judged.manifest === null) {
    const watch = watchApp({
      folder,
      clock: systemClock,
      ignored: (file) => ignored.of(file),
      onChange: () => edge.resolve(),
      onError: () => undefined,
    });
    try {
      await watch.ready;
      for (judged = await judgeManifest(folder, (file) => ignored.of(file)); judged.manifest === null;) {
        show(judged);
        const isOver = await Promise.race([ended.then(() => true), edge.promise.then(() => false)]);
        if (isOver) return null;
        edge = Promise.withResolvers<void>();
        judged = await judgeManifest(folder, (file) => ignored.of(file));
      }
      process.stderr.write(`${say('manifestGood')}\n`);
    } finally {
      await watch.close();
    }
  } else show(judged);
  return judged.manifest;
}
