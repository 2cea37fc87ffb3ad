/**
 * The vocabulary of rooms: roles, channels, close codes, and who writes where. One table in code per table of the spec.
 * Source: rules 2.4, 3.4, 6, 7.
 */

/** From least to most. `dona` is the owner; a room has exactly one. */
export const papeis = ['ver', 'comentar', 'editar', 'dona'] as const;
export type Papel = (typeof papeis)[number];

/** Roles that can be granted: ownership isn't one. */
export const papeisConcedidos = ['ver', 'comentar', 'editar'] as const;
export type PapelConcedido = (typeof papeisConcedidos)[number];

/** Kinds of notices that an app sends people about a room (rules 6). */
export const noticeKinds = ['mencao', 'comentario'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** The two CRDT documents of a room. */
export const canais = ['documento', 'comentarios'] as const;
export type Canal = (typeof canais)[number];

/** How a version of a document is given: a Yjs update, its values, or its text as people read it. */
export const versionForms = ['yjs', 'json', 'texto', 'markdown', 'html'] as const;
export type VersionForm = (typeof versionForms)[number];

const writers: Readonly<Record<Canal, ReadonlySet<Papel>>> = {
  documento: new Set(['dona', 'editar']),
  comentarios: new Set(['dona', 'editar', 'comentar']),
};

/** Whether the role writes in that channel. Every role reads both and publishes presence. Source: rules 2.4. */
export const podeEscrever = (papel: Papel, canal: Canal): boolean => writers[canal].has(papel);

/** The better of two roles; a person in by name and by group keeps it. */
export function melhorPapel(one: Papel | null, other: Papel | null): Papel | null {
  if (one === null) return other;
  if (other === null) return one;
  return papeis.indexOf(one) >= papeis.indexOf(other) ? one : other;
}

/** WebSocket close codes of the relay. 4403 and 4410 end the connection for good. Source: rules 3.4, 7; RFC 6455 7.4.1 for the others. */
export const roomCloseCodes = {
  /** Removed from the room: `sem-acesso`. */
  semAcesso: 4403,
  /** The room was deleted: `apagada`. */
  apagada: 4410,
  /** A frame that is none of the protocol, or an update that can't be decoded. */
  malformed: 1007,
  tooBig: 1009,
  /** The space of the owner's rooms, or of all, is used up: come back later. */
  semEspaco: 4413,
  /** Too slow, too fast, or the portal closes: come back with a new ticket. */
  tryAgain: 1013,
  /** The log of the room can't be read or written now. */
  unavailable: 1011,
} as const;

/** `s` and 21 letters or digits: 125 random bits. */
export const roomIdPattern = /^s[0-9A-Za-z]{21}$/;
/** Id of a comment. Source: rules 6, rule 3. */
export const anchorPattern = /^[A-Za-z0-9_-]{1,64}$/;
export const attachmentPattern = /^[0-9a-f]{64}$/;

/** 24 hues, each at least 3.4:1 on white and on #1c1e24, so that a cursor is seen in either theme. */
const colours: readonly string[] = (
  'e21919 c7613f cd7217 887027 83830f 79932b 47810e 438f2a 129f12 26833d 109151 2d997e ' +
  '0e8080 3088a5 2f8be8 4e6dcc 6f6fef 927ad8 9846ea b159cf e82fe8 c339a1 e82e8b d36682'
).split(' ');

/** The colour of a person, the same everywhere. Source: rules 2.4, presence. */
export function corDe(usuario: string): string {
  // FNV-1a over UTF-16 units: fixed for good, since every page and the portal compute it.
  let hash = 0x811c9dc5;
  for (let at = 0; at < usuario.length; at++) hash = Math.imul(hash ^ usuario.charCodeAt(at), 0x01000193) >>> 0;
  return `#${colours[hash % colours.length] ?? ''}`;
}
