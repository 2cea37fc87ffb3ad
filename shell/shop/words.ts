/** The shop in sentences: sizes, steps, refusals with what to ask the administrator, changes since the last reading. */
import { reasonText } from '../../schema/texts/reasons.ts';
import type { ShopApp, ShopInstall, ShopRefusal } from '../../schema/wire/shop.ts';
import { language, shownAs, text, type TextKey } from '../i18n/i18n.ts';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** "12,3 MB" */
export function saySize(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const unit = units[power] ?? 'byte';
  const digits = power === 0 ? 0 : 1;
  const format = new Intl.NumberFormat(shownAs(), {
    style: 'unit',
    unit,
    // Its short form has no plural in English.
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  });
  return format.format(bytes / 1_000 ** power);
}

export function sayDate(iso: string): string {
  return new Intl.DateTimeFormat(shownAs(), { dateStyle: 'medium' }).format(new Date(iso));
}

/** "about 2 min" */
function sayTime(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  return seconds < 90 ? text('store.seconds', { s: seconds }) : text('store.minutes', { m: Math.round(seconds / 60) });
}

/** The repository did not answer: is there an older list, or none at all? */
export const sayProblem = (apps: readonly ShopApp[]): string =>
  text(apps.some(({ versions }) => versions.length > 0) ? 'store.stale' : 'store.unreachable');

/** Runs without an administrator: what an administrator holds, or has to do, shows no progress. */
export function goesOn({ actions }: Pick<ShopApp, 'actions'>, { progress, state, reason }: ShopInstall): boolean {
  return progress !== null || actions.includes('cancel') || state === 'installing' || state === 'removing' || reason === 'Outdated';
}

/**
 * The state of an installation on the app's page. `over`: the request is done, or was cancelled by the person: no warning. `held`: it waits
 * for something, and the reason says what.
 */
export function standingOf(app: Pick<ShopApp, 'actions'>, install: ShopInstall): 'failed' | 'going' | 'held' | 'over' {
  if (app.actions.includes('retry') || install.state === 'failed') return 'failed';
  if (install.state === 'removed' || install.state === 'installed' || install.reason === 'Cancelled')
    return isHeld(install) ? 'held' : 'over';
  return goesOn(app, install) ? 'going' : 'held';
}

const isHeld = ({ reason }: ShopInstall): boolean => !['Installed', 'Uninstalled', 'Cancelled'].includes(reason);

export const installSteps = ['fetch', 'stage', 'check', 'engines', 'set-up', 'swap', 'end-instances', 'clean'] as const;
const stepKey = (step: string): TextKey | null =>
  (installSteps as readonly string[]).includes(step) ? (`store.step.${step}` as TextKey) : null;

/** Which step, and of a file that is being loaded how much and how long still. */
export function sayProgress({ progress, state }: ShopInstall): { readonly step: string; readonly bytes: string } {
  if (progress === null) return { step: text(state === 'removing' ? 'store.removing' : 'store.waiting'), bytes: '' };
  const key = stepKey(progress.step);
  // The name of a package is the app's, which is known; the name of an engine says which one.
  const named = progress.nome !== null && progress.step === 'engines';
  const step = named ? text('store.loadingFile', { nome: progress.nome ?? '' }) : key === null ? progress.step : text(key);
  const { bytes, total, etaMs } = progress;
  if (bytes === null || total === null) return { step, bytes: '' };
  const amount = text('store.bytes', { bytes: saySize(bytes), total: saySize(total) });
  return { step, bytes: etaMs === null || bytes >= total ? amount : `${amount} · ${sayTime(etaMs)}` };
}

/** Nothing that a person brings about lets them install it. */
export const isForAdmins = (motivo: ShopRefusal['motivo']): boolean => ['escopo', 'documento', 'sistema'].includes(motivo);

export interface RefusalWords {
  readonly why: string;
  /** An act that the person can do or ask for; null when there is none. */
  readonly ask: string | null;
}

interface Reader {
  readonly shellVersion: string;
  readonly admin: boolean;
}

/** `providers`: apps of the shop that offer the capability. */
export function sayRefusal(
  refusal: ShopRefusal,
  app: ShopApp,
  { shellVersion, admin }: Reader,
  providers: readonly string[],
): RefusalWords {
  const alvo = refusal.alvo ?? '';
  const values = { nome: app.name, id: app.id, alvo, versao: app.versions[0]?.version ?? '', aqui: shellVersion };
  switch (refusal.motivo) {
    case 'shell':
      return { why: text('store.why.shell', values), ask: text('store.ask.shell', values) };
    case 'capability':
      return providers.length === 0
        ? { why: text('store.why.capability', values), ask: text('store.ask.capability', values) }
        : { why: text('store.why.capability', values), ask: text('store.ask.provider', { ...values, apps: sayList(providers) }) };
    case 'pacote':
      return { why: text('store.why.pacote', values), ask: text('store.ask.pacote', { ...values, sugestao: refusal.sugestao ?? alvo }) };
    case 'assinatura':
      return { why: text('store.why.assinatura', values), ask: text('store.ask.assinatura', values) };
    case 'documento':
      return { why: text('store.why.documento', values), ask: text('store.ask.documento', values) };
    case 'sistema':
      return { why: text('store.why.sistema', values), ask: app.updatable ? text('store.ask.sistema', values) : null };
    case 'escopo':
      return { why: text('store.why.escopo', values), ask: text(admin ? 'store.ask.escopoAdmin' : 'store.ask.escopo', values) };
    default:
      // A newer portal may send other codes.
      return { why: refusal.texto, ask: null };
  }
}

const sayList = (names: readonly string[]): string => new Intl.ListFormat(shownAs(), { type: 'disjunction' }).format(names);

/** The developer, and the publisher if that is another one. Source: rules 2.1 `developer`, `publisher`. */
export function sayAuthors({ developer, publisher }: Pick<ShopApp, 'developer' | 'publisher'>): string {
  const by = developer === '' ? '' : text('store.by', { nome: developer });
  const ported = publisher === '' || publisher === developer ? '' : text('store.portedBy', { nome: publisher });
  return [by, ported].filter((part) => part !== '').join(' · ');
}

/** News of all versions newer than the installed one, newest first; of the newest one when nothing is installed. */
export function newsOf({ versions, installed }: Pick<ShopApp, 'versions' | 'installed'>): ShopApp['versions'] {
  const at = versions.findIndex(({ version }) => version === installed);
  return at === -1 ? versions.slice(0, 1) : versions.slice(0, at);
}

/** Announcement for a screen reader when a reading brought news of installations; '' for none. */
export function sayChanges(before: readonly ShopApp[], after: readonly ShopApp[]): string {
  const known = new Map(before.map((app) => [app.id, app]));
  return after
    .flatMap((app) => {
      const was = known.get(app.id);
      return was === undefined ? [] : (sayChange(was, app) ?? []);
    })
    .join('. ');
}

function sayChange(was: ShopApp, app: ShopApp): string | null {
  const values = { nome: app.name, versao: app.installed ?? '' };
  if (was.installed !== app.installed) return text(app.installed === null ? 'store.said.removed' : 'store.said.installed', values);
  const failed = app.install?.state === 'failed' && was.install?.state !== 'failed';
  if (failed && app.install !== null) {
    return text('store.said.failed', { ...values, motivo: reasonText(app.install.reason, language.get()) });
  }
  // An app that is listed already when its installation ends was announced before.
  const givenUp = was.actions.includes('cancel') && app.install === null && was.install?.wanted !== app.installed;
  if (givenUp) return text('store.said.cancelled', values);
  if (was.install === null && app.install !== null && app.actions.includes('cancel')) return text('store.said.began', values);
  return null;
}
