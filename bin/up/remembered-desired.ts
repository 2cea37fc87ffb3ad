/** Which desired folder the last start was given: a backup takes it along, also while no portal runs. */
import path from 'node:path';
import { isMissing, writeFileAtomic } from '../../kit/atomic-file.ts';
import { readPlainFile } from '../../schema/plain-file.ts';

/** Beside `store`; `desired` may be a folder of somebody's. */
export const desiredPlaceFile = 'desired-dir';

const rememberedIn = (stateDir: string): string => path.join(stateDir, desiredPlaceFile);

export function rememberDesired(stateDir: string, dir: string): void {
  writeFileAtomic(rememberedIn(stateDir), `${JSON.stringify({ dir })}\n`, { mode: 0o600, durable: true });
}

/** Null: no portal of this version ran yet. */
export async function rememberedDesired(stateDir: string): Promise<string | null> {
  try {
    const { dir } = JSON.parse(String(await readPlainFile(rememberedIn(stateDir)))) as { readonly dir?: unknown };
    return typeof dir === 'string' ? dir : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}
