/**
 * Resolves the terminal, the editor, the file manager, the programming environment and the browser: the app that the person chose among
 * those with `handles`; else the desktop's own, where it has one. Source: rules 2.1 `handles`. Decision:
 * docs/decisions/0222-what-opens-what.md
 */
import type { Preferences, handledRoles } from '../../schema/wire/preferences.ts';
import type { Opener } from './file-type.ts';

export type Role = (typeof handledRoles)[number];
/** These the desktop has itself. */
const builtin: ReadonlySet<Role> = new Set(['terminal', 'editor', 'fileBrowser']);

/** `ask`: several apps offer it, and the person chose none. Null: nobody has it, and there is no entry for it. */
export type RoleHolder = { readonly by: 'app'; readonly app: string } | { readonly by: 'desktop' } | { readonly by: 'ask' } | null;

export const hasBuiltin = (role: Role): boolean => builtin.has(role);

export function holderOf(
  role: Role,
  apps: readonly Pick<Opener, 'id' | 'papel'>[],
  { padroes = {} }: Pick<Preferences, 'padroes'>,
): RoleHolder {
  const offering = apps.filter(({ papel }) => papel === role);
  const chosen = offering.find(({ id }) => Object.hasOwn(padroes, role) && id === padroes[role]);
  if (chosen !== undefined) return { by: 'app', app: chosen.id };
  if (builtin.has(role)) return { by: 'desktop' };
  const [only, ...others] = offering;
  if (only === undefined) return null;
  return others.length === 0 ? { by: 'app', app: only.id } : { by: 'ask' };
}
