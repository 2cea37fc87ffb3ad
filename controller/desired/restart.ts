/**
 * The part of its document that a portal reads when it starts, and keeps until it is started again: its listeners and its store are not
 * changed while people work.
 */
import type { PortalDocument } from '../../schema/desired/documents.ts';

export type PortalSpec = PortalDocument['spec'];

export const portalDefaults = {
  listen: '127.0.0.1:8787',
  origins: 'subdomain',
  trustedProxies: [],
  shellScripts: 'system',
  store: 'sqlite:svc.db',
} as const satisfies PortalSpec;

const readAtStart = [
  'listen',
  'url',
  'origins',
  'trustedProxies',
  'shellScripts',
  'store',
  'storePassword',
  'storeCa',
  'portalKey',
] as const;

export interface StartedWith {
  readonly spec: PortalSpec;
  /** False: `--listen` said where it listens. */
  readonly listens: boolean;
}

/** Fields of the document that say something else than the portal was started with. */
export function waitingForRestart(started: StartedWith | null, now: PortalSpec): readonly string[] {
  if (started === null) return [];
  const said = (spec: PortalSpec, name: (typeof readAtStart)[number]): string | undefined => {
    const value = spec[name] ?? (name in portalDefaults ? portalDefaults[name as keyof typeof portalDefaults] : undefined);
    return JSON.stringify(value);
  };
  return readAtStart.filter((name) => (name !== 'listen' || started.listens) && said(started.spec, name) !== said(now, name));
}

/** Whether apps have origins of their own, as browsers see it now: an edit of it waits for a restart. */
export function originsOf(
  { startedWith }: { readonly startedWith?: (() => StartedWith | null) | undefined },
  portal: { readonly document: PortalDocument } | null,
): 'subdomain' | 'path' {
  return (startedWith?.()?.spec ?? portal?.document.spec)?.origins ?? portalDefaults.origins;
}
