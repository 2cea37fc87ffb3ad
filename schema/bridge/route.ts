/**
 * The one rule for a `rota`, a place inside an app: of a context-menu item (rules 2.2), `janela.abrir`, a notice, a link, a window that is restored.
 */
import { limits } from './limits.ts';

/** Why it is no route, in a sentence for the author of a manifest; null: it is one. */
export function routeProblem(route: unknown): string | null {
  if (typeof route !== 'string' || route === '' || Array.from(route).length > limits.routeCharsMax)
    return `expected a text of 1 to ${limits.routeCharsMax} characters`;
  // Browsers strip these characters before they parse an address, so they could hide a scheme.
  if (/^\s|[\u0000-\u001f\u007f]/.test(route)) return 'a space at the beginning or a control character is not allowed in a route';
  // Characters that reverse the direction of text would show another place than the route leads to.
  if (/[\u2028-\u202e\u2066-\u2069]/.test(route)) return 'a character that turns the direction of the text is not allowed in a route';
  if (/^[a-z][a-z0-9+.-]*:/i.test(route)) return 'a scheme is not allowed in a route';
  // Spaces at the end are stripped, too: `a/.. ` ends with a `..`.
  const path = (route.trimEnd().split(/[?#]/, 1)[0] ?? '').replaceAll(/%2e/gi, '.').replaceAll(/%2f|%5c|\\/gi, '/');
  if (path.startsWith('/')) return 'the route must be relative';
  if (path.split('/').includes('..')) return '".." is not allowed in a route';
  return null;
}

export const isRoute = (value: unknown): value is string => routeProblem(value) === null;
