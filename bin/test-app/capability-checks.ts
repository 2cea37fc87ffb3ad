/** Checks that capabilities answer below their `rota`, as a call through the bridge reaches it. Source: rules 2.1 `capacidades`, 4.2. */
import { probeVerdict } from '../../machines/probe-verdict.ts';
import { healthPath, type Manifest } from '../../schema/manifest/manifest.ts';
import type { Running } from './app-process.ts';
import type { Asked } from './ask.ts';
import { type Finding, fail, notApplicable, pass } from './check.ts';
import { mendOf } from './mends.ts';

const caller = 'svc-test-app';

/** Nothing outside of `rota` is asked. A path that is not there is a 404, which is an answer; what must never come is the page, or nothing. */
export async function capabilitiesFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const provided = new Set(manifest.provides);
  const offered = Object.entries(manifest.capacidades ?? {}).filter(([name]) => provided.has(name));
  if (offered.length === 0) return notApplicable('não oferece nenhuma', 'offers none');
  const answered: string[] = [];
  for (const [name, { rota }] of offered) {
    const statuses: number[] = [];
    for (const asked of callsBelow(rota, healthPath(manifest.backend))) {
      const answer = await running.call({ ...asked, headers: { ...asked.headers, 'x-svc-chamador': caller } });
      const { status } = answer;
      const what = `${name}: ${asked.method ?? 'GET'} ${asked.path}`;
      const isPage = String(answer.headers['content-type'] ?? '').includes('text/html');
      if (!probeVerdict(status).ready || isPage) {
        const told = status === 0 ? answer.trouble : isPage ? `${status} text/html` : String(status);
        return fail(
          { pt: `${what}: ${told} a quem chama (X-Svc-Chamador)`, en: `${what}: ${told} to a caller (X-Svc-Chamador)` },
          isPage
            ? mendOf('notFound', manifest)
            : {
                pt: `responda abaixo de ${rota}, também a quem pergunta errado (4xx)`,
                en: `answer below ${rota}, also to who asks wrongly (4xx)`,
              },
        );
      }
      const location = answer.headers['location'];
      if (
        typeof location === 'string' &&
        !new URL(location, `http://app.invalid${asked.path}`).href.startsWith(`http://app.invalid${rota}/`)
      )
        return fail(
          { pt: `${what} leva a ${location}, fora de ${rota}`, en: `${what} leads to ${location}, outside of ${rota}` },
          { pt: `Location abaixo de ${rota}/`, en: `Location below ${rota}/` },
        );
      statuses.push(status);
    }
    answered.push(`${name} ${[...new Set(statuses)].join('/')}`);
  }
  return pass(answered.join(', '));
}

function callsBelow(rota: string, health: string): readonly Asked[] {
  const own = health === rota || health.startsWith(`${rota}/`) ? [{ path: health }] : [];
  return [
    ...own,
    { path: rota },
    { path: `${rota}/nao-ha-${caller}` },
    { method: 'POST', path: `${rota}/`, headers: { 'content-type': 'application/json' }, body: '{}' },
  ];
}
