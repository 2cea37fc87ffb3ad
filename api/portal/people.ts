/**
 * People as other people see them: never an e-mail (rules 2.4). A login may be an e-mail, so only the part before its "@" is shown and searched,
 * also to the person: the search, the list of a room, presence and notices contain no address. Two people `ana@one` and `ana@two` show the same
 * login; `usuario` distinguishes them. Every signed-in person can find everyone, since rooms are made by inviting colleagues: each word of the text
 * has to occur in name, `usuario` or login, without case and accents; at most 20 people and 10 groups, 60 requests at once and four a second.
 */
import type { PeopleView, PersonRecord } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import type { PeopleAnswer, PersonAnswer } from '../../schema/wire/rooms.ts';

/** First letters of the first and the last name. */
export function initials({ nome, usuario }: Pick<PersonRecord, 'nome' | 'usuario'>): string {
  const words = nome.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  const letters = chosen.map((word) => /^\p{L}/u.exec(word ?? '')?.[0] ?? '').join('');
  return (letters || usuario.slice(0, 2)).toUpperCase();
}

/** Without groups: these are the person's own business. */
export function personAnswer(person: PersonRecord): PersonAnswer {
  const { usuario, nome, login } = person;
  return { usuario, nome, login: shownLogin(login), iniciais: initials(person) };
}

export function shownLogin(login: string): string {
  return login.split('@', 1)[0] ?? '';
}

/** How many people are in each group. */
export function groupSizes(people: Pick<PeopleView, 'all'>): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { grupos } of people.all()) for (const grupo of grupos) sizes.set(grupo, (sizes.get(grupo) ?? 0) + 1);
  return sizes;
}

/** People and groups one of whose words begins with every word of the text, those that begin with it first; case and accents don't count. */
export function findPeople(people: Pick<PeopleView, 'all'>, text: string): PeopleAnswer {
  const words = fold(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return { pessoas: [], grupos: [] };
  const pessoas = people
    .all()
    .flatMap((person) => {
      const { nome, usuario, login } = person;
      const rank = rankOf(words, `${nome} ${usuario} ${shownLogin(login)}`);
      return rank === null ? [] : [{ person, rank }];
    })
    .sort((a, b) => a.rank - b.rank || (fold(a.person.nome) < fold(b.person.nome) ? -1 : 1))
    .slice(0, limits.peopleFoundMax)
    .map(({ person }) => personAnswer(person));
  const grupos = [...groupSizes(people)]
    .flatMap(([grupo, count]) => (rankOf(words, grupo) === null ? [] : [{ grupo, pessoas: count }]))
    .sort((a, b) => (a.grupo < b.grupo ? -1 : 1))
    .slice(0, limits.groupsFoundMax);
  return { pessoas, grupos };
}

function rankOf(words: readonly string[], text: string): number | null {
  const folded = fold(text);
  const parts = folded.split(/[\s._-]+/);
  if (!words.every((word) => parts.some((part) => part.startsWith(word)) || folded.includes(word))) return null;
  return folded.startsWith(words.join(' ')) ? 0 : 1;
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
