/** Paths out of everything that ever fooled a prefix, and where they lead by any reading; knows nothing of the rules of call-path.ts. */
import { posix } from 'node:path';
import type { Random } from '../../../test/simulation/random.ts';

const plain = ['a', 'b.c', 'verbete', '%20', '%C3%A7', ';v=1', '...', '.x', '~', '100%25'];
const sly = [
  ...`
    .. . %2e%2e %2E. %252e%252e %25252e. %252e%252e; ..; ..;x=1 .%00. %2e%2e%2f ..%2f.. %2f %2F %252f %5c ..%5c % %2 %zz %u002e%u002e %c0%ae%c0%ae %c0%af
    %e0%80%ae %ef%bc%8e%ef%bc%8e %ef%bc%8f %e2%80%a5 %e2%84%80 %00 %0d%0ax:y %e9 ç ．． http: @evil.example evil.example:80 * :80 # ? %3f %23 __svc _sdk api dic
  `
    .trim()
    .split(/\s+/),
  '\\',
  '..\\',
  '',
  '',
  ' ',
  '\t',
  '\u00a0',
];

/** A path that a caller appends to `/api/capacidades/<nome>/<versao>`. */
export function somePath({ int, chance, pick }: Random, isSly: boolean): string {
  const query = pick(['', '', '?q=../../x']);
  if (!isSly) return `/${Array.from({ length: int(0, 4) }, () => pick(plain)).join('/')}${query}`;
  const parts = Array.from({ length: int(1, 4) }, () => pick(chance(1 / 2) ? sly : plain));
  const start = pick(['/', '/', '/', '/', '/', '', '//', '/./', '/../', '\\', 'http://evil.example/', '%2f', '?', ';/']);
  return start + parts.join(pick(['/', '/', '/', '/', '//', '\\', '%2f'])) + pick([query, query, '/', '?%2e%2e/%00', '#x']);
}

/** The path as programs read it that decode it, resolve it, or both, in any order and again. */
function readings(url: string): string[] {
  let text = url.split(/[?#]/, 1)[0] ?? '';
  const found: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    for (const each of [text, text.replaceAll('\\', '/'), text.normalize('NFKC').replaceAll('\\', '/'), text.replaceAll(/;[^/]*/g, '')])
      found.push(posix.normalize(each));
    found.push(new URL(`http://x${text.startsWith('/') ? '' : '/'}${text}`).pathname);
    text = text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return found;
}

/** Whether any program could take the path for one that is not below the `rota`. */
export function leadsOut(url: string, rota: string): boolean {
  return readings(url).some((path) => !path.startsWith(`${rota}/`));
}
