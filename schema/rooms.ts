/**
 * The vocabulary of rooms: roles, channels, close codes, and who writes where. One table in code per table of the spec.
 * Source: spec 2.4, 3.4, 6, 7.
 */

/** From least to most. `dona` is the owner; a room has exactly one. */
export const papeis = ['ver', 'comentar', 'editar', 'dona'] as const;
export type Papel = (typeof papeis)[number];

/** What can be granted: ownership isn't. */
export const papeisConcedidos = ['ver', 'comentar', 'editar'] as const;
export type PapelConcedido = (typeof papeisConcedidos)[number];

/** The two CRDT documents of a room. */
export const canais = ['documento', 'comentarios'] as const;
export type Canal = (typeof canais)[number];

const writers: Readonly<Record<Canal, ReadonlySet<Papel>>> = {
  documento: new Set(['dona', 'editar']),
  comentarios: new Set(['dona', 'editar', 'comentar']),
};

/** Whether the role writes in that channel. Every role reads both and publishes presence. Source: spec 2.4. */
export const podeEscrever = (papel: Papel, canal: Canal): boolean => writers[canal].has(papel);

/** The better of two roles; a person in by name and by group keeps it. */
export function melhorPapel(one: Papel | null, other: Papel | null): Papel | null {
  if (one === null) return other;
  if (other === null) return one;
  return papeis.indexOf(one) >= papeis.indexOf(other) ? one : other;
}

/** WebSocket close codes of the relay. 4403 and 4410 end the connection for good. Source: spec 3.4, 7; RFC 6455 7.4.1 for the others. */
export const roomCloseCodes = {
  /** Removed from the room: `sem-acesso`. */
  semAcesso: 4403,
  /** The room was deleted: `apagada`. */
  apagada: 4410,
  /** A frame that is none of the protocol, or an update that can't be decoded. */
  malformed: 1007,
  tooBig: 1009,
  /** Too slow, too fast, or the portal closes: come back with a new ticket. */
  tryAgain: 1013,
  /** The log of the room can't be read or written now. */
  unavailable: 1011,
} as const;

/** `s` and 21 letters or digits: 125 random bits. */
export const roomIdPattern = /^s[0-9A-Za-z]{21}$/;
/** Id of a comment. Source: spec 6, rule 3. */
export const anchorPattern = /^[A-Za-z0-9_-]{1,64}$/;
export const attachmentPattern = /^[0-9a-f]{64}$/;
