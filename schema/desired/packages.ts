/**
 * A Package document for many servers is one installation on each of them. Decision: docs/decisions/0411-one-package-on-many-servers.md
 */
import type { DesiredDocument, PackageDocument, WrittenPackage } from './documents.ts';

/** The servers that it names: of `all`, those that there are. */
export function serversOf({ server, servers }: WrittenPackage['spec'], all: Iterable<string>): readonly string[] {
  if (servers === undefined) return server === undefined ? [] : [server];
  // A document with a mistake in it may hold another word here.
  return typeof servers === 'string' ? [...all] : servers;
}

/** No document can be named so: the name of an installation is nobody else's. */
export const installationName = (document: string, server: string): string => `${document}@${server}`;

/** As they come into force: any other document is the same one. */
export function inForceOf(document: DesiredDocument, all: readonly string[]): readonly DesiredDocument[] {
  if (document.kind !== 'Package' || document.spec.servers === undefined) return [document];
  const { servers: _, ...spec } = document.spec;
  const { apiVersion, kind, metadata } = document;
  return serversOf(document.spec, all).map((server): PackageDocument => ({
    apiVersion,
    kind,
    metadata: { name: installationName(metadata.name, server) },
    spec: Object.assign({ server }, spec),
  }));
}

/** Where it installs what. */
export function targetOf({ app, server, instalacao = 'sistema', pessoa }: PackageDocument['spec']): string {
  return [server, app, instalacao, instalacao === 'pessoa' ? (pessoa ?? '') : ''].join(' ');
}
