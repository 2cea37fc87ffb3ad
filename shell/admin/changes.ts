/** A change that is begun in a panel of Administration, and the body that it becomes. */
import type { OwnDraftBody, OwnFileAnswer } from '../../schema/wire/own-file.ts';

export type Written = OwnFileAnswer['documents'][number];

/** `app`: null for another one. */
export type Begun =
  | { readonly kind: 'person' }
  | { readonly kind: 'app'; readonly app: Written | null }
  | { readonly kind: 'remove'; readonly of: 'Person' | 'Package'; readonly name: string };

/** Asks the window for the dialog; it comes from any depth of a panel. */
export const begin = (from: EventTarget, begun: Begun): boolean =>
  from.dispatchEvent(new CustomEvent<Begun>('begin-change', { detail: begun, bubbles: true, composed: true }));

const nameCharsMax = 63;

/** The name of a document for this login: what its rule does not take becomes a hyphen. */
export function nameOf(login: string): string {
  const plain = login
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, '-')
    .slice(0, nameCharsMax);
  const first = plain.search(/[a-z0-9]/);
  const last = plain.search(/[a-z0-9][._-]*$/);
  return first === -1 ? 'pessoa' : plain.slice(first, last + 1);
}

function textIn(data: FormData, field: string): string {
  const value = data.get(field);
  return typeof value === 'string' ? value.trim() : '';
}

const wordsIn = (data: FormData, field: string): readonly string[] => [
  ...new Set(
    textIn(data, field)
      .split(/[\s,;]+/)
      .filter((word) => word !== ''),
  ),
];

export function personIn(data: FormData): OwnDraftBody {
  const [nome, login, server, typed] = ['nome', 'login', 'server', 'account'].map((field) => textIn(data, field)) as [
    string,
    string,
    string,
    string,
  ];
  const name = nameOf(login);
  const account = typed === '' ? login : typed;
  const grupos = wordsIn(data, 'grupos');
  // Without it the account is that of the name.
  return {
    act: 'put',
    kind: 'Person',
    name,
    person: { nome, login, server, ...(account === name ? {} : { account }), ...(grupos.length === 0 ? {} : { grupos }) },
  };
}

/** `of`: the document that is changed; null: another one. */
export function packageIn(data: FormData, of: Written | null): OwnDraftBody {
  const app = of?.app ?? textIn(data, 'app');
  const where = data.has('everywhere') ? { everywhere: true } : { servers: data.getAll('servers').map(String) };
  const grupos = wordsIn(data, 'grupos');
  const fields = { app, versao: textIn(data, 'versao'), ...where, ...(grupos.length === 0 ? {} : { grupos }) };
  return { act: 'put', kind: 'Package', name: of?.name ?? app, package: fields };
}
