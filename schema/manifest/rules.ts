/**
 * Rules of the manifest that JSON Schema can't say (rules 2.1 to 2.5). They run beside the schema, also on a manifest that breaks it, so that a
 * person sees every mistake at once; hence they take nothing about the shape for granted.
 */
import { appIdTooLong } from '../app-id.ts';
import { limits } from '../limits.ts';
import type { FindingCode } from '../findings.ts';
import { clip } from '../positions/node.ts';
import { contrastWithWhite } from './contrast.ts';
import { contextMenuItems } from './menu.ts';
import { patterns } from './patterns.ts';
import { isPublicSuffix } from './public-suffix.ts';
import { neverMatches } from './never-matches.ts';
import { isReservedName } from './reserved-names.ts';
import { unshownIn, unshownInLine } from './shown-text.ts';

type Path = readonly (string | number)[];
/** `at` says whether the key or the value is shown; default the value. */
export type Report = (code: FindingCode, path: Path, message: string, at?: 'key' | 'value') => void;
type Fields = Readonly<Record<string, unknown>>;

const record = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function checkManifestRules(manifest: unknown, report: Report): void {
  const root = record(manifest);
  checkIdentity(root, report);
  checkScope(root, report);
  checkBackend(record(root['backend']), report);
  checkCapabilities(root, report);
  checkContributes(record(root['contributes']), report);
  checkOpens(record(root['opens']), report);
  checkNames(root, report);
  checkPaths(root, report);
  checkTexts(root, report);
  checkWithoutEffect(root, report);
}

/** https://semver.org, its own regular expression. */
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

function checkIdentity(root: Fields, report: Report): void {
  const version = text(root['version']);
  if (version !== '' && !semver.test(version)) {
    report('NOT_SEMVER', ['version'], `expected a semantic version such as 1.4.2, found "${clip(version)}"`);
  }
  const id = text(root['id']);
  const long = appIdTooLong(id);
  if (long !== null) report('ID_TOO_LONG', ['id'], long);
  // The id becomes a label of a host name.
  if (id.startsWith('-') || id.endsWith('-') || id.startsWith('xn--')) {
    report('NOT_A_HOST_NAME', ['id'], `browsers take no address with "${clip(id)}" in it: no "-" first or last, no "xn--" first`);
  }
}

/** Source: rules 2.1 `escopo`, 8. */
function checkScope(root: Fields, report: Report): void {
  if (root['escopo'] !== 'servidor') return;
  if (root['kind'] !== 'service') report('SERVER_SCOPE_KIND', ['escopo'], '"escopo": "servidor" needs "kind": "service"');
  const id = text(root['id']);
  if (id.length > limits.serverScopeIdCharsMax) {
    report(
      'SERVER_SCOPE_ID',
      ['id'],
      `a server-scope app has an id of at most ${limits.serverScopeIdCharsMax} characters, found ${id.length}`,
    );
  }
}

function checkBackend(backend: Fields, report: Report): void {
  const transport = backend['transport'];
  if (typeof transport === 'string' && transport !== 'socket') {
    const why =
      transport === 'tcp'
        ? 'the transport "tcp" no longer exists: bind the unix socket named by SVC_APP_SOCKET, an app on a TCP port is not proxied'
        : `expected "socket", found "${clip(transport)}": bind the unix socket named by SVC_APP_SOCKET`;
    report('TRANSPORT', ['backend', 'transport'], why);
  }
  const health = backend['healthcheckPath'];
  // It goes into the first line of an HTTP request as it is.
  if (typeof health === 'string' && !new RegExp(patterns.healthcheckPath).test(health)) {
    report(
      'HEALTHCHECK_PATH',
      ['backend', 'healthcheckPath'],
      `expected a path of the backend such as "/saude" or "saude", without a host and without spaces, found "${clip(health)}"`,
    );
  }
  for (const field of ['entrypoint', 'installCommand']) {
    if (text(backend[field]).includes('\0')) report('CONTROL_CHARACTER', ['backend', field], 'a command can not hold a NUL character');
  }
}

/** Source: rules 2.1 `capacidades`, `provides`. */
function checkCapabilities(root: Fields, report: Report): void {
  const offers = record(root['capacidades']);
  const provides = list(root['provides']);
  for (const [name, offer] of Object.entries(offers)) {
    if (!provides.includes(name)) {
      report('NOT_PROVIDED', ['capacidades', name], `"${clip(name)}" is not in "provides" and is ignored`, 'key');
    }
    if (/\/\.{1,2}(\/|$)/.test(text(record(offer)['rota']))) {
      report('ROUTE_SEGMENT', ['capacidades', name, 'rota'], 'a route can not have "." or ".." as a part');
    }
  }
  for (const [index, name] of provides.entries()) {
    if (typeof name === 'string' && !Object.hasOwn(offers, name)) {
      report('NOT_CALLABLE', ['provides', index], `"${clip(name)}" has no entry in "capacidades": the bridge can not call it`);
    }
  }
  checkUses(root, provides, report);
}

/** Reports names that are listed twice, and capabilities that an app both uses and offers: its own offer never answers it. */
function checkUses(root: Fields, provides: readonly unknown[], report: Report): void {
  const seen = new Map<string, string>();
  for (const field of ['provides', 'requires', 'usa']) {
    for (const [index, name] of list(root[field]).entries()) {
      if (typeof name !== 'string') continue;
      const before = seen.get(name);
      if (before === field || (before === 'requires' && field === 'usa')) {
        report('HAS_NO_EFFECT', [field, index], `"${clip(name)}" is in "${before}" already`);
      } else if (field !== 'provides' && provides.includes(name)) {
        report(
          'OWN_CAPABILITY',
          [field, index],
          `"${clip(name)}" is in "provides", too: an app is answered by another one, never by itself`,
        );
      }
      seen.set(name, field);
    }
  }
}

function checkContributes(contributes: Fields, report: Report): void {
  if (contributes['settingsOptIn'] !== undefined && contributes['settings'] === undefined) {
    report('HAS_NO_EFFECT', ['contributes', 'settingsOptIn'], '"settingsOptIn" does nothing without "settings"', 'key');
  }
  for (const { index, path, reason } of contextMenuItems(list(contributes['contextMenu'])).omitted) {
    report('MENU_ITEM_OMITTED', ['contributes', 'contextMenu', index, ...path], `the shell omits this item: ${reason}`);
  }
}

/** Source: rules 2.1 `opens`, 2.5. */
function checkOpens(opens: Fields, report: Report): void {
  const bare = (extension: string) => extension.replace(/^\./, '').toLowerCase();
  const opened = new Set(list(opens['extensions']).map((extension) => bare(text(extension))));
  const seen = new Set<string>();
  for (const [index, type] of list(opens['proprios']).entries()) {
    const extension = text(record(type)['extensao']);
    if (extension !== '' && !opened.has(bare(extension))) {
      report('OWN_TYPE_NOT_OPENED', ['opens', 'proprios', index, 'extensao'], `"${clip(extension)}" must also be in "opens.extensions"`);
    }
    if (extension !== '' && seen.has(bare(extension))) {
      report('DUPLICATE_NAME', ['opens', 'proprios', index, 'extensao'], `"${clip(extension)}" has two own types`);
    }
    seen.add(bare(extension));
    const color = text(record(type)['cor']);
    const contrast = contrastWithWhite(color);
    if (contrast !== null && contrast < limits.badgeContrastMin) {
      const found = (Math.floor(contrast * 100) / 100).toFixed(2);
      const message = `white text on ${color} has a contrast of ${found}:1, expected at least ${limits.badgeContrastMin}:1; take a darker color`;
      report('BADGE_CONTRAST', ['opens', 'proprios', index, 'cor'], message);
    }
  }
  for (const [index, host] of list(opens['urls']).entries()) {
    const name = text(host);
    // The pattern already refuses a single label (`*.com`).
    if (/^\*\..+\../.test(name) && isPublicSuffix(name.slice(2))) {
      const message = `"${clip(name)}" would take the links of everybody under the public suffix "${clip(name.slice(2))}"`;
      report('PUBLIC_SUFFIX', ['opens', 'urls', index], message);
    }
  }
}

/** A variable named twice has no meaning: engines become SVC_MOTOR_<NOME> (rules 2.3), secrets are variables (rules 2.1). */
function checkNames(root: Fields, report: Report): void {
  for (const [field, key] of [
    ['motores', 'nome'],
    ['secrets', 'name'],
  ] as const) {
    const seen = new Set<string>();
    for (const [index, entry] of list(root[field]).entries()) {
      const name = record(entry)[key];
      if (typeof name !== 'string') continue;
      if (seen.has(name)) report('DUPLICATE_NAME', [field, index, key], `"${clip(name)}" is already in "${field}"`);
      seen.add(name);
      if (field === 'secrets' && isReservedName(name)) {
        report(
          'RESERVED_NAME',
          [field, index, key],
          `"${clip(name)}" is how the system finds or addresses the app and could never be stored; take another variable name`,
        );
      }
    }
  }
}

/** Every path of the manifest stays below the package. Source: rules 2.1 (relative to the package root), 2.3 `confere`. */
function checkPaths(root: Fields, report: Report): void {
  const check = (value: unknown, path: Path) => {
    const problem = typeof value === 'string' ? leavesPackage(value) : null;
    if (problem) report('PATH_ESCAPES', path, `expected a path inside the package, found "${clip(value as string)}": ${problem}`);
  };
  check(record(root['backend'])['entrypoint'], ['backend', 'entrypoint']);
  check(root['icon'], ['icon']);
  check(record(root['engine'])['loader'], ['engine', 'loader']);
  check(record(root['contributes'])['settings'], ['contributes', 'settings']);
  for (const [index, type] of list(record(root['opens'])['proprios']).entries()) {
    check(record(type)['icone'], ['opens', 'proprios', index, 'icone']);
  }
  for (const [index, motor] of list(root['motores']).entries()) check(record(motor)['confere'], ['motores', index, 'confere']);
  const icon = text(root['icon']);
  if (icon !== '' && !/\.(svg|png|jpe?g)$/i.test(icon))
    report('ICON_TYPE', ['icon'], `expected an svg, png or jpg file, found "${clip(icon)}"`);
}

/** Texts that no pattern bounds: they are shown to people, printed on terminals and written to logs. */
function checkTexts(root: Fields, report: Report): void {
  const check = (value: unknown, path: Path, unshown = unshownInLine) => {
    const problem = unshown(text(value));
    if (problem) report('CONTROL_CHARACTER', path, `expected text, ${problem} in "${clip(text(value))}"`);
  };
  for (const field of ['name', 'category', 'license']) check(root[field], [field]);
  check(root['description'], ['description'], unshownIn);
  for (const field of ['developer', 'publisher']) check(record(root[field])['name'], [field, 'name']);
  const window = record(root['window']);
  check(window['title'], ['window', 'title']);
  for (const [index, selector] of list(window['cancelarArraste']).entries())
    check(selector, ['window', 'cancelarArraste', index], unshownIn);
  for (const [name, offer] of Object.entries(record(root['capacidades']))) check(record(offer)['rotulo'], ['capacidades', name, 'rotulo']);
  for (const [index, type] of list(record(root['opens'])['proprios']).entries()) {
    check(record(type)['nome'], ['opens', 'proprios', index, 'nome']);
  }
  const extension = record(record(root['contributes'])['browserExtension']);
  check(extension['razao'], ['contributes', 'browserExtension', 'razao'], unshownIn);
  for (const [index, secret] of list(root['secrets']).entries())
    check(record(secret)['description'], ['secrets', index, 'description'], unshownIn);
}

/** Why a path is not inside the folder it is relative to; null when it is. Used for every file that a manifest names. */
export function leavesPackage(path: string): string | null {
  if (path.startsWith('/')) return 'it is absolute';
  if (path.includes('\\')) return 'it holds a backslash';
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it holds a control character';
  return path.split('/').includes('..') ? 'it goes up with ".."' : null;
}

function checkWithoutEffect(root: Fields, report: Report): void {
  const none = (path: Path, message: string) => report('HAS_NO_EFFECT', path, message, 'key');
  if (root['type'] === 'engine' && root['window'] !== undefined) none(['window'], '"window" is ignored: an engine has no window');
  if (root['type'] !== 'engine' && root['engine'] !== undefined) none(['engine'], '"engine" is only for "type": "engine"');
  if (root['gpu'] !== undefined && record(record(root['recursos'])['gpu'])['modo'] !== undefined) {
    none(['gpu'], '"recursos.gpu.modo" wins over the older "gpu"');
  }
  if (list(root['motores']).length > 0 && list(root['instalacao']).includes('pessoa')) {
    none(['instalacao'], 'an app with "motores" installs at system scope only');
  }
  checkRunsAlone(root, none);
  const opens = record(root['opens']);
  for (const field of ['extensions', 'mimeTypes', 'urls'] as const) {
    for (const [index, value] of list(opens[field]).entries()) {
      const why = typeof value === 'string' ? neverMatches(field, value) : null;
      if (why !== null) report('HAS_NO_EFFECT', ['opens', field, index], `"${clip(String(value))}" opens nothing: ${why}`);
    }
  }
  if (root['name'] === '') none(['name'], 'an empty "name" is none: people see the id');
  if (root['category'] === '') none(['category'], 'an empty "category" is none: the app is among Other');
  if (record(root['window'])['title'] === '') none(['window', 'title'], 'an empty "title" is none: people see the name of the app');
  const icon = record(record(root['window'])['icone']);
  if (typeof icon['url'] === 'string' && (leavesPackage(icon['url']) ?? /^[a-z][a-z0-9+.-]*:/i.test(icon['url']))) {
    none(['window', 'icone', 'url'], 'the shell discards an icon outside the app');
  } else if (icon['glifo'] !== undefined && icon['url'] !== undefined) none(['window', 'icone', 'url'], '"glifo" wins over "url"');
}

/** Reports fields about windows or one person in apps that have none. Source: rules 2.1 `escopo`, `type`, 3.3 supervisor rule 4. */
function checkRunsAlone(root: Fields, none: (path: Path, message: string) => void): void {
  const close = record(root['backend'])['aoFechar'];
  const isShared = root['escopo'] === 'servidor';
  if (close !== undefined && isShared)
    none(['backend', 'aoFechar'], 'the service manager of the server keeps an app with "escopo": "servidor"');
  else if (close === 'encerrar' && root['kind'] === 'service')
    none(['backend', 'aoFechar'], 'a service is kept when its last window closes');
  if (isShared && list(root['secrets']).length > 0) none(['secrets'], 'secrets are of a person, and one backend serves all: it gets none');
  if (isShared && list(root['instalacao']).includes('pessoa'))
    none(['instalacao'], 'an app with "escopo": "servidor" installs at system scope only');
  if (root['type'] === 'engine' && list(record(root['contributes'])['contextMenu']).length > 0) {
    none(['contributes', 'contextMenu'], 'an engine has no window that an item could open');
  }
}
