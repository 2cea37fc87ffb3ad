/**
 * The validator of `svc-app.json`: the same object serves `svc validate`, publishing and the portal. On the servers, where
 * memory and start-up count, minimum.ts reads a manifest without JSON Schema.
 */
import about from '../../package.json' with { type: 'json' };
import { type FileReport, type Problem, findingKinds, pointer, segmentsOf, toReport } from '../findings.ts';
import { limits } from '../limits.ts';
import { decodeText } from '../positions/decode.ts';
import { readJson, scanJson } from '../positions/json.ts';
import { type SourceNode, clip, locate, materialize } from '../positions/node.ts';
import { plainJson } from '../positions/plain-json.ts';
import { shapeProblems } from '../shape.ts';
import { satisfiesMinimum } from '../versions.ts';
import { manifestShape } from './compiled.ts';
import { checkManifestRules } from './rules.ts';
import { manifestSchema } from './schema.ts';
import type { Manifest } from './manifest.ts';

/** Reads and judges one manifest. `manifest` is null exactly when there are errors. */
export function validateManifest(file: string, bytes: Uint8Array | string): FileReport & { manifest: Manifest | null } {
  const { text, problems } = decodeText(bytes, limits.manifestBytesMax);
  if (problems.length > 0) return { ...toReport(file, text, problems), manifest: null };
  const plain = plainJson(text);
  if (plain !== undefined) return reported(file, text, plain, judge(plain, text));
  const { node, problems: syntax } = readJson(text);
  if (!node) return { ...toReport(file, text, syntax), manifest: null };
  const found: Problem[] = [];
  const value = materialize(node, found);
  return reported(file, text, value, [...found, ...judge(value, text, node)]);
}

function reported(file: string, text: string, value: unknown, problems: readonly Problem[]): FileReport & { manifest: Manifest | null } {
  const report = toReport(file, text, problems);
  return { ...report, manifest: report.ok ? (value as Manifest) : null };
}

/** Whether a parsed value is a manifest, without places: the fast way for a catalogue. Warnings don't count. */
export function isManifest(value: unknown): value is Manifest {
  if (!manifestShape()(value)) return false;
  let errors = 0;
  checkManifestRules(value, (code) => {
    if (findingKinds[code].weight === 'error') errors += 1;
  });
  return errors === 0;
}

/** Places are looked for when there is something to say. */
function judge(value: unknown, text: string, scanned?: SourceNode): Problem[] {
  let node = scanned;
  const root = (): SourceNode => (node ??= scanJson(text));
  const shape = manifestShape();
  const problems = shape(value) ? [] : shapeProblems(shape, value, root()).map((problem) => ofAnotherSdk(problem, value));
  checkManifestRules(value, (code, path, message, at = 'value') => {
    problems.push({ code, path: pointer(path), span: locate(root(), path.map(String), at), message });
  });
  return problems;
}

/** A field that this svc does not know may be one of a newer: which versions are meant. Source: rules 2.1 rule 2, 9. */
function ofAnotherSdk(problem: Problem, value: unknown): Problem {
  if (problem.code !== 'UNKNOWN_FIELD' || problem.message.includes('; did you mean')) return problem;
  const minimum = (value as { readonly minShellVersion?: unknown }).minShellVersion;
  const isNewer = typeof minimum === 'string' && !satisfiesMinimum(about.version, minimum);
  const why = isNewer
    ? `the manifest is for svc ${clip(minimum)} or newer ("minShellVersion"), this is svc ${about.version}: update svc`
    : (homeOf(segmentsOf(problem.path).at(-1) ?? '') ?? `svc ${about.version} has no such field`);
  return { ...problem, message: `${problem.message}; ${why}` };
}

interface Fields {
  readonly properties?: Readonly<Record<string, Fields>>;
}

/** The one other place of the manifest that has this field. Null: there is none, or several. */
function homeOf(field: string): string | null {
  const found = homesIn(manifestSchema as Fields, field, []);
  const [only] = found;
  return only === undefined || found.length > 1 ? null : `it belongs into ${only === '' ? 'the root' : `"${only}"`}`;
}

function homesIn({ properties = {} }: Fields, field: string, path: readonly string[]): readonly string[] {
  const below = Object.entries(properties).flatMap(([name, fields]) => homesIn(fields, field, [...path, name]));
  return Object.hasOwn(properties, field) ? [path.join('.'), ...below] : below;
}
