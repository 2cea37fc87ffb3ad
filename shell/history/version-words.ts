/** Versions of a room in words: by day, when, who, and under which name one is downloaded. */
import type { RoomVersion } from '../../schema/wire/rooms.ts';
import { listed, shownAs, text } from '../i18n/i18n.ts';

export interface Day {
  readonly title: string;
  /** The youngest first. */
  readonly versions: readonly RoomVersion[];
}

type Times = Pick<RoomVersion, 'de' | 'ate'>;

const dayOf = (atMs: number, daysBefore = 0): number => {
  const at = new Date(atMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() - daysBefore).getTime();
};

/** By the day of the last change, as the browser's clock has it; what was there before versions were kept has no day. */
export function byDay(versions: readonly RoomVersion[], nowMs: number): readonly Day[] {
  const days = new Map<string, RoomVersion[]>();
  for (const version of versions) {
    const title = dayTitle(version, nowMs);
    days.set(title, [...(days.get(title) ?? []), version]);
  }
  return [...days].map(([title, those]) => ({ title, versions: those }));
}

function dayTitle({ de, ate }: Times, nowMs: number): string {
  if (de === null || ate === null) return text('history.before');
  const day = dayOf(ate);
  if (day === dayOf(nowMs)) return text('history.today');
  if (day === dayOf(nowMs, 1)) return text('history.yesterday');
  return new Intl.DateTimeFormat(shownAs(), { dateStyle: 'full' }).format(ate);
}

/** Within its day. */
export function timeOf({ de, ate }: Times): string {
  if (de !== null && ate !== null) return new Intl.DateTimeFormat(shownAs(), { timeStyle: 'short' }).formatRange(de, ate);
  return ate === null ? text('history.before') : text('history.until', { quando: dateTime(ate) });
}

/** Without its day beside it. */
export function whenOf({ de, ate }: Times): string {
  if (de === null || ate === null) return text('history.before');
  return new Intl.DateTimeFormat(shownAs(), { dateStyle: 'medium', timeStyle: 'short' }).formatRange(de, ate);
}

const dateTime = (atMs: number): string => new Intl.DateTimeFormat(shownAs(), { dateStyle: 'medium', timeStyle: 'short' }).format(atMs);

/** The version that holds the change of this number: that one, or the one that it was merged into; null: the youngest. */
export const versionAt = (versions: readonly RoomVersion[], versao: number | null): RoomVersion | undefined =>
  (versao === null ? undefined : versions.findLast((version) => version.versao >= versao)) ?? versions[0];

const namesMax = 4;

/** '' where nobody is known. People who are gone are one. */
export function whoOf({ pessoas }: Pick<RoomVersion, 'pessoas'>): string {
  const names = [...new Set(pessoas.map(({ nome }) => nome ?? text('history.gonePerson')))];
  if (names.length <= namesMax) return listed(names);
  const shown = names.slice(0, namesMax - 1);
  return listed([...shown, text('history.others', { n: names.length - shown.length })]);
}

export const titleOf = (version: RoomVersion): string => version.nome ?? whenOf(version);

/** A name of a file that every system takes. */
export function fileName(room: string, version: RoomVersion, ending: string): string {
  // As 2026-11-05 09:07, on the browser's clock.
  const at = version.ate === null ? '' : new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short' }).format(version.ate);
  const parts = [room, version.nome ?? at].map((part) => part.replaceAll(/[^\p{L}\p{N}._ -]+/gu, '-').trim());
  return `${parts.filter((part) => part !== '').join(' ')}.${ending}`;
}
