/**
 * Warnings of `svc validate` about a valid manifest that can't work where it would run. It sees the files beside the manifest, other packages and
 * the desired state that are judged with it. Unknown facts give no warning.
 */
import type { FindingCode, Problem } from '../findings.ts';
import { pointer } from '../findings.ts';
import { clip, locate, type SourceNode } from '../positions/node.ts';
import { satisfiesMinimum } from '../versions.ts';
import type { Manifest } from './manifest.ts';
import { servedFiles } from './named-files.ts';

/** Where packages would run. */
export interface Place {
  readonly queue: 'on' | 'off';
  readonly gpu: 'present' | 'absent' | 'unknown';
  /** Whether a server has a service manager that keeps apps of `escopo: servidor`. */
  readonly systemd: 'possible' | 'absent';
  /** Capabilities that the packages there offer, including those judged now; null when unknown. */
  readonly provided: ReadonlySet<string> | null;
}

export interface Surroundings {
  readonly svcVersion: string;
  /** Null: nothing is known of it. */
  readonly place: Place | null;
  /** Whether a path below the package is there. */
  readonly file: (name: string) => 'present' | 'absent' | 'unknown';
}

type Report = (code: FindingCode, at: readonly (string | number)[], message: string) => void;

export function surroundingProblems(manifest: Manifest, node: SourceNode, { svcVersion, place, file }: Surroundings): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (code, at, message) => {
    problems.push({ code, path: pointer(at), span: locate(node, at.map(String), 'value'), message });
  };
  const minimum = manifest.minShellVersion;
  if (minimum !== undefined && !satisfiesMinimum(svcVersion, minimum))
    report(
      'NEEDS_NEWER_SVC',
      ['minShellVersion'],
      `it needs svc ${clip(minimum)}, this is ${svcVersion}: a portal of this version does not install it`,
    );
  checkFiles(manifest, file, report);
  if (place !== null) checkPlace(manifest, place, report);
  return problems;
}

function checkFiles(manifest: Manifest, file: Surroundings['file'], report: Report): void {
  const { entrypoint, installCommand } = manifest.backend;
  // A file that installCommand makes is not there yet.
  const started = installCommand === undefined ? [{ name: entrypoint, at: ['backend', 'entrypoint'] }] : [];
  for (const { name, at } of [...servedFiles(manifest), ...started])
    if (file(name) === 'absent')
      report('FILE_NOT_HERE', at, `"${clip(name)}" is not beside the manifest: publishing would refuse the package`);
}

function checkPlace({ recursos, escopo, requires = [], usa = [], provides = [] }: Manifest, place: Place, report: Report): void {
  if (recursos?.fila === true && place.queue === 'off')
    report('QUEUE_MISSING', ['recursos', 'fila'], 'no job can be submitted there: the Portal document has no "fila"');
  if (recursos?.gpu?.modo === 'necessaria' && place.gpu === 'absent')
    report('GPU_MISSING', ['recursos', 'gpu', 'modo'], 'it would not start there: no server has a physical GPU');
  if (escopo === 'servidor' && place.systemd === 'absent')
    report('SYSTEMD_MISSING', ['escopo'], 'it can not be installed there: a local server with a prefix has no service manager for it');
  for (const [field, names, effect] of [
    ['requires', requires, 'it can not be installed there'],
    ['usa', usa, 'svc.apps.pedir answers 404 there'],
  ] as const) {
    for (const [index, name] of names.entries())
      if (place.provided?.has(name) === false && !(field === 'requires' && provides.includes(name)))
        report('NOBODY_PROVIDES', [field, index], `no app there offers "${clip(name)}": ${effect}`);
  }
}
