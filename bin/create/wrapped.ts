/** How an existing web application is started: the answers that the template `wrap` is filled with. Decision: docs/decisions/0438-wrap-and-compiled-templates.md */
import { SvcError } from '../../schema/errors.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';

export interface Wrapped {
  /** A line of sh; `{socket}` or `{port}` in it is where it listens. */
  readonly command: string;
  /** Debian packages that the server must have. */
  readonly packages: readonly string[];
  /** For a command that holds neither `{socket}` nor `{port}`. */
  readonly port: number | null;
  /** Path that the portal probes; `/saude` is svc-wrap's own, ready once the program takes connections. */
  readonly health: string;
}

/** A program that every server has, so that the template works as it stands. */
export const wrappedExample: Wrapped = {
  command: "python3 -u -m http.server --bind 127.0.0.1 --directory site '{port}'",
  packages: ['python3'],
  port: null,
  health: '/saude',
};

export const saysWhere = (command: string): boolean => /\{(?:socket|port)\}/.test(command);

export const packagesFrom = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

/** Throws BAD_REQUEST for a command that could not be started. The rest is judged with the manifest. */
export function checkWrapped({ command, port }: Wrapped): void {
  if (command.trim() === '' || /[\r\n\0]/.test(command)) throw new SvcError('BAD_REQUEST', 'the command of the program is one line');
  if (saysWhere(command)) return;
  if (port === null)
    throw new SvcError('BAD_REQUEST', 'where does the program listen? write {socket} or {port} into its command, or say --port NUMBER');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new SvcError('BAD_REQUEST', 'a port is a number from 1 to 65535');
}

/** The words behind `svc-wrap "$@"` in the entrypoint. */
export const wrapLine = ({ command, port }: Wrapped): string =>
  `${saysWhere(command) || port === null ? '' : `--port ${port} `}-- ${command.trim()}`;

/** The manifest of the template with the packages and the health path of this program. */
export function wrappedManifest(text: string, { packages, health }: Wrapped): string {
  const { requiredPackages: _, ...manifest } = JSON.parse(text) as Manifest;
  const needs = packages.length === 0 ? {} : { requiredPackages: packages };
  return `${JSON.stringify({ ...manifest, ...needs, backend: { ...manifest.backend, healthcheckPath: health } }, null, 2)}\n`;
}
