/** The manifest's `window` object as the shell uses it. The portal passes it whole; what is missing or odd takes the default. Source: rules 2.1. */
import type { Size } from './geometry.ts';

export interface WindowOptions {
  readonly title: string;
  readonly size: Size;
  readonly least: Partial<Size>;
  readonly position: 'cascata' | 'centrada';
  readonly manyWindows: boolean;
  /** The page may have tabs in the title bar (`richChrome`). */
  readonly tabs: boolean;
  /** Drawer of the title bar. */
  readonly header: 'ambiente' | 'app';
  readonly icon: { readonly kind: 'glyph'; readonly name: 'pasta' | 'globo' } | { readonly kind: 'url'; readonly url: string } | null;
  /** Selectors inside the frame that never start a drag. */
  readonly noDrag: readonly string[];
}

const defaultSize: Size = { width: 960, height: 640 };

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const integer = (value: unknown, low: number, high: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high ? value : null;

export interface AppForWindow {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly url: string;
  readonly icone: string | null;
  readonly window: Fields;
}

/** `selectorWorks` says whether the browser knows a selector: the shell discards the others (rules 2.1, `cancelarArraste`). */
export function windowOptions(app: AppForWindow, baseUrl: string, selectorWorks: (selector: string) => boolean): WindowOptions {
  const fields = app.window;
  const minimos = isObject(fields['minimos']) ? fields['minimos'] : {};
  const leastWidth = integer(minimos['largura'], 400, 10_000);
  const leastHeight = integer(minimos['altura'], 300, 10_000);
  const title = fields['title'];
  return {
    title: typeof title === 'string' && title.trim() !== '' ? title : app.name,
    size: {
      width: integer(fields['width'], 200, 10_000) ?? defaultSize.width,
      height: integer(fields['height'], 150, 10_000) ?? defaultSize.height,
    },
    least: { ...(leastWidth === null ? {} : { width: leastWidth }), ...(leastHeight === null ? {} : { height: leastHeight }) },
    position: fields['posicao'] === 'centrada' ? 'centrada' : 'cascata',
    manyWindows: fields['multiplasJanelas'] === true,
    tabs: fields['richChrome'] === true,
    header: fields['cabecalho'] === 'app' ? 'app' : 'ambiente',
    icon: icon(fields['icone'], app, baseUrl),
    noDrag: selectors(fields['cancelarArraste']).filter(selectorWorks),
  };
}

function icon(value: unknown, app: AppForWindow, baseUrl: string): WindowOptions['icon'] {
  const own = isObject(value) ? value : {};
  // `glifo` wins when both are present.
  if (own['glifo'] === 'pasta' || own['glifo'] === 'globo') return { kind: 'glyph', name: own['glifo'] };
  if (typeof own['url'] === 'string') {
    // From the package, by the portal: the app may be stopped, and answers the shell no image. Decision: docs/decisions/0042-who-may-call-an-app.md
    if (insideApp(own['url'], new URL(app.url, baseUrl)) !== null)
      return { kind: 'url', url: `/api/apps/${app.id}/icone-da-janela?v=${encodeURIComponent(app.version)}` };
  }
  return app.icone === null ? null : { kind: 'url', url: app.icone };
}

/** The absolute URL of a path inside the app, or null when it leaves the app. */
export function insideApp(path: string, appUrl: URL): string | null {
  let url: URL;
  try {
    url = new URL(path, appUrl);
  } catch {
    return null;
  }
  return url.origin === appUrl.origin && url.pathname.startsWith(appUrl.pathname) ? url.href : null;
}

function selectors(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : [];
}
