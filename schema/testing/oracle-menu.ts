/** Which context-menu items the shell leaves out, for the tests: written from the tables of rules 2.2 alone. */
import { isObject } from './manifest-oracle.ts';
import { characters, digit, isExtension, isShown, lower, startsThen, upper } from './oracle-texts.ts';

const known = new Set(['id', 'superficie', 'rotulo', 'ordem', 'quando', 'acao', 'rota']);

/** Positions, from 0. An item that is left out does not take its id from a later one. */
export function omittedByTheSpec(items: readonly unknown[]): number[] {
  const ids = new Set<unknown>();
  return items.flatMap((item, at) => {
    if (!isItem(item) || ids.has(item['id'])) return [at];
    ids.add(item['id']);
    return [];
  });
}

function isItem(item: unknown): item is Readonly<Record<string, unknown>> {
  if (!isObject(item) || Object.keys(item).some((name) => !known.has(name))) return false;
  const { id, superficie, rotulo, ordem = 100 } = item;
  if (typeof id !== 'string' || id.length > 48 || !startsThen(id, [lower, digit], [lower, digit, '-'])) return false;
  if (typeof rotulo !== 'string' || rotulo === '' || characters(rotulo) > 48 || !isShown(rotulo)) return false;
  if (typeof ordem !== 'number' || !Number.isInteger(ordem) || ordem < 0 || ordem > 999) return false;
  if (superficie === 'icone-do-app') return isJump(item);
  return ['arquivo', 'pasta', 'area-de-trabalho'].includes(superficie as string) && isOnPath(item);
}

function isJump({ acao = 'abrirRota', rota, ...rest }: Readonly<Record<string, unknown>>): boolean {
  if (acao !== 'abrirRota' || Object.hasOwn(rest, 'quando')) return false;
  return typeof rota === 'string' && rota !== '' && characters(rota) <= 512 && staysInApp(rota);
}

/** No scheme, no absolute path, no `..`, however they are written; nothing that turns the direction of the text. */
function staysInApp(route: string): boolean {
  for (const char of route)
    if (char < ' ' || char === '\u007f' || (char >= '\u2028' && char <= '\u202e') || (char >= '\u2066' && char <= '\u2069')) return false;
  if (route[0]?.trim() === '' || '/\\'.includes(route[0] ?? '/')) return false;
  const colon = route.indexOf(':');
  if (colon > 0 && startsThen(route.slice(0, colon), [lower, upper], [lower, upper, digit, '+', '-', '.'])) return false;
  let path = route.trimEnd().split('?')[0]?.split('#')[0] ?? '';
  for (const [written, meant] of [
    ['%2e', '.'],
    ['%2E', '.'],
    ['%2f', '/'],
    ['%2F', '/'],
    ['%5c', '/'],
    ['%5C', '/'],
    ['\\', '/'],
  ] as const)
    path = path.split(written).join(meant);
  return !path.split('/').includes('..');
}

function isOnPath(item: Readonly<Record<string, unknown>>): boolean {
  const { acao = 'abrir', superficie } = item;
  if (acao !== 'abrir' || Object.hasOwn(item, 'rota')) return false;
  if (!Object.hasOwn(item, 'quando')) return true;
  const { quando } = item;
  if (superficie !== 'arquivo' || !isObject(quando) || Object.keys(quando).some((name) => name !== 'extensoes')) return false;
  if (!Object.hasOwn(quando, 'extensoes')) return true;
  const { extensoes } = quando;
  return Array.isArray(extensoes) && extensoes.length > 0 && extensoes.every((one) => typeof one === 'string' && isExtension(one));
}
