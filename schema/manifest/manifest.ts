/**
 * The manifest `svc-app.json` after validation (rules 2.1 to 2.5): the type that its schema lets through. Optional fields stay optional: defaults
 * are applied by the reader that needs them, through the functions below, so that the file on disk and the value are the same.
 */
import type { Wire } from '../static.ts';
import type { manifestSchema } from './schema.ts';

/** `window` is read field by field where it is used: servers do not check what is in it. */
export type Manifest = Omit<Wire<typeof manifestSchema>, 'window'> & { readonly window?: Readonly<Record<string, unknown>> };

/** An engine artefact (rules 2.3). */
export type Motor = NonNullable<Manifest['motores']>[number];

/** The action when the last window closes, with the rule for services applied. Source: rules 3.3, supervisor rule 4. */
export type ClosePolicy =
  | { readonly kind: 'encerrar' }
  | { readonly kind: 'manter' }
  | { readonly kind: 'ocioso'; readonly minutes: number };

export function closePolicy(manifest: Manifest): ClosePolicy {
  const declared = manifest.backend.aoFechar ?? 'encerrar';
  const idle = /^ocioso:([1-9][0-9]{0,3})m$/.exec(declared);
  if (idle) return { kind: 'ocioso', minutes: Number(idle[1]) };
  if (declared === 'manter' || manifest.kind === 'service') return { kind: 'manter' };
  return { kind: 'encerrar' };
}

/**
 * Whether the app starts with the person's session: services, and engines with a loader, which no window and no icon would start. An engine that
 * only offers capabilities starts when it is asked. Source: rules 2.1 `kind`. Decision: docs/decisions/0205-engines-in-the-environment.md
 */
export function startsWithSession({ type, kind, engine, provides }: Manifest): boolean {
  if (type === 'engine' && engine?.loader !== undefined) return true;
  return kind === 'service' && !(type === 'engine' && (provides?.length ?? 0) > 0);
}

/** `healthcheckPath` as a request target, from the root. A manifest may hold any string, and only what a URL path can hold goes on the wire. */
export function healthPath({ healthcheckPath = '/' }: { readonly healthcheckPath?: string | undefined }): string {
  const url = new URL(`http://localhost/${healthcheckPath.replace(/^\/+/, '')}`);
  return `${url.pathname}${url.search}`;
}
