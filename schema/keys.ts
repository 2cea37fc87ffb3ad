/**
 * Keys name objects, in the queue, in statuses and in events: `<Kind>/<part>/<part>…`. They are made and taken apart here only; a
 * kind that has no row here makes its keys with `makeKey`.
 */

/** The kinds of objects with a status, in the order in which a name shared by several is looked up. */
export const objectKinds = [
  'Backend',
  'Supervisor',
  'Server',
  'Person',
  'People',
  'Package',
  'Engine',
  'Service',
  'Portal',
  'Grant',
  'Cluster',
  'Job',
] as const;

/** With '' as the only part: what the keys of that kind begin with. */
export function makeKey(kind: string, ...parts: readonly string[]): string {
  return `${kind}/${parts.join('/')}`;
}

export const keys = {
  portal: (name: string) => `Portal/${name}`,
  server: (name: string) => `Server/${name}`,
  service: (server: string, app: string) => `Service/${server}/${app}`,
  engine: (server: string, app: string, nome: string, versao: string) => `Engine/${server}/${app}/${nome}/${versao}`,
  /** All engines of an app: what the installer works on at once. */
  enginesOf: (server: string, app: string) => `Engine/${server}/${app}`,
  person: (name: string) => `Person/${name}`,
  people: (name: string) => `People/${name}`,
  supervisor: (person: string) => `Supervisor/${person}`,
  backend: (person: string, app: string) => `Backend/${person}/${app}`,
  /** `name`: of the document, or `<person>/<app>` for what a person asked for. */
  package: (name: string) => `Package/${name}`,
  grant: (name: string) => `Grant/${name}`,
  cluster: (name: string) => `Cluster/${name}`,
  job: (id: string) => `Job/${id}`,
} as const;

/** Returns the key of a document of the desired state. */
export function keyOfDocument({ kind, metadata }: { readonly kind: string; readonly metadata: { readonly name: string } }): string {
  return makeKey(kind, metadata.name);
}

export interface ReadKey {
  readonly kind: string;
  /** Everything after the kind. */
  readonly name: string;
  /** The same, part by part: at least one. */
  readonly parts: readonly [string, ...string[]];
}

export function readKey(key: string): ReadKey {
  const slash = key.indexOf('/');
  if (slash < 0) return { kind: key, name: '', parts: [''] };
  const name = key.slice(slash + 1);
  const [first = '', ...more] = name.split('/');
  return { kind: key.slice(0, slash), name, parts: [first, ...more] };
}

/** The kind alone, without taking the rest apart: asked for each key of the queue. */
export function kindOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
}

/** The name alone; `name` may be given with its kind before it. */
export function nameIn(kind: string, name: string): string {
  return name.startsWith(`${kind}/`) ? name.slice(kind.length + 1) : name;
}
