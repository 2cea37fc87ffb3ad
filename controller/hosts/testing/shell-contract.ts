/** The part of the contract of hosts that is about login shells; host-contract.ts runs it. */
import { expect, test } from 'vitest';
import { limits } from '../../../schema/limits.ts';
import type { RemoteShell } from '../../../schema/terminals.ts';
import type { ServerPlace } from '../../../schema/server-paths.ts';
import type { Host } from '../host.ts';

const size = { columns: 91, rows: 31 };

/** Collects the output of a shell; `until` resolves once the text is there. */
function reading(shell: RemoteShell) {
  let printed = '';
  const changed = new Set<() => void>();
  shell.output.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    for (const each of changed) each();
  });
  const until = (what: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = what.exec(printed);
        if (found === null) return;
        changed.delete(look);
        resolve(found);
      };
      changed.add(look);
      look();
    });
  return { until, printed: () => printed, type: (text: string) => void shell.input.write(text) };
}

interface ShellFixture {
  readonly host: Pick<Host, 'shell'>;
  readonly account: string;
  readonly place: ServerPlace;
}

export function describeShell(made: () => ShellFixture): void {
  test('a login shell: on a terminal of the size, in the home, as the account, told of a new size', async () => {
    const { host, account, place } = made();
    const shell = await host.shell(account, size, null);
    const { until, type } = reading(shell);
    // The words that are looked for are not those that are typed, which the terminal repeats.
    type('cd; pwd -P; test -t 0 && stty size; shopt -q login_shell && echo log""in; id -un; echo $TERM-en""d\n');
    const [, columns] = await until(/31 (\d+)\r\n/);
    expect(columns).toBe('91');
    await until(new RegExp(`${place.home.split('/').at(-1)}\\r\\n`));
    await until(/login\r\n/);
    await until(/xterm-256color-end\r\n/);
    type('stty -a | grep -q " iutf8" && echo who""le\n');
    await until(/whole\r\n/);
    shell.resize({ columns: 120, rows: 50 });
    type('until [ "$(stty size)" = "50 120" ]; do sleep 0.1; done; echo resi""zed\n');
    await until(/resized\r\n/);
    type('exit 7\n');
    expect(await shell.ended).toEqual({ code: 7, signal: null });
  }, 30_000);

  test('in a folder of any name; where there is none, in the home, and it says so', async () => {
    const { host, account, place } = made();
    const name = Buffer.from([...Buffer.from(`a 'b"$(c)\\é`), 0xff, 10]);
    const folder = Buffer.concat([Buffer.from(`${place.home}/`), name]);
    const first = await host.shell(account, size, null);
    const before = reading(first);
    const octal = Array.from(folder, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    before.type(`mkdir "$(printf '${octal}x')"; echo ma""de; exit\n`);
    await before.until(/made\r\n/);
    await first.ended;
    const inside = Buffer.concat([folder, Buffer.from('x')]);
    const shell = await host.shell(account, size, inside);
    const { until, type } = reading(shell);
    type('shopt -q login_shell && echo log""in; pwd | od -An -tx1 | tr -d " \\n"; echo :en""d; exit\n');
    await until(/login\r\n/);
    const [, hex = ''] = await until(/([0-9a-f]+):end\r\n/);
    expect(hex.endsWith(`${name.toString('hex')}780a`)).toBe(true);
    await shell.ended;
    const lost = await host.shell(account, size, Buffer.from('/nonexistent/pasta'));
    const there = reading(lost);
    there.type('pwd -P; echo en""d; exit\n');
    await there.until(/nonexistent\/pasta[^]*\/[^\r\n]*[^\r\n/]\r\nend/);
    await lost.ended;
  }, 30_000);
  describeHangUp(made);
}

function describeHangUp(made: () => ShellFixture): void {
  test('an interrupt reaches what runs, and the end says of which signal', async () => {
    const { host, account } = made();
    const shell = await host.shell(account, size, null);
    const { until, type } = reading(shell);
    type('bash -c "echo be\\gun; exec sleep 600"\n');
    await until(/begun\r\n/);
    type('\u0003');
    type('echo af""ter\n');
    await until(/after\r\n/);
    type('kill -KILL $$\n');
    expect(await shell.ended).toMatchObject({ code: null, signal: expect.stringMatching(/KILL$/) as string });
  }, 30_000);

  test('who is hung up ends, with what it runs', async () => {
    const { host, account } = made();
    const shell = await host.shell(account, size, null);
    const { until, type } = reading(shell);
    type('echo "shell=$$="; sleep 600\n');
    const [, pid] = await until(/shell=(\d+)=/);
    shell.end();
    await shell.ended;
    await expect.poll(() => alive(Number(pid)), { timeout: 15_000 }).toBe(false);
  }, 30_000);

  test('what it prints faster than it is read waits for the reader, and comes whole', async () => {
    const { host, account } = made();
    const shell = await host.shell(account, size, null);
    const bytes = 3_000_000;
    shell.input.write(`stty -onlcr; echo be""gun; head -c ${bytes} /dev/zero | tr '\\0' 'x'; echo; echo en""d; exit\n`);
    let seen = 0;
    let last = '';
    for await (const chunk of shell.output as AsyncIterable<Buffer>) {
      seen += chunk.filter((byte) => byte === 120).length;
      last = (last + chunk.toString('latin1')).slice(-200);
    }
    await shell.ended;
    expect(seen).toBeGreaterThanOrEqual(bytes);
    expect(last).toContain('end');
  }, 30_000);

  test('a name that is none is refused', async () => {
    for (const name of ['', '../root', 'a'.repeat(limits.objectNameCharsMax + 1)]) {
      await expect(made().host.shell(name, size, null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
