/** `svc-app-publish DIR` and `publicar-motor TARBALL`: output for people and for programs. */
import type { FileReport } from '../../schema/findings.ts';
import { SvcError } from '../../schema/errors.ts';
import { renderFinding } from '../../schema/render.ts';
import { type Destination, publishApp, type Published } from '../../kit/repository/publishing/publish.ts';
import { publishEngineTarball } from '../../kit/repository/publishing/publish-engine.ts';
import { readSigningKey } from '../../kit/repository/publishing/sign.ts';
import { repositoryAddress, tokenFrom } from '../../kit/repository/publishing/upload.ts';
import { appFolder } from '../app-folder.ts';
import { color, plain, table, warn, jsonText, write } from '../output.ts';

interface Common {
  readonly repository?: string;
  readonly check?: boolean;
  readonly insecure?: boolean;
  readonly json?: boolean;
}

/** Exit 1 when the manifest has errors; what goes wrong otherwise is thrown. */
export async function runPublish(dir: string, options: Common & { readonly list?: boolean; readonly key?: string }): Promise<number> {
  const isReadOnly = options.check === true || options.list === true;
  const destination = isReadOnly ? null : destinationOf(options);
  const key = options.key === undefined ? null : await readSigningKey(options.key);
  const published = await publishApp(appFolder(dir), { destination, nowMs: Date.now(), key });
  if (options.json === true) write(`${jsonText({ ...forPrograms(published), ...(key === null ? {} : { chave: key.publicKey }) }, 2)}\n`);
  else {
    warn(render(published.report, published.text));
    if (options.list === true) write(list(published));
    else if (published.tarball) {
      write(sentenceOf(published, published.tarball));
      if (key !== null) write(`signed; its repository in the Portal document: chave: ${key.publicKey}\n`);
    }
  }
  return published.outcome === 'refused' ? 1 : 0;
}

function destinationOf({ repository = process.env['SVC_REPOSITORY'], insecure }: Common): Destination {
  if (repository === undefined || repository === '')
    throw new SvcError('BAD_REQUEST', 'where to? --repository DIR or URL, or SVC_REPOSITORY; --check publishes nothing');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(repository)) return { kind: 'folder', dir: repository };
  return { kind: 'address', base: repositoryAddress(repository, insecure === true), token: tokenFrom(process.env) };
}

function forPrograms({ report, entries, tarball, outcome }: Published): object {
  return { outcome, ...report, ...tarball, entries };
}

function render(report: FileReport, text: string): string {
  const line = (finding: FileReport['errors'][number], weight: 'error' | 'warning'): string => {
    const [head = '', ...source] = renderFinding({ ...report, file: plain(report.file) }, finding, text).split('\n');
    const shown = weight === 'error' ? color('red', head, process.stderr) : color('yellow', `${head} (warning)`, process.stderr);
    return `${[shown, ...source].join('\n')}\n`;
  };
  return [...report.errors.map((one) => line(one, 'error')), ...report.warnings.map((one) => line(one, 'warning'))].join('');
}

function list({ entries, tarball }: Published): string {
  const files = entries.filter(({ path }) => !path.endsWith('/'));
  const shown = table(
    files,
    [
      { title: 'BYTES', of: ({ bytes }) => String(bytes).padStart(10) },
      { title: 'RUNS', of: ({ executable }) => (executable ? 'x' : '-') },
      { title: 'FILE', of: ({ path }) => path },
    ],
    Number.POSITIVE_INFINITY,
  );
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const packed = tarball ? `; packed ${tarball.tamanho} bytes, sha256 ${tarball.sha256}` : '';
  return `${shown}${files.length} files, ${total} bytes${packed}\n`;
}

function sentenceOf({ outcome }: Published, { id, version, sha256, tamanho }: NonNullable<Published['tarball']>): string {
  const what = {
    refused: 'refused',
    checked: 'checked, not published',
    published: 'published',
    unchanged: 'was published before, with the same bytes',
  };
  return `${id} ${version}: ${color('green', what[outcome])} (${tamanho} bytes, sha256 ${sha256})\n`;
}

interface EngineOptions extends Common {
  readonly nome: string;
  readonly versao: string;
  readonly url?: string;
  readonly confere?: string;
  readonly quando?: 'gpu';
}

export async function runPublishEngine(tarball: string, options: EngineOptions): Promise<number> {
  const { nome, versao, confere, quando } = options;
  const destination = options.check === true ? null : destinationOf(options);
  const placeholder = 'https://repository.example/';
  const known =
    destination?.kind === 'address' ? destination.base : options.url === undefined ? null : repositoryAddress(options.url, true);
  const base = known ?? new URL(placeholder);
  const published = await publishEngineTarball(tarball, { nome, versao, confere, quando }, { destination, base, nowMs: Date.now() });
  if (options.json === true) {
    write(`${jsonText(published, 2)}\n`);
    return 0;
  }
  const what = { checked: 'checked, not published', published: 'published', unchanged: 'was published before, with the same bytes' };
  warn(`${nome} ${versao}: ${what[published.outcome]} (${published.entries} entries, ${published.bytes} bytes unpacked)\n`);
  if (known === null) warn(`put the address of your repository in place of ${placeholder}, or give it with --url\n`);
  warn('for "motores" in svc-app.json:\n');
  write(`${jsonText(published.motor, 2)}\n`);
  return 0;
}
