/**
 * `svc server trust`: the host keys that a server shows, and the line that pins one. It writes nothing: whether these are the
 * server's keys is for a person to say, who compares them with what the server's own console prints.
 */
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { scanHostKeys, type HostKey, type SshAddress } from '../../controller/hosts/ssh/connect.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import { color, type Format, isForPrograms, plain, printValue, write } from '../output.ts';

export interface TrustOptions {
  readonly output: Format;
}

interface Asked extends SshAddress {
  /** As the folder says now; null when it says none. */
  readonly pinned: string | null;
}

/** 0, or 1 when another key is pinned than those that the server shows. */
export async function runTrust(name: string, dir: string | undefined, { output }: TrustOptions): Promise<number> {
  const asked = dir === undefined ? addressOf(name) : await fromFolder(name, dir);
  const keys = await scanHostKeys(asked, systemClock);
  const isPinned = (key: HostKey): boolean => key.fingerprint === asked.pinned?.replace(/={1,2}$/, '');
  const ok = asked.pinned === null || keys.some(isPinned);
  if (isForPrograms(output)) await printValue({ host: asked.host, port: asked.port, pinned: asked.pinned, ok, keys }, output);
  else write(shown(asked, keys, isPinned, ok));
  return ok ? 0 : 1;
}

function shown({ host, port, pinned }: Asked, keys: readonly HostKey[], isPinned: (key: HostKey) => boolean, ok: boolean): string {
  const lines = keys.map((key) => {
    const mark = isPinned(key) ? color('green', '  pinned') : '';
    return `  ${plain(key.type).padEnd(20)} ${plain(key.fingerprint)}${mark}`;
  });
  const head = `${plain(host)}:${port} shows\n${lines.join('\n')}\n`;
  if (pinned !== null && ok) return head;
  const warning =
    pinned === null ? '' : `\n${color('red', 'Pinned is another key:')} ${plain(pinned)}\nThe portal does not talk to this server.\n`;
  const files = 'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub';
  return `${head}${warning}
Compare them with what the server says of itself, on its own console:
  ${files}
If they are the same, put this into the Server document:
  hostKey: "${plain(keys[0]?.fingerprint ?? '')}"
`;
}

function addressOf(text: string): SshAddress & { readonly pinned: null } {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9][A-Za-z0-9._-]*)(?::([0-9]{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? 22);
  if (match?.[1] === undefined || port < 1 || port > 65_535) {
    throw new SvcError(
      'BAD_REQUEST',
      `${JSON.stringify(text)} is no host or host:port; the name of a Server document needs its folder behind it`,
    );
  }
  return { host: match[1], port, pinned: null };
}

/** Also from a folder that is not valid yet: without the fingerprint it can't be. */
async function fromFolder(name: string, dir: string): Promise<Asked> {
  const [{ parseAllDocuments }, { readdir }] = await Promise.all([import('../yaml.ts'), import('node:fs/promises')]);
  const files = (await readdir(dir)).filter((file) => /\.ya?ml$/.test(file)).sort();
  for (const file of files) {
    for (const document of parseAllDocuments(String(await readPlainFile(path.join(dir, file))))) {
      const found = serverIn(document.toJS() as unknown, name);
      if (found) return found;
    }
  }
  throw new SvcError('NOT_FOUND', `no Server document ${JSON.stringify(name)} with "ssh" in ${dir}`);
}

function serverIn(value: unknown, name: string): Asked | null {
  const document = value as { kind?: unknown; metadata?: { name?: unknown }; spec?: { ssh?: Record<string, unknown> } } | null;
  const ssh = document?.spec?.ssh;
  if (document?.kind !== 'Server' || document.metadata?.name !== name || typeof ssh?.['host'] !== 'string') return null;
  const { port, hostKey } = ssh;
  const host = ssh['host'];
  const { host: checked } = addressOf(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
  return {
    host: checked,
    port: typeof port === 'number' ? port : 22,
    pinned: typeof hostKey === 'string' && hostKey !== '' ? hostKey : null,
  };
}
