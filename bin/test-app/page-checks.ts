/** The page in both origin modes: at / of an origin of its own, and below /proxy/app/<id>/. Source: rules 4.2, 4.5. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Running } from './app-process.ts';
import type { Answer } from './ask.ts';
import { type Finding, fail, notApplicable, pass } from './check.ts';
import { limits } from './limits.ts';
import { mendOf } from './mends.ts';

const navigation = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' };
const isHtml = ({ headers }: Answer): boolean => String(headers['content-type'] ?? '').includes('text/html');

/** An engine has no window, and a service need not have one. */
export function hasPage({ type, kind, window }: Manifest, files: ReadonlySet<string>): boolean {
  return type !== 'engine' && !(kind === 'service' && window === undefined && !files.has('frontend/index.html'));
}

export const noPage = (): Finding => notApplicable('sem janela', 'no window');

/** `base` as in SVC_APP_BASE_PATH: what the browser sees; the backend is asked without it, as the proxy does. */
export async function pageFinding(running: Running, manifest: Manifest, base: string): Promise<Finding> {
  const origin = 'http://app.invalid';
  const led = await pageOf(running, new URL(base, origin), base);
  if ('verdict' in led) return led;
  const { index, page } = led;
  if (index.status !== 200 || !isHtml(index)) {
    const told = index.status === 0 ? index.trouble : `${index.status} ${String(index.headers['content-type'] ?? '')}`.trim();
    return fail(
      { pt: `GET /: ${told}; esperada a página`, en: `GET /: ${told}; expected the page` },
      // An app that makes its page by program has no such file: then it is not a 404.
      index.status === 404 && !existsSync(join(running.dir, 'frontend/index.html'))
        ? { pt: 'crie frontend/index.html', en: 'make frontend/index.html' }
        : mendOf('page', manifest),
    );
  }
  const named = addressesOf(index.body);
  const baseTag = named.find(({ tag }) => tag === 'base');
  const from = new URL(baseTag?.address ?? '', page);
  if (baseTag !== undefined && from.href !== new URL(base, origin).href)
    return fail(
      {
        pt: `<base href="${baseTag.address}">, e o navegador vê o app em ${base}`,
        en: `<base href="${baseTag.address}">, and the browser sees the app at ${base}`,
      },
      mendOf('page', manifest),
    );
  for (const { tag, address } of named.filter(({ tag }) => tag !== 'base').slice(0, limits.pageFilesMax)) {
    if (!URL.canParse(address, from.href)) continue;
    const url = new URL(address, from);
    // Addresses of another origin, or data, are nothing that the app serves.
    if (url.origin !== origin) continue;
    if (!url.pathname.startsWith(base)) return leavesBase(`<${tag}> ${address}`, address);
    const path = `/${url.pathname.slice(base.length)}`;
    if (path.startsWith('/_sdk/')) continue;
    const { status } = await running.call({ path: path + url.search });
    if (status < 200 || status >= 400)
      return fail(
        { pt: `<${tag}> ${address}: ${status || 'sem resposta'}`, en: `<${tag}> ${address}: ${status || 'no answer'}` },
        { pt: `crie frontend${path}, ou tire o endereço da página`, en: `make frontend${path}, or remove the address from the page` },
      );
  }
  return pass();
}

/** Follows `/` within the app to the page it leads to. */
async function pageOf(running: Running, first: URL, base: string): Promise<Finding | { readonly index: Answer; readonly page: URL }> {
  let page = first;
  for (let nth = 0; nth <= limits.pageRedirectsMax; nth += 1) {
    const index = await running.call({ path: `/${page.pathname.slice(base.length)}${page.search}`, headers: navigation });
    const location = String(index.headers['location'] ?? '');
    if (index.status < 300 || index.status >= 400 || location === '' || !URL.canParse(location, page.href)) return { index, page };
    const next = new URL(location, page);
    // Another site, such as one to sign in at: whether there is a page is seen by a person only.
    if (next.origin !== first.origin) return { index, page };
    if (!next.pathname.startsWith(base)) return leavesBase(`Location: ${location}`, location);
    page = next;
  }
  return fail(
    { pt: 'GET / leva sempre adiante, sem chegar a uma página', en: 'GET / leads on and on, and to no page' },
    { pt: 'responda com a página onde Location termina', en: 'answer with the page where Location ends' },
  );
}

function leavesBase(place: string, address: string): Finding {
  const relative = address.replace(/^\/+/, '');
  return fail(
    { pt: `${place} sai do app quando ele está em /proxy/app/<id>/`, en: `${place} leaves the app when it is at /proxy/app/<id>/` },
    { pt: `"${relative}", sem a barra na frente`, en: `"${relative}", without the slash in front` },
  );
}

interface Named {
  readonly tag: string;
  readonly address: string;
}

/** Addresses that a page loads by itself; links that are clicked are not among them. */
export function addressesOf(html: string): readonly Named[] {
  const text = html.replaceAll(/<!--[^]*?(?:-->|$)/g, '');
  const tags = text.matchAll(
    /<(base|script|link|img|source|audio|video|iframe|embed)(?=[\s/>])((?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*)(?:>|$)/gi,
  );
  return Array.from(tags).flatMap(([, tag = '', attributes = '']) => {
    const found = /(?:^|[\s/])(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes);
    const address = (found?.[1] ?? found?.[2] ?? found?.[3])?.trim().replaceAll('&amp;', '&');
    return address === undefined || (address === '' && tag !== 'base') ? [] : [{ tag: tag.toLowerCase(), address }];
  });
}

/** An address in a script that begins with a slash works at / only. */
const rooted = /\b(?:fetch|WebSocket|EventSource)\(\s*(['"`])(\/(?!\/)[^'"`]*)\1/;

/** Null when no script of the page names one. Minified files are not read: who writes them has the source. */
export function rootedAddress(dir: string): Finding | null {
  const folder = join(dir, 'frontend');
  for (const name of scriptsIn(folder)) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    for (const [at, line] of lines.entries()) {
      const found = line.length > 1_000 ? null : rooted.exec(line);
      if (found !== null) return leavesBase(`frontend/${name}:${at + 1} ${found[0]}`, found[2] ?? '');
    }
  }
  return null;
}

function scriptsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:m?js|html)$/.test(name))
      .slice(0, limits.pageFilesMax)
      .filter((name) => isRead(join(folder, name)));
  } catch {
    return [];
  }
}

function isRead(file: string): boolean {
  const found = statSync(file);
  return found.isFile() && found.size <= limits.pageFileBytesMax;
}

/** The portal answers below `_sdk/`; a backend that answers with its index hides that it is missing. Source: rules 4.2. */
export async function sdkFinding(running: Running, manifest: Manifest): Promise<Finding> {
  for (const [path, headers] of [
    ['/_sdk/svc.js', { accept: '*/*' }],
    ['/_sdk/ui/svc-ui.css', { accept: 'text/css' }],
    ['/_sdk/nada', navigation],
  ] as const) {
    const answer = await running.call({ path, headers });
    if (answer.status === 404 && !isHtml(answer)) continue;
    const told = answer.status === 0 ? answer.trouble : `${answer.status} ${String(answer.headers['content-type'] ?? '')}`.trim();
    return fail(
      { pt: `${path}: ${told}; esperado 404, sem a página`, en: `${path}: ${told}; expected 404, without the page` },
      mendOf('notFound', manifest),
    );
  }
  return pass();
}
