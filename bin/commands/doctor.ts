/** `svc doctor`: the checks of the portal; when none runs, that is the first thing to mend. */
import { SvcError } from '../../schema/errors.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { rowIn, same, type DoctorRow } from '../../schema/texts/doctor.ts';
import { problemText } from '../../schema/texts/problems.ts';
import type { TextLanguage, Words } from '../../schema/texts/reasons.ts';
import { createClient } from '../client.ts';
import { terminalLanguage } from '../language.ts';
import { isForPrograms, plain, printValue, toned, wrap, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

/** Words around the rows. */
const words = {
  pt: { good: 'ok', warning: 'aviso', bad: 'FALHA', fix: 'conserto' },
  en: { good: 'ok', warning: 'warn', bad: 'FAIL', fix: 'fix' },
} as const satisfies Readonly<Record<TextLanguage, object>>;

/** With `server` that server is checked by the portal, which reaches it. */
export async function runDoctor({ state, output, server }: PortalOptions & { readonly server?: string }): Promise<number> {
  const language = terminalLanguage(process.env);
  const said = words[language];
  const checks = server === undefined ? await portalChecks(state, language) : await serverChecks(state, server, language);
  if (isForPrograms(output)) await printValue({ checks }, output);
  else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    for (const { name, ok, warning, detail, fix } of checks) {
      const verdictWidth = Math.max(said.good.length, said.warning.length, said.bad.length);
      const indent = width + verdictWidth + 4;
      const [word, tone] = ok ? ([said.good, 'good'] as const) : warning ? ([said.warning, 'busy'] as const) : ([said.bad, 'bad'] as const);
      const verdict = toned(word.padEnd(verdictWidth), tone);
      write(`${verdict}  ${plain(name).padEnd(width)}  ${wrap(detail, indent)}\n`);
      if (!ok && fix !== null) write(`${' '.repeat(indent)}${said.fix}: ${wrap(fix, indent + said.fix.length + 2)}\n`);
    }
  }
  return checks.every(({ ok, warning }) => ok || warning) ? 0 : 1;
}

function nodeCheck(): DoctorCheck {
  const ok = Number(process.versions.node.split('.')[0]) >= 24;
  const fix = { pt: 'execute bin/svc, que encontra o Node 24 desta pasta', en: 'run bin/svc, which finds the Node 24 of this folder' };
  return { name: 'node', ok, warning: false, detail: same(`Node ${process.versions.node}`), fix: ok ? null : fix };
}

async function serverChecks(state: string, server: string, language: TextLanguage): Promise<readonly DoctorRow[]> {
  const asked = { params: { server }, query: { idioma: language } };
  return (await createClient(state).call('GET /api/admin/servers/:server/doctor', asked)).checks;
}

async function portalChecks(state: string, language: TextLanguage): Promise<readonly DoctorRow[]> {
  const portal = (ok: boolean, detail: Words): DoctorCheck => ({ name: 'portal', ok, warning: false, detail, fix: null });
  try {
    const { checks } = await createClient(state).call('GET /api/admin/doctor', { query: { idioma: language } });
    return [rowIn(portal(true, { pt: `responde em ${state}/svc.sock`, en: `answers on ${state}/svc.sock` }), language), ...checks];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const detail = { pt: `${error.code} ${problemText(error.code, 'pt')}`, en: `${error.code} ${error.message}` };
    return [nodeCheck(), portal(false, detail)].map((check) => rowIn(check, language));
  }
}
