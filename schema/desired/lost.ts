/**
 * Possible declarations in the unreadable places of a folder: a document with an open brace, one of an unknown kind, a file of other bytes. A
 * reference that may mean such a document is not called unknown: the cause is reported, with the number of references that wait for it, instead of
 * its consequences (`svc validate`, `svc plan`, the portal).
 */
import type { Problem } from '../findings.ts';
import type { MayExist } from './cross-folder.ts';
import { desiredKinds } from './schema.ts';

/** `what` null: of any kind. `name` null: of any name. */
export interface Lost {
  readonly what: Parameters<MayExist>[0] | null;
  readonly name: string | null;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether what seems to stand at a place of the document can be what was meant: no mistake is at it, and its text is not torn before it ends. */
export type IsSure = (path: readonly string[]) => boolean;

/** The losses of a document with mistakes, as far as it can be read. `isTorn`: its syntax is broken, so that any of it may be missing. */
export function lostOf(value: unknown, isTorn: boolean, isSure: IsSure): readonly Lost[] {
  if (!isObject(value) || (isTorn && !isSure(['kind']))) return [{ what: null, name: null }];
  const kind = desiredKinds.find((known) => known === value['kind']) ?? null;
  const seeming = isObject(value['metadata']) ? text(value['metadata']['name']) : null;
  const name = isSure(['metadata', 'name']) ? seeming : null;
  const spec = isObject(value['spec']) ? value['spec'] : {};
  if (kind === null) return isTorn || name === null ? [{ what: null, name: null }] : lostOfNoKind(name, spec);
  const own: readonly Lost[] = name === null ? [{ what: kind, name: null }] : [];
  if (kind === 'Package') return [...own, ...lostPackage(spec, seeming !== null, isTorn, isSure)];
  // Whom it makes is known on its server only.
  if (kind === 'People') return [...own, ...(['Person', 'group'] as const).map((what) => ({ what, name: null }))];
  const groups = spec['grupos'];
  const hidesGroups = isTorn || (groups !== undefined && !(Array.isArray(groups) && groups.every((group) => typeof group === 'string')));
  return kind === 'Person' && (hidesGroups || (name === null && groups !== undefined)) ? [...own, { what: 'group', name: null }] : own;
}

/** A package is referred to by its app. */
function lostOfNoKind(name: string, spec: Readonly<Record<string, unknown>>): readonly Lost[] {
  const app = text(spec['app']);
  return [
    { what: null, name },
    ...(app === null ? [] : [{ what: 'app', name: app } as const, { what: 'installed', name: app } as const]),
    ...(spec['grupos'] === undefined ? [] : [{ what: 'group', name: null } as const]),
  ];
}

/** `isNamed`: it answers references as far as it can be read. */
function lostPackage(spec: Readonly<Record<string, unknown>>, isNamed: boolean, isTorn: boolean, isSure: IsSure): readonly Lost[] {
  const app = isSure(['spec', 'app']) ? text(spec['app']) : null;
  const isNamedThere = text(spec['server']) !== null || spec['servers'] !== undefined;
  const isPlaced = !isTorn && isNamedThere && ['server', 'servers', 'instalacao', 'pessoa'].every((field) => isSure(['spec', field]));
  if (app === null || !isNamed)
    return [
      { what: 'app', name: app },
      { what: 'installed', name: app },
    ];
  return isPlaced ? [] : [{ what: 'installed', name: app }];
}

/** With the finding that hides it. */
export interface Hidden extends Lost {
  readonly by: Problem;
}

export interface Withholding {
  readonly mayExist: MayExist;
  /** The finding, with how many references wait for it. */
  annotate(problem: Problem): Problem;
}

export function withholding(hidden: readonly Hidden[]): Withholding {
  const waiting = new Map<Problem, number>();
  return {
    mayExist: (what, name) => {
      const causes = hidden.filter((one) => (one.what === null || one.what === what) && (one.name === null || one.name === name));
      for (const by of new Set(causes.map((one) => one.by))) waiting.set(by, (waiting.get(by) ?? 0) + 1);
      return causes.length > 0;
    },
    annotate: (problem) => {
      const count = waiting.get(problem) ?? 0;
      if (count === 0) return problem;
      const references = count === 1 ? '1 reference that may mean this document is' : `${count} references that may mean this document are`;
      return { ...problem, message: `${problem.message}; ${references} judged once it can be read` };
    },
  };
}
