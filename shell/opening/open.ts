/**
 * Opening on this desktop: a file or folder, a link, a role. The page of the app gets the opened thing as `abertura`, kept until it
 * listens. Source: rules 2.1 `opens`, `handles`, `window.multiplasJanelas`; 6 `open-context`. Decision:
 * docs/decisions/0222-what-opens-what.md
 */
import { attempt } from '../windows/attempt.ts';
import type { OpenContext } from '../windows/shell.ts';
import type { OpeningDesk } from './model.ts';
import { text } from '../i18n/i18n.ts';
import { opensWith, type Outcome } from './elections.ts';
import { bareMime, typeOf, type FileToOpen } from './file-type.ts';
import type { Destination } from './kinds.ts';
import { linkOf, opensLink } from './links.ts';
import type { Place, Provider } from './model.ts';
import { holderOf, type Role } from './roles.ts';

const placeOf: Readonly<Record<Role, Place | null>> = {
  terminal: '@terminal',
  editor: '@editor',
  fileBrowser: '@files',
  ide: null,
  browser: null,
};
const roleOf: Readonly<Record<Destination, Role | null>> = { '@editor': 'editor', '@files': 'fileBrowser', '@viewer': null };

function contextOf({ caminho, nome, mime }: FileToOpen): OpenContext {
  const media = bareMime(mime);
  return { caminho, nome, ...(media === null ? {} : { mime: media }) };
}

/** The app may read and change what it is opened with. */
export function openFileIn(desk: OpeningDesk, app: string, file: FileToOpen, by: Pick<OpenContext, 'superficie' | 'item'> = {}): void {
  desk.grants.allow(app, file.caminho, file.isFolder === true);
  desk.openApp(app, { again: true, context: { ...contextOf(file), ...by } });
}

const chosenOn = (desk: OpeningDesk) => desk.preferences.state.get() ?? {};

/** Opens a file or a folder with its elected opener; where none is elected, asks the person. */
export async function openFile(desk: OpeningDesk, file: FileToOpen): Promise<void> {
  carryOut(desk, file, opensWith(file, await desk.opening.known(), chosenOn(desk)));
}

export function carryOut(desk: OpeningDesk, file: FileToOpen, outcome: Outcome): void {
  if (outcome.by === 'app') openFileIn(desk, outcome.app, file);
  else if (outcome.by === 'ask' || !openInDesktop(desk, file, outcome.destination)) desk.opening.asked.set(file);
}

/** The part of the desktop that is there and takes the file. */
function providerOf(desk: OpeningDesk, place: Place, file?: FileToOpen): Provider | null {
  const provider = desk.opening.places.get().get(place);
  return provider !== undefined && (file === undefined || provider.takes?.(file) !== false) ? provider : null;
}

/** Whether the person can open something there: a part of the desktop, or the app that has its role. Without a file: anything at all. */
export function isThere(desk: OpeningDesk, destination: Destination, file?: FileToOpen): boolean {
  const role = roleOf[destination];
  return role === null ? providerOf(desk, destination, file) !== null : hasRole(desk, role, file);
}

function openInDesktop(desk: OpeningDesk, file: FileToOpen, destination: Destination): boolean {
  const role = roleOf[destination];
  if (role !== null) return openRole(desk, role, file);
  const provider = providerOf(desk, destination, file);
  provider?.open(file);
  return provider !== null;
}

/** Somebody has the role: there is an entry for it. */
export function hasRole(desk: OpeningDesk, role: Role, file?: FileToOpen): boolean {
  const holder = holderOf(role, desk.opening.openers.get(), chosenOn(desk));
  if (holder?.by !== 'desktop') return holder !== null;
  const place = placeOf[role];
  return place !== null && providerOf(desk, place, file) !== null;
}

/** False: nobody has it. Where several apps do and none was chosen, Settings opens, where the person chooses. */
export function openRole(desk: OpeningDesk, role: Role, file: FileToOpen): boolean {
  if (!hasRole(desk, role, file)) return false;
  const holder = holderOf(role, desk.opening.openers.get(), chosenOn(desk));
  const place = placeOf[role];
  if (holder?.by === 'app') openFileIn(desk, holder.app, file);
  else if (holder?.by === 'ask') desk.open('@configuracoes', 'abrir');
  else if (place !== null) providerOf(desk, place, file)?.open(file);
  return true;
}

/** Kept for all files of that type. */
export function keepChoice(desk: OpeningDesk, file: FileToOpen, choice: string): void {
  const { key } = typeOf(file, desk.opening.openers.get());
  if (key !== null) attempt(desk, () => desk.preferences.change({ tipos: { [key]: choice } }));
}

/**
 * The app that opens a link, or the browser in a new tab; the id of the app, null for the browser, undefined for no link. To be called while the press of
 * the person counts: without one the browser opens no tab, and neither does the desktop. Decision: docs/decisions/0224-links.md
 */
export function openLink(desk: OpeningDesk, address: string): string | null | undefined {
  const url = linkOf(address);
  if (url === null) return undefined;
  if (!navigator.userActivation.isActive) throw new NoGesture();
  const openers = desk.opening.openers.get();
  const chosen = chosenOn(desk);
  const browser = holderOf('browser', openers, chosen);
  // The role `browser` means the person's own browser, unless they chose an app for it.
  const app =
    opensLink(url, openers, chosen) ?? (browser?.by === 'app' && chosen.padroes?.['browser'] === browser.app ? browser.app : null);
  if (app === null) window.open(url.href, '_blank', 'noopener,noreferrer');
  else desk.openApp(app, { again: true, context: { url: url.href } });
  return app;
}

export class NoGesture extends Error {}

/** Name of a destination, for the person to choose. */
export const destinationName = (desk: OpeningDesk, destination: Destination): string =>
  destination === '@viewer'
    ? desk.nameOf(destination)
    : text(destination === '@editor' ? 'settings.roleEditor' : 'settings.roleFileBrowser');
