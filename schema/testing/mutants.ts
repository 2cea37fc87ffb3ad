/**
 * Seeded mutations of a manifest that know nothing of the rules. Most keep near the border (a letter more, a neighbour's value, one over the limit),
 * where two readers come apart.
 */
import type { Random } from '../../test/simulation/random.ts';
import { wordsOf } from '../../test/support/words.ts';
import { keptNames } from './manifest-oracle.ts';

type Fields = Record<string, unknown>;

/** Where a value stands. */
interface Slot {
  readonly owner: Fields | unknown[];
  readonly key: string | number;
}
const valueAt = ({ owner, key }: Slot): unknown => (owner as Fields)[key];
function put({ owner, key }: Slot, value: unknown): void {
  // `__proto__` as a name of its own, as JSON has it.
  Object.defineProperty(owner, key, { value, enumerable: true, configurable: true, writable: true });
}

function slotsOf(root: Fields): { readonly slots: Slot[]; readonly objects: Fields[] } {
  const slots: Slot[] = [];
  const objects: Fields[] = [];
  const visit = (owner: Fields | unknown[]): void => {
    if (!Array.isArray(owner)) objects.push(owner);
    for (const key of Array.isArray(owner) ? owner.keys() : Object.keys(owner)) {
      const slot = { owner, key };
      slots.push(slot);
      const value = valueAt(slot);
      if (typeof value === 'object' && value !== null) visit(value as Fields);
    }
  };
  visit(root);
  return { slots, objects };
}

const letters = Array.from('aZz09.-_/+~*%|: \\@#?=$&!^\'"<;,[{\n\r\t\0\u007f\u0085\u00a0é\u0301\u2028\ufeff😀');
const oddNumbers = [0, -0, 1, -1, 0.5, 199, 200, 149, 150, 299, 300, 399, 400, 999, 1_000, 10_000, 10_001, 200.5, 1e21, 1e308];
const odd = [
  null,
  true,
  false,
  ...oddNumbers,
  '',
  ' ',
  'a\\b',
  'C:\\a',
  'ocioso:5m ',
  'https://a b',
  'a.svg\n',
  'a | b',
  ...keptNames,
  'SVC_APP_TOKEN',
  ...wordsOf(`
    . .. / ./a ../a /a a/ a//b a/../b a:b //a %2e%2e/a a/%2E%2e/b x?.. x#/../y none tcp socket manter ocioso:0m ocioso:10000m ocioso:05m
    app engine service servidor pessoa vscode ide gpu abrir abrirRota arquivo pasta icone-do-app texto/v1 Texto/v1 texto/v texto/v1.0
    texto #767676 #777777 #FFFFFF #fff #00ff00 #0000ff #757575g 1.2.3 1.2.3.4 1. v1 1P 1.5.5 10% 10%% .5 5. * *.com *.co.uk *.com.br
    *.GitHub.io *.example.net localhost 1.2.3.4 a.org. *.*.org a.b- -a.b a_b.org [::1] http:// ftp://a javascript:alert(1) JavaScript:x
    data:,x file:///a https://a/%zz https://a/#b#c https://a:70000/ a.org a.js .js a.mjs dir/..js a/../b.js a.svg a.jpeg A.SVG __proto__
    constructor toString PATH HOME SVC_X SVC_MOTOR_X SVC BROWSER ENV LD_X NODE_X PYTHONX a| |a a||b é 😀 ſ K ß İ １ ٣
  `),
  ...[32, 33, 48, 49, 60, 61, 64, 65, 120, 121, 512, 513].flatMap((length) => [
    'a'.repeat(length),
    'A'.repeat(length),
    '😀'.repeat(length),
  ]),
];
const oddTexts = odd.filter((each) => typeof each === 'string');
const names = [
  'novo',
  '$schema',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  '',
  'Id',
  'id ',
  'name',
  'nome',
  'url',
  'quando',
];

function editText(random: Random, text: string): string {
  const chars = Array.from(text);
  const at = random.int(0, chars.length);
  switch (random.int(0, 7)) {
    case 0:
      return chars.toSpliced(at, 0, random.pick(letters)).join('');
    case 1:
      return chars.toSpliced(at, 1).join('');
    case 2:
      return chars.toSpliced(at, 1, random.pick(letters)).join('');
    case 3:
      return random.chance(0.5) ? `${text}\n` : `\n${text}`;
    case 4:
      return random.chance(0.5) ? text.toUpperCase() : text.toLowerCase();
    case 5:
      return text.repeat(random.int(2, 4));
    case 6:
      return text + random.pick(letters).repeat(random.pick([1, 2, 15, 16, 17, 27, 31, 63, 64]));
    default:
      return chars.toReversed().join('');
  }
}

/** Changes something at a random place. */
function mutateOnce(random: Random, root: Fields): void {
  const { slots, objects } = slotsOf(root);
  const slot = random.pick(slots);
  const value = valueAt(slot);
  switch (random.int(0, 9)) {
    case 0:
      return Array.isArray(slot.owner) ? void slot.owner.splice(slot.key as number, 1) : void delete slot.owner[slot.key];
    case 1:
      return put({ owner: random.pick(objects), key: random.pick(names) }, structuredClone(valueAt(random.pick(slots))));
    case 2:
      return put(slot, structuredClone(valueAt(random.pick(slots))));
    case 3:
      return put(slot, random.pick([[], {}, [value], { a: value }, String(value), null]));
    case 4: {
      // Mostly of the same type: another one is refused by any reader.
      const alike = typeof value === 'number' ? oddNumbers : oddTexts;
      return put(slot, random.pick(random.chance(0.8) ? alike : odd));
    }
    case 5:
      if (Array.isArray(value) && value.length > 0) {
        const item: unknown = value[0];
        return void value.push(...Array.from({ length: random.pick([1, 1, 8, 9, 32, 33]) }, () => structuredClone(item)));
      }
      return put(slot, random.pick(odd));
    case 6:
      if (typeof value === 'number') return put(slot, value + random.pick([-1, 1, 0.5, 1e9]));
      return put(slot, random.pick(odd));
    default: {
      const texts = slots.filter((each) => typeof valueAt(each) === 'string');
      const chosen = random.pick(texts);
      return put(chosen, editText(random, valueAt(chosen) as string));
    }
  }
}

/** A copy with one to three changes; one in sixteen has none. */
export function mutate(random: Random, source: Fields): Fields {
  const root = structuredClone(source);
  if (random.chance(1 / 16)) return root;
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left -= 1) if (Object.keys(root).length > 0) mutateOnce(random, root);
  return root;
}

/** The text of a value, sometimes changed as a text: what JSON itself, or only our files, refuse. */
export function writeText(random: Random, value: unknown): Buffer {
  const text = JSON.stringify(value, null, random.pick([0, 0, 2]));
  if (random.chance(0.8)) return Buffer.from(text);
  const at = random.int(0, text.length);
  const put = (what: string): Buffer => Buffer.from(text.slice(0, at) + what + text.slice(at));
  switch (random.int(0, 7)) {
    case 0:
      return put(
        random.pick([' ', '\n', '\t', '\r', ',', '}', '{', '"', '\\', '//', '/**/', '\u00a0', '\ufeff', '\0', '0', '-', 'e', '.']),
      );
    case 1:
      return Buffer.from(text.slice(0, at) + text.slice(at + 1));
    case 2:
      return Buffer.from(
        text.replace(/"(\w+)":/, (_, name: string) => `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}":`),
      );
    case 3:
      // A name twice.
      return Buffer.from(text.replace(/\{(\s*)("\w+"):/, (_, space: string, name: string) => `{${space}${name}:1,${space}${name}:`));
    case 4:
      return Buffer.from(
        text.replace(
          /:\s*"/,
          (found) => found + random.pick(['\\ud800', '\\udc00\\ud800', '\\ud83d\\ude00', '\\u0000', '\\/', '\\x41', '\t']),
        ),
      );
    case 5: {
      const bytes = Buffer.from(text);
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
      return bytes;
    }
    case 6:
      return Buffer.from(
        random.pick([`\ufeff${text}`, `${text}\n`, ` ${text} `, `${text},`, `[${text}]`, `${text}${text}`, text.replace(/,/, ',,')]),
      );
    default:
      return Buffer.from(text.replace(/\{/, `{"x":${'['.repeat(random.pick([62, 63, 64, 70]))}1${']'.repeat(63)},`));
  }
}
