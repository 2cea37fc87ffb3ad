/**
 * The Debian package of the portal, made by dpkg-deb of the tree that `npm run pack` staged: svc_VERSION_ARCH.deb. The same tree gives the
 * same bytes. Decision: docs/decisions/0397-a-debian-package.md
 */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { program } from '../bin/svc-program.ts';
import { manPage } from './man-page.ts';

const parts = path.join(import.meta.dirname, 'deb');
const helps = path.join(import.meta.dirname, '../bin/help');

/** Debian's name of a processor, by Node's. */
const architectures = { x64: 'amd64', arm64: 'arm64' } as const;
export type Processor = keyof typeof architectures;

interface DebOptions {
  /** The program folder as it was staged; it is moved into the package and back. */
  readonly tree: string;
  /** For the files of the package; removed at the end. */
  readonly work: string;
  /** Folder of the package. */
  readonly out: string;
  readonly version: string;
  readonly processor: Processor;
  /** Unix time, in seconds, that every file gets. */
  readonly epoch: number;
  /** Level of zstd. */
  readonly level: number;
}

const description = `Description: small applications inside a web desktop, on real Linux servers
 The portal and the controller: a folder of desired-state YAML says which
 people, servers and applications there are, and servers are made so over SSH.
 .
 The package brings its own Node, and what it puts on servers.`;

/** Control file of the package for dpkg; `kibibytes` is the size of all its files. */
function control({ version, processor }: DebOptions, kibibytes: number): string {
  return `Package: svc
Version: ${version}
Architecture: ${architectures[processor]}
Maintainer: svc maintainers <root@localhost>
Installed-Size: ${kibibytes}
Depends: debconf (>= 0.5), init-system-helpers (>= 1.54), libc6 (>= 2.28), libstdc++6, passwd, util-linux
Recommends: caddy | nginx, openssh-server, python3
Suggests: postgresql
Section: admin
Priority: optional
${description}
`;
}

/** Regular files below a folder, relative to it, sorted. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

async function writeDocs(folder: string, tree: string, version: string): Promise<void> {
  const put = async (to: string, bytes: string | Buffer): Promise<void> => {
    const target = path.join(folder, to);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes, { mode: 0o644 });
  };
  // The time in a gzip header would differ: zlib writes none.
  const packed = (text: string | Buffer): Buffer => gzipSync(text, { level: 9 });
  await put('usr/share/man/man1/svc.1.gz', packed(manPage(program, version)));
  await put('usr/share/doc/svc/changelog.gz', packed(await readFile(path.join(tree, 'CHANGELOG.md'))));
  await put('usr/share/doc/svc/copyright', await readFile(path.join(tree, 'LICENSE')));
  await put('usr/share/bash-completion/completions/svc', await readFile(path.join(helps, 'svc.bash')));
  await put('usr/share/zsh/vendor-completions/_svc', await readFile(path.join(helps, 'svc.zsh')));
  await put('usr/share/fish/vendor_completions.d/svc.fish', await readFile(path.join(helps, 'svc.fish')));
  await put('usr/lib/systemd/system/svc.service', await readFile(path.join(parts, 'svc.service')));
}

/** Owner and mode as dpkg is to set them: who may read does not depend on whose umask it was made with. */
async function setModes(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const at = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(at, 0o755);
    else if (entry.isFile()) await chmod(at, ((await stat(at)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  await chmod(folder, 0o755);
}

/** Resolves to the package's path. */
export async function makeDeb(options: DebOptions): Promise<string> {
  const { tree, work, out, version, processor, epoch, level } = options;
  const program = path.join(work, 'usr/lib/svc');
  await mkdir(path.join(work, 'DEBIAN'), { recursive: true });
  await mkdir(path.join(work, 'usr/bin'), { recursive: true });
  await mkdir(path.dirname(program), { recursive: true });
  await mkdir(path.join(work, 'DEBIAN'), { recursive: true });
  await rename(tree, program);
  try {
    await writeDocs(work, program, version);
    await copyFile(path.join(parts, 'svc'), path.join(work, 'usr/bin/svc'));
    await chmod(path.join(work, 'usr/bin/svc'), 0o755);
    // Where those who write an app find them.
    for (const name of ['svc-app-publish', 'publicar-motor']) await symlink(`../lib/svc/bin/${name}`, path.join(work, 'usr/bin', name));
    for (const script of ['postinst', 'prerm', 'postrm', 'templates'])
      await copyFile(path.join(parts, script), path.join(work, 'DEBIAN', script));
    const target = path.join(out, `svc_${version}_${architectures[processor]}.deb`);
    await build({ work, target, epoch, level }, (kibibytes) => control(options, kibibytes));
    return target;
  } finally {
    await rename(program, tree);
    await rm(work, { recursive: true, force: true });
  }
}

interface KitOptions extends Pick<DebOptions, 'work' | 'out' | 'version' | 'epoch' | 'level'> {
  /** The portal's. */
  readonly processor: Processor;
  readonly servers: Processor;
  /** The files, where the program folder has them. */
  readonly files: Readonly<Record<string, string>>;
}

/** The kit for servers of another processor than the portal's: a package of its own, which few sites need. Resolves to its path. */
export async function makeKitDeb({ work, out, version, epoch, level, processor, servers, files }: KitOptions): Promise<string> {
  const name = `svc-kit-${architectures[servers]}`;
  try {
    await mkdir(path.join(work, 'DEBIAN'), { recursive: true });
    for (const [to, from] of Object.entries(files)) {
      const target = path.join(work, 'usr/lib/svc', to);
      await mkdir(path.dirname(target), { recursive: true });
      await copyFile(from, target);
    }
    const target = path.join(out, `${name}_${version}_${architectures[processor]}.deb`);
    await build(
      { work, target, epoch, level },
      (kibibytes) => `Package: ${name}
Version: ${version}
Architecture: ${architectures[processor]}
Maintainer: svc maintainers <root@localhost>
Installed-Size: ${kibibytes}
Depends: svc (= ${version})
Section: admin
Priority: optional
Description: what svc puts on servers with a processor of ${architectures[servers]}
 Needed by a portal that has such servers; the kit for servers with its own
 processor comes with svc.
`,
    );
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface BuildOptions extends Pick<DebOptions, 'work' | 'epoch' | 'level'> {
  readonly target: string;
}

/** Makes a package of the folder `work`; `controlOf` gets the size of all files. */
async function build({ work, target, epoch, level }: BuildOptions, controlOf: (kibibytes: number) => string): Promise<void> {
  const files = (await filesBelow(work)).filter((file) => !file.startsWith('DEBIAN/'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(work, file))).size));
  const kibibytes = sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
  await writeFile(path.join(work, 'DEBIAN/control'), controlOf(kibibytes));
  await setModes(work);
  for (const name of await readdir(path.join(work, 'DEBIAN')))
    if (/^(?:post|pre)(?:inst|rm)$/.test(name)) await chmod(path.join(work, 'DEBIAN', name), 0o755);
  const argv = ['--root-owner-group', '--threads-max=1', '-Zzstd', `-z${level}`, '--build', work, `${target}.tmp`];
  execFileSync('dpkg-deb', argv, { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) }, stdio: ['ignore', 'ignore', 'inherit'] });
  await rename(`${target}.tmp`, target);
}
