/**
 * The minimum of a manifest that the servers check before they act on it (rules 2.1: install "validates only a minimum", 3.1 step 1; 9.9): what the
 * rows of its fields say for servers. validate.ts checks everything, at publishing and in the portal. Both read text through the same strict reader
 * (UTF-8, duplicate keys, `__proto__`, depth, size): a package that was copied to a server past the validator still can't smuggle in a path or a
 * variable.
 */
import { appIdFault } from '../app-id.ts';
import { SvcError } from '../errors.ts';
import type { Problem } from '../findings.ts';
import { limits } from '../limits.ts';
import { decodeText } from '../positions/decode.ts';
import { readJson } from '../positions/json.ts';
import { clip, materialize } from '../positions/node.ts';
import { ceilingSchemas, serverSchema } from './derived.ts';
import type { Manifest } from './manifest.ts';
import { plainCheck, type Path } from './plain-check.ts';

const check = plainCheck(serverSchema);
const ceilings = Object.entries(ceilingSchemas).map(([name, schema]) => [name, plainCheck(schema)] as const);

/**
 * The manifest, or SvcError MANIFEST_INVALID naming the first field that can't be acted on. A value of `resources` outside its alphabet is left out,
 * so that the default applies (rules 3.1 step 1); unknown fields stay, they were judged at publishing.
 */
export function parseManifest(bytes: Uint8Array | string): Manifest {
  const { text, problems } = decodeText(bytes, limits.manifestBytesMax);
  const { node, problems: syntax } = problems.length > 0 ? { node: null, problems } : readJson(text);
  const found: Problem[] = [...syntax];
  const value = node ? materialize(node, found) : null;
  if (found[0]) refuse(found[0].path, found[0].message);
  const fault = check(value);
  if (fault !== null) {
    const { path, missing, reason } = fault;
    refuse(
      [...path, ...(missing === null ? [] : [missing])].join('.'),
      missing === null ? `${reason}, found ${show(value, path)}` : reason,
    );
  }
  const manifest = value as Manifest;
  const wrongId = appIdFault(manifest.id);
  if (wrongId !== null) refuse('id', wrongId);
  return manifest.resources === undefined ? manifest : { ...manifest, resources: usableResources(manifest.resources) };
}

/** Resources of the right alphabet; others are left out. Source: rules 3.1 step 1. */
export function usableResources(value: unknown): NonNullable<Manifest['resources']> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const found = value as Readonly<Record<string, unknown>>;
  const usable = ceilings.filter(([name, fault]) => fault(found[name]) === null);
  return Object.fromEntries(usable.map(([name]) => [name, found[name]]));
}

function show(root: unknown, path: Path): string {
  const value = path.reduce<unknown>((within, name) => (within as Readonly<Record<string | number, unknown>>)[name], root);
  return typeof value === 'string' ? `"${clip(value)}"` : typeof value;
}

function refuse(path: string, message: string): never {
  throw new SvcError('MANIFEST_INVALID', `svc-app.json${path === '' ? '' : `: "${clip(path)}"`}: ${message}`, { path });
}
