/** `svc doctor`: the checks of the portal; when none runs, that is the first thing to mend. */
import { SvcError } from '../../schema/errors.ts';
import { createClient } from '../client.ts';
import { plain, printValue, toned, wrap, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly warning: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

/** With `server` that server is checked by the portal, which reaches it. */
export async function runDoctor({ state, output, server }: PortalOptions & { readonly server?: string }): Promise<number> {
  const checks = server === undefined ? await portalChecks(state) : await serverChecks(state, server);
  if (output !== 'table') await printValue({ checks }, output);
  else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    for (const { name, ok, warning, detail, fix } of checks) {
      const indent = width + 8;
      const verdict = ok ? toned('ok  ', 'good') : warning ? toned('warn', 'busy') : toned('FAIL', 'bad');
      write(`${verdict}  ${plain(name).padEnd(width)}  ${wrap(detail, indent)}\n`);
      if (!ok && fix !== null) write(`${' '.repeat(indent)}fix: ${wrap(fix, indent + 5)}\n`);
    }
  }
  return checks.every(({ ok, warning }) => ok || warning) ? 0 : 1;
}

function nodeCheck(): Check {
  const ok = Number(process.versions.node.split('.')[0]) >= 24;
  return {
    name: 'node',
    ok,
    warning: false,
    detail: `Node ${process.versions.node}`,
    fix: ok ? null : 'run bin/svc, which finds the Node 24 of this folder',
  };
}

async function serverChecks(state: string, server: string): Promise<Check[]> {
  return (await createClient(state).get<{ checks: Check[] }>(`/api/admin/servers/${encodeURIComponent(server)}/doctor`)).checks;
}

async function portalChecks(state: string): Promise<Check[]> {
  try {
    const { checks } = await createClient(state).get<{ checks: Check[] }>('/api/admin/doctor');
    return [{ name: 'portal', ok: true, warning: false, detail: `answers on ${state}/svc.sock`, fix: null }, ...checks];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return [nodeCheck(), { name: 'portal', ok: false, warning: false, detail: `${error.code} ${error.message}`, fix: null }];
  }
}
