/**
 * Elects the app or part of the desktop that opens a file: the person's choice always counts; else the only app that declares its type, or
 * the only one of several that asks for it (`opens.default`); where two ask, none is elected, and the person is asked. Code, text,
 * compressed and HTML files go to no app by themselves. Source: rules 2.1 `opens`, 2.5. Decision: docs/decisions/0222-what-opens-what.md
 */
import type { Preferences } from '../../schema/wire/preferences.ts';
import { kindOfExtension, destinations, destinationsOf, isOwnKind, type Destination } from './kinds.ts';
import { typeOf, type FileToOpen, type FileType, type Opener } from './file-type.ts';

/** `ask`: the person says what opens it. */
export type Outcome =
  | { readonly by: 'app'; readonly app: string }
  | { readonly by: 'desktop'; readonly destination: Destination }
  | { readonly by: 'ask' };

type Chosen = Pick<Preferences, 'tipos'>;
type Declaring = Pick<Opener, 'id' | 'tipos' | 'midias'>;

export const hasOwnDestination = (extension: string): boolean => isOwnKind(kindOfExtension(extension) ?? 'unknown');

const opensExtension =
  (extension: string | null) =>
  ({ tipos }: Declaring): boolean =>
    tipos.some(({ extensao }) => extensao === extension);
const opensMime =
  (mime: string | null) =>
  ({ midias }: Declaring): boolean =>
    midias.some(({ tipo }) => tipo === mime);

/** Apps that declare the extension; only where there are none, those that declare the media type. */
function declaring<App extends Declaring>({ extension, mime }: FileType, apps: readonly App[]): readonly App[] {
  const byExtension = apps.filter(opensExtension(extension));
  return byExtension.length > 0 ? byExtension : apps.filter(opensMime(mime));
}

const asks = ({ tipos, midias }: Declaring, { extension, mime }: FileType): boolean =>
  tipos.some(({ extensao, pede }) => extensao === extension && pede) || midias.some(({ tipo, pede }) => tipo === mime && pede);

/** All that can open it, for "Open with": those of its extension, then those of its media type. */
export function candidates<App extends Declaring>(type: FileType, apps: readonly App[]): readonly App[] {
  if (type.kind === 'folder') return [];
  return [...new Set([...apps.filter(opensExtension(type.extension)), ...apps.filter(opensMime(type.mime))])];
}

/** Without a choice of the person. */
export function elect(type: FileType, apps: readonly Declaring[]): Outcome {
  const [destination] = destinationsOf(type.kind, type.extension);
  const byItself: Outcome = destination === undefined ? { by: 'ask' } : { by: 'desktop', destination };
  if (type.kind === 'folder' || isOwnKind(type.kind)) return byItself;
  const openers = declaring(type, apps);
  const asking = openers.filter((app) => asks(app, type));
  if (openers.length === 1) return { by: 'app', app: openers[0]!.id };
  if (asking.length === 1) return { by: 'app', app: asking[0]!.id };
  return asking.length > 1 ? { by: 'ask' } : byItself;
}

/** The person's choice, where it still can open the type; null: there is no choice, or the chosen app is gone. */
export function chosenFor(type: FileType, apps: readonly Declaring[], { tipos = {} }: Chosen): Outcome | null {
  const choice = type.key !== null && Object.hasOwn(tipos, type.key) ? tipos[type.key] : undefined;
  const destination = destinations.find((name) => name === choice);
  if (destination !== undefined) return offered(type).includes(destination) ? { by: 'desktop', destination } : null;
  return candidates(type, apps).some(({ id }) => id === choice) ? { by: 'app', app: choice! } : null;
}

/** Destinations of the desktop for "Open with": any file can be read as text. */
export function offered({ kind, extension }: FileType): readonly Destination[] {
  const own = destinationsOf(kind, extension);
  return kind === 'unknown' ? ['@editor'] : own;
}

export function opensWith(file: FileToOpen, apps: readonly Opener[], chosen: Chosen): Outcome {
  const type = typeOf(file, apps);
  return chosenFor(type, apps, chosen) ?? elect(type, apps);
}

/** The mark of a type of an app's own. Where two declare it, that of the app which opens it, else of the first by id. Source: rules 2.1 `proprios`. */
export function ownType(
  type: FileType,
  apps: readonly Opener[],
  chosen: Chosen,
): { readonly app: string; readonly own: Opener['proprios'][number] } | null {
  const marks = apps
    .flatMap(({ id, proprios }) => proprios.filter(({ extensao }) => extensao === type.extension).map((own) => ({ app: id, own })))
    .toSorted((a, b) => (a.app < b.app ? -1 : 1));
  const outcome = chosenFor(type, apps, chosen) ?? elect(type, apps);
  return marks.find(({ app }) => outcome.by === 'app' && outcome.app === app) ?? marks[0] ?? null;
}
