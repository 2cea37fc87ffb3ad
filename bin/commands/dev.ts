/** `svc dev [DIR]`: what is asked for is checked here; bin/dev/ does it. */
import { terminalLanguage } from '../language.ts';
import { type DevFlags, readOptions } from '../dev/options.ts';
import { requireBuild } from '../up/built.ts';

export async function runDev(dir: string, flags: DevFlags): Promise<void> {
  requireBuild();
  const options = readOptions(dir, flags, process.env);
  const { dev } = await import('../dev/dev.ts');
  await dev(options, terminalLanguage(process.env));
}
