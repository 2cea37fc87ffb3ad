/** JSON Schemas of the routes of rooms, people and the bell, beside their types in rooms.ts; see http-schemas.ts. */
import { limits } from '../limits.ts';
import { papeis, papeisConcedidos } from '../rooms.ts';
import { appId, closed, count, flag, nullable, personId, strings, text } from './http-schemas.ts';
import { noticeKinds } from './rooms.ts';

const list = <T>(items: T) => ({ type: 'array', items }) as const;
const roomId = { type: 'string', pattern: '^s[0-9A-Za-z]{21}$' } as const;
const groupId = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' } as const;
const sha = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const noticeId = { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' } as const;
/** For people: something to read in it, and no control characters. */
const roomName = {
  type: 'string',
  minLength: 1,
  maxLength: limits.roomNameCharsMax,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f]([^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f])?$',
} as const;
const papel = { type: 'string', enum: papeis } as const;
const papelConcedido = { type: 'string', enum: papeisConcedidos } as const;
const papelOuNada = { type: ['string', 'null'], enum: [...papeis, null] } as const;

/** The app of the window that asks; a backend's credential says it by itself. */
export const roomQuery = closed({ app: appId }, []);
export const roomParams = closed({ id: roomId });
export const roomPersonParams = closed({ id: roomId, usuario: personId });
export const roomGroupParams = closed({ id: roomId, grupo: groupId });
export const attachmentParams = closed({ id: roomId, sha });
export const createRoomBody = closed({ nome: roomName, app: appId }, ['nome']);
export const renameRoomBody = closed({ nome: roomName });
export const roleBody = closed({ papel: papelConcedido });
export const ticketBody = { ...closed({ app: appId }, []), type: ['object', 'null'] } as const;
export const noticeBody = closed({
  tipo: { type: 'string', enum: noticeKinds },
  para: { type: 'array', items: personId, minItems: 1, maxItems: limits.noticeRecipientsMax },
  ancora: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
});
export const searchQuery = closed({ busca: { type: 'string', maxLength: limits.searchCharsMax } });
export const noticeParams = closed({ id: noticeId });
export const noticesReadBody = closed({
  ids: { type: ['array', 'null'], items: noticeId, maxItems: limits.noticesPerPersonMax },
});

export const roomView = closed({ id: text, nome: text, app: text, dona: text, papel, criadaEm: count, mudadaEm: count });
export const roomsAnswer = closed({ salas: list(roomView) });
export const roomPerson = closed({
  usuario: text,
  nome: text,
  login: text,
  iniciais: text,
  papel,
  porNome: papelOuNada,
  porGrupos: strings,
  declarada: flag,
});
export const roomGroup = closed({ grupo: text, papel: papelConcedido, pessoas: count, declarado: flag });
export const roomAnswer = closed({ sala: roomView, pessoas: list(roomPerson), grupos: list(roomGroup) });
export const ticketAnswer = closed({ usuario: text, bilhete: nullable('string'), caminho: text, papel: papelOuNada, anexos: flag });
export const attachmentAnswer = closed({ sha: text, tamanho: count, tipo: text });
const person = { usuario: text, nome: text, login: text, iniciais: text } as const;
export const personAnswer = closed({ ...person, grupos: strings }, Object.keys(person));
export const peopleAnswer = closed({
  pessoas: list(closed(person)),
  grupos: list(closed({ grupo: text, pessoas: count })),
});
export const noticesAnswer = closed({
  avisos: list(
    closed({
      id: text,
      tipo: { type: 'string', enum: ['convite', ...noticeKinds] },
      app: text,
      appNome: text,
      sala: text,
      salaNome: text,
      de: closed({ usuario: text, nome: text }),
      papel: papelOuNada,
      ancora: nullable('string'),
      em: count,
      lido: flag,
    }),
  ),
  naoLidos: count,
});
export const noticesSentAnswer = closed({ enviados: strings });
