/** The portal of `svc dev`: that of `svc up` on a private state folder, with a name of its own for each person. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pino, multistream } from 'pino';
import type { PortalDev } from '../../api/dev/contract.ts';
import type { Portal } from '../../api/portal.ts';
import type { Host } from '../../controller/hosts/host.ts';
import { SvcError } from '../../schema/errors.ts';
import { begin, type Running } from '../up/main.ts';
import { terminalLog } from '../up/terminal-log.ts';
import { keepAddress, lastAddress } from './desired.ts';

export interface DevPortal {
  readonly running: Running;
  /** A link for each person, in their order; each opens the app. */
  links(): Promise<readonly { readonly person: string; readonly link: string }[]>;
}

export interface DevPortalOptions {
  readonly state: string;
  readonly desired: string;
  readonly listen: string | null;
  readonly people: readonly string[];
  readonly dev: Omit<PortalDev, 'link'>;
  readonly host: (host: Host) => Host;
  /** False: there is no window to open. */
  readonly hasPage: () => boolean;
}

export async function startDevPortal({ state, desired, listen, people, dev, host, hasPage }: DevPortalOptions): Promise<DevPortal> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  const log = pino(
    { level: 'info', base: null },
    multistream([
      { stream: pino.destination({ dest: path.join(state, 'portal.log'), sync: true, append: false }), level: 'info' },
      { stream: terminalLog(), level: 'error' },
    ]),
  );
  const portals: { readonly person: string; readonly portal: Portal }[] = [];
  const linkOf = async ({ person, portal }: (typeof portals)[number]): Promise<string> => {
    const link = new URL(await portal.signInLink(person, { admin: true }));
    if (hasPage()) link.searchParams.set('destino', `${dev.app}/`);
    return link.href;
  };
  const link = async (person: string): Promise<string | null> => {
    const found = portals.find((one) => one.person === person);
    return found === undefined ? null : await linkOf(found);
  };
  const at = (address: string): Promise<Running> =>
    begin({ dir: desired, listen: address, state, dev: { portal: { ...dev, link }, host } }, log);
  const running = await (listen === null ? atSomePort(state, at) : at(listen));
  keepAddress(state, `127.0.0.1:${new URL(running.url).port}`);
  for (const [nth, person] of people.entries()) {
    // A session is a cookie of one host name: with a name for each, all are signed in at the same time in one browser.
    const portal = nth === 0 ? running.portal : await running.another(`http://svc-${person}.localhost:0`);
    portals.push({ person, portal });
  }
  return {
    running,
    links: async () => await Promise.all(portals.map(async (one) => ({ person: one.person, link: await linkOf(one) }))),
  };
}

/** The port of the last time, so that pages that are still open go on; a free one when it is taken. */
async function atSomePort(state: string, at: (address: string) => Promise<Running>): Promise<Running> {
  const last = await lastAddress(state);
  if (last !== null) {
    try {
      return await at(last);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'ADDRESS_IN_USE') throw error;
    }
  }
  return await at('127.0.0.1:0');
}
