/** The manifest of the app that is being written, judged as publishing judges it. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { WalkedEntry } from '../../kit/archive/walk.ts';
import { judgePackage } from '../../kit/repository/publishing/judge-package.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { renderFinding } from '../../schema/render.ts';
import { limits } from './limits.ts';

export interface JudgedManifest {
  /** Null: there are errors. */
  readonly manifest: Manifest | null;
  /** With their places, several lines each. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** Text of the file. */
  readonly text: string;
}

/** Files that the manifest may name. */
interface Packed {
  /** As for the watch. */
  of(path: string): boolean;
  isLeftOut(path: string): boolean;
}

/** Without svc-app.json that is the error. */
export async function judgeManifest(folder: string, packed: Packed): Promise<JudgedManifest> {
  const seen = await judgeOver(folder, (path) => packed.of(path));
  // It may name what nobody watches, in data/ or test/: that is in the package all the same.
  return seen.manifest === null ? await judgeOver(folder, (path) => packed.isLeftOut(path)) : seen;
}

async function judgeOver(folder: string, ignored: (path: string) => boolean): Promise<JudgedManifest> {
  const file = 'svc-app.json';
  try {
    const { report, text, manifest } = await judgePackage(folder, await filesOf(folder, ignored), file);
    const lines = (findings: typeof report.errors): readonly string[] => findings.map((finding) => renderFinding(report, finding, text));
    return { manifest, errors: lines(report.errors), warnings: lines(report.warnings), text };
  } catch (error) {
    return { manifest: null, errors: [`${file}: ${(error as Error).message.replace(`${file}: `, '')}`], warnings: [], text: '' };
  }
}

/** Links are followed: what they lead to is served while it is written, and publishing will say that it packs none. */
async function filesOf(folder: string, ignored: (path: string) => boolean): Promise<readonly WalkedEntry[]> {
  const found: WalkedEntry[] = [];
  const visit = async (below: string): Promise<void> => {
    const entries = await readdir(path.join(folder, below), { withFileTypes: true });
    // However many files there are below folders, svc-app.json is one of those that are looked at.
    for (const entry of entries.sort((a, b) => Number(a.isDirectory()) - Number(b.isDirectory()))) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (found.length >= limits.watchedFilesMax) return;
      if (ignored(entry.isDirectory() ? `${name}/` : name)) continue;
      if (entry.isDirectory()) await visit(name);
      else {
        const seen = await stat(path.join(folder, name)).catch(() => null);
        if (seen?.isFile() === true) found.push({ path: name, bytes: seen.size, executable: (seen.mode & 0o100) !== 0 });
      }
    }
  };
  await visit('');
  return found;
}
