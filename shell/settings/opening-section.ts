/** "Open with": who has a role of the desktop, who opens a kind of file, who opens the links to a host; each choice can be taken back. */
import { html, nothing, type TemplateResult } from 'lit';
import { handledRoles } from '../../schema/wire/preferences.ts';
import { text, type TextKey } from '../i18n/i18n.ts';
import { candidates, elect, offered } from '../opening/elections.ts';
import type { FileType, Opener } from '../opening/file-type.ts';
import { markOf, typeName } from '../opening/file-mark.ts';
import { kindOfExtension, kindOfMime } from '../opening/kinds.ts';
import { electedFor, openersOf } from '../opening/links.ts';
import { destinationName, isThere } from '../opening/open.ts';
import { hasBuiltin, holderOf, type Role } from '../opening/roles.ts';
import '../opening/svc-file-icon.ts';
import { nameAmong } from '../state/app-names.ts';
import { none, oneOfApps, type Choice } from './choices.ts';
import type { SettingsContext } from './context.ts';

const roleTexts: Readonly<Record<Role, TextKey>> = {
  terminal: 'settings.roleTerminal',
  editor: 'settings.roleEditor',
  fileBrowser: 'settings.roleFileBrowser',
  ide: 'settings.roleIde',
  browser: 'settings.roleBrowser',
};

const named = ({ desk, state }: SettingsContext, id: string): string => {
  const nome = state.answer?.apps.find((app) => app.id === id)?.nome;
  return nome === undefined ? text('settings.appGone', { nome: id }) : nameAmong(desk.apps.state.get().apps, id, nome);
};
const choice = (context: SettingsContext, id: string): Choice<string> => ({ value: id, label: named(context, id) });
/** Apps, and one that was chosen and is gone: so that the person sees it and takes it back. */
const withChosen = (ids: readonly string[], chosen: string | undefined): readonly string[] =>
  chosen === undefined || chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen];

export function opening(context: SettingsContext): TemplateResult {
  const { state, chosen } = context;
  const apps = state.answer?.apps ?? [];
  const roles = handledRoles.filter((role) => apps.some(({ papel }) => papel === role) || chosen.padroes?.[role] !== undefined);
  const types = [
    ...new Set([...apps.flatMap(({ tipos }) => tipos.map(({ extensao }) => extensao)), ...Object.keys(chosen.tipos ?? {})]),
  ].toSorted();
  const hosts = [...new Set([...apps.flatMap(({ hosts }) => hosts), ...Object.keys(chosen.links ?? {})])].toSorted();
  return html`${part('settings.rolesTitle', roles, 'settings.rolesNone', (role) => roleRow(context, role, apps))}
  ${part('settings.typesTitle', types, 'settings.typesNone', (key) => typeRow(context, key, apps))}
  ${part('settings.links', hosts, 'settings.linksNone', (host) => linkRow(context, host, apps), 'settings.linksLead')}`;
}

function part<Each>(
  title: TextKey,
  each: readonly Each[],
  empty: TextKey,
  row: (each: Each) => TemplateResult,
  lead?: TextKey,
): TemplateResult {
  return html`<section>
    <h4>${text(title)}</h4>
    ${each.length === 0 ? none(text(empty)) : html`${lead === undefined ? nothing : html`<p class="quiet">${text(lead)}</p>`}${each.map(row)}`}
  </section>`;
}

function roleRow(context: SettingsContext, role: Role, apps: readonly Opener[]): TemplateResult {
  const { chosen, change } = context;
  const holder = holderOf(role, apps, {});
  const otherwise = hasBuiltin(role)
    ? text('settings.ofDesktop')
    : holder?.by === 'app' && role !== 'browser'
      ? text('settings.typeAuto', { nome: named(context, holder.app) })
      : text(role === 'browser' ? 'settings.browserOwn' : 'settings.typeAuto', { nome: text('settings.typeNone') });
  const mine = chosen.padroes?.[role];
  const ids = withChosen(
    apps.filter(({ papel }) => papel === role).map(({ id }) => id),
    mine,
  );
  const choices = [{ value: '', label: otherwise }, ...ids.map((id) => choice(context, id))];
  return oneOfApps(text(roleTexts[role]), role, choices, mine ?? '', (app) => change({ padroes: { [role]: app === '' ? null : app } }));
}

/** As a file of that type would be, without its name. */
export function typeOfKey(key: string, apps: readonly Pick<Opener, 'tipos'>[]): FileType {
  if (key.includes('/')) return { kind: kindOfMime(key) ?? 'unknown', extension: null, mime: key, key };
  const longer = apps.some(({ tipos }) => tipos.some(({ extensao }) => extensao === key));
  return {
    kind: kindOfExtension(key) ?? (longer ? 'unknown' : (kindOfExtension(key.split('.').at(-1) ?? '') ?? 'unknown')),
    extension: key,
    mime: null,
    key,
  };
}

function typeRow(context: SettingsContext, key: string, apps: readonly Opener[]): TemplateResult {
  const { desk, chosen, change } = context;
  const type = typeOfKey(key, apps);
  const byItself = elect(type, apps);
  const auto =
    byItself.by === 'app'
      ? named(context, byItself.app)
      : byItself.by === 'desktop' && isThere(desk, byItself.destination)
        ? destinationName(context.desk, byItself.destination)
        : text('settings.typeNone');
  const mine = chosen.tipos?.[key];
  const places = offered(type).filter((destination) => destination === mine || isThere(desk, destination));
  const ids = withChosen(
    candidates(type, apps).map(({ id }) => id),
    places.some((place) => place === mine) ? undefined : mine,
  );
  const choices = [
    { value: '', label: text('settings.typeAuto', { nome: auto }) },
    ...ids.map((id) => choice(context, id)),
    ...places.map((place) => ({ value: place, label: destinationName(context.desk, place) })),
  ];
  const mark = markOf(type, apps, chosen);
  const label = text(key.includes('/') ? 'settings.typeMedia' : 'settings.type', { extensao: key });
  const shown = html`<span class="type"
    ><svc-file-icon .mark=${mark} .size=${24}></svc-file-icon><span>${label}<small>${typeName(type, mark)}</small></span></span
  >`;
  return oneOfApps(shown, `tipo:${key}`, choices, mine ?? '', (app) => change({ tipos: { [key]: app === '' ? null : app } }), label);
}

function linkRow(context: SettingsContext, host: string, apps: readonly Opener[]): TemplateResult {
  const { chosen, change } = context;
  const elected = electedFor(host, apps);
  const auto = elected === null ? text('settings.browser') : named(context, elected);
  const mine = chosen.links?.[host];
  const choices = [
    { value: '', label: text('settings.typeAuto', { nome: auto }) },
    { value: 'navegador', label: text('settings.browser') },
    ...withChosen(openersOf(host, apps), mine === 'navegador' ? undefined : mine).map((id) => choice(context, id)),
  ];
  return oneOfApps(host, host, choices, mine ?? '', (app) => change({ links: { [host]: app === '' ? null : app } }));
}
