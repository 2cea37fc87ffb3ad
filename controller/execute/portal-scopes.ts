/** The parts of the portal that a backend asks for, by its manifest (rules 2.1). */
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { portalScopes, type PortalScope } from '../../store/rooms.ts';

export function portalScopesOf(manifest: Manifest | undefined): readonly PortalScope[] {
  if (manifest === undefined) return [];
  const { requires = [], usa = [], recursos } = manifest;
  return portalScopes.filter((scope) => (scope === 'capacidades' ? requires.length + usa.length > 0 : recursos?.[scope] === true));
}
