/**
 * The minimum of a manifest that the servers check before they act on it (rules 2.1: install "validates only a minimum", 3.1 step 1; 9.9), by hand:
 * the fields that become a command line, a path, a variable or a state. A JSON Schema engine costs some ten megabytes and tens of milliseconds, and
 * every person's supervisor and every start would pay for it; validate.ts checks everything with one, at publishing and in the portal. Both read
 * text through the same strict reader (UTF-8, duplicate keys, `__proto__`, depth, size), and a rule that both need is in `patterns`: a package that
 * was copied to a server past the validator still can't smuggle in a path or a variable.
 */
import { appIdFault } from '../app-id.ts';
import { SvcError } from '../errors.ts';
import { limits } from '../limits.ts';
import { decodeText } from '../positions/decode.ts';
import { readJson } from '../positions/json.ts';
import { clip, materialize } from '../positions/node.ts';
import type { Problem } from '../findings.ts';
import { patterns } from './patterns.ts';
import type { Manifest } from './manifest.ts';

type Fields = Readonly<Record<string, unknown>>;

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
  const root = fields(value, '');
  matches(root['id'], 'id', new RegExp(patterns.id));
  const fault = appIdFault(String(root['id']));
  if (fault !== null) refuse('id', fault);
  matches(root['version'], 'version', /^[0-9A-Za-z][0-9A-Za-z.\-+_]*$/);
  for (const field of ['name', 'icon', 'description', 'category']) optional(root[field], field, 'string');
  oneOf(root['type'], 'type', ['app', 'engine']);
  oneOf(root['kind'], 'kind', ['app', 'service']);
  oneOf(root['escopo'], 'escopo', ['pessoa', 'servidor']);
  optional(root['gpu'], 'gpu', 'boolean');
  checkBackend(fields(root['backend'], 'backend'));
  checkRecursos(root['recursos']);
  checkSecrets(root['secrets']);
  checkMotores(root['motores']);
  checkOthers(root);
  const resources = root['resources'] === undefined ? undefined : usableResources(root['resources']);
  return { ...root, ...(resources === undefined ? {} : { resources }) } as unknown as Manifest;
}

function checkBackend(backend: Fields): void {
  oneOf(backend['runtime'] ?? null, 'backend.runtime', ['python3', 'node', 'binary']);
  const entrypoint = backend['entrypoint'];
  if (typeof entrypoint !== 'string' || entrypoint === '' || /^\/|\\|\0|(^|\/)\.\.(\/|$)/.test(entrypoint)) {
    refuse('backend.entrypoint', 'expected a path inside the package');
  }
  const transport = backend['transport'];
  if (transport !== undefined && transport !== 'socket') {
    refuse('backend.transport', `expected "socket", found ${show(transport)}: the app must bind the unix socket named by SVC_APP_SOCKET`);
  }
  if (backend['aoFechar'] !== undefined) matches(backend['aoFechar'], 'backend.aoFechar', new RegExp(patterns.aoFechar));
  const command = backend['installCommand'];
  if (command !== undefined && (typeof command !== 'string' || command.includes('\0')))
    refuse('backend.installCommand', 'expected a command');
  if (backend['healthcheckPath'] !== undefined)
    matches(backend['healthcheckPath'], 'backend.healthcheckPath', new RegExp(patterns.healthcheckPath));
}

function checkRecursos(value: unknown): void {
  if (value === undefined) return;
  const recursos = fields(value, 'recursos');
  for (const field of ['fila', 'salas', 'metricas']) optional(recursos[field], `recursos.${field}`, 'boolean');
  if (recursos['gpu'] !== undefined)
    oneOf(fields(recursos['gpu'], 'recursos.gpu')['modo'] ?? null, 'recursos.gpu.modo', ['opcional', 'necessaria']);
}

function checkSecrets(value: unknown): void {
  for (const [index, secret] of list(value, 'secrets').entries()) {
    const name = fields(secret, `secrets.${index}`)['name'];
    // A reserved one is no reason not to start: it can't be stored (reserved-names.ts).
    matches(name, `secrets.${index}.name`, new RegExp(patterns.variable));
  }
}

function checkMotores(value: unknown): void {
  for (const [index, entry] of list(value, 'motores').entries()) {
    const motor = fields(entry, `motores.${index}`);
    matches(motor['nome'], `motores.${index}.nome`, /^[a-z][a-z0-9-]{0,31}$/);
    // "." and ".." have the shape of a version in neither pattern: the first character is a letter or a digit.
    matches(motor['versao'], `motores.${index}.versao`, /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$/);
    matches(motor['url'], `motores.${index}.url`, /^https?:\/\/[^\s]+$/);
    matches(motor['sha256'], `motores.${index}.sha256`, /^[0-9a-f]{64}$/);
    if (!Number.isInteger(motor['tamanho']) || Number(motor['tamanho']) < limits.engineBytesMin)
      refuse(`motores.${index}.tamanho`, 'expected a size in bytes');
    oneOf(motor['quando'], `motores.${index}.quando`, ['gpu']);
    const path = motor['confere'];
    if (path !== undefined) matches(path, `motores.${index}.confere`, /^(?!(?:.*\/)?\.\.(?:\/|$))[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/);
  }
}

/** Only the shape, so that readers find what the type promises. */
function checkOthers(root: Fields): void {
  for (const field of ['provides', 'requires', 'usa', 'requiredPackages', 'instalacao']) {
    const wrong = list(root[field], field).findIndex((item) => typeof item !== 'string');
    if (wrong !== -1) refuse(`${field}.${wrong}`, 'expected a text');
  }
  for (const field of ['window', 'contributes', 'opens', 'capacidades']) if (root[field] !== undefined) fields(root[field], field);
  const loader = root['engine'] === undefined ? undefined : fields(root['engine'], 'engine')['loader'];
  if (loader !== undefined) matches(loader, 'engine.loader', new RegExp(patterns.script));
}

/** Resources of the right alphabet; others are left out. Source: rules 3.1 step 1. */
export function usableResources(value: unknown): NonNullable<Manifest['resources']> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const memory = new RegExp(patterns.memory);
  const alphabet = { memoryHigh: memory, memoryMax: memory, cpuQuota: new RegExp(patterns.cpu), tasksMax: new RegExp(patterns.tasks) };
  const usable = Object.entries(alphabet).flatMap(([name, pattern]) => {
    const found = (value as Fields)[name];
    return typeof found === 'string' && pattern.test(found) ? [[name, found]] : [];
  });
  return Object.fromEntries(usable) as NonNullable<Manifest['resources']>;
}

function fields(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(path, 'expected an object');
  return value as Fields;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : refuse(path, 'expected a list');
}

function matches(value: unknown, path: string, pattern: RegExp): void {
  if (typeof value !== 'string' || !pattern.test(value))
    refuse(path, `expected a text that matches ${pattern.source}, found ${show(value)}`);
}

function oneOf(value: unknown, path: string, allowed: readonly string[]): void {
  if (value === undefined) return;
  if (typeof value !== 'string' || !allowed.includes(value)) refuse(path, `expected ${allowed.join(' or ')}, found ${show(value)}`);
}

function optional(value: unknown, path: string, type: 'string' | 'boolean'): void {
  if (value !== undefined && typeof value !== type) refuse(path, `expected a ${type}`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${clip(value)}"` : value === undefined ? 'nothing' : typeof value;
}

function refuse(path: string, message: string): never {
  throw new SvcError('MANIFEST_INVALID', `svc-app.json${path === '' ? '' : `: "${clip(path)}"`}: ${message}`, { path });
}
