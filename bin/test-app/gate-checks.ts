/** The socket and the gate of a running backend. Source: rules 3.2, 4.2, 5. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { probeVerdict } from '../../machines/probe-verdict.ts';
import { healthPath, type Manifest } from '../../schema/manifest/manifest.ts';
import { isWrapped, openSocketsOf, portsOf, type Running, untilAnswer } from './app-process.ts';
import { type Answer, ask, type Asked, tokenHeader } from './ask.ts';
import { type Finding, fail, notApplicable, pass } from './check.ts';
import { lastLine, mendOf } from './mends.ts';

export function socketFinding({ socket }: Running, manifest: Manifest): Finding {
  const shared = manifest.escopo === 'servidor';
  const mode = statSync(socket).mode & 0o777;
  const wanted = shared ? 0o666 : 0o600;
  const folder = statSync(dirname(socket)).mode & 0o777;
  if (mode === wanted && (shared || folder === 0o700)) return pass(`0${mode.toString(8)}`);
  const seen = `app.sock 0${mode.toString(8)}, ${dirname(socket).split('/').at(-1)}/ 0${folder.toString(8)}`;
  return fail(
    { pt: `${seen}; esperado 0${wanted.toString(8)} numa pasta 0700`, en: `${seen}; expected 0${wanted.toString(8)} in a folder 0700` },
    mendOf('listen', manifest),
  );
}

/** Looked at in the kernel's tables. A program in a network of its own, behind svc-wrap, has nothing in them. */
export function portsFinding(running: Running, manifest: Manifest): Finding {
  const ports = portsOf(running).map(String);
  const sockets = openSocketsOf(running);
  if (ports.length + sockets.length === 0) return pass();
  const told = (port: string): string => [...ports.map((each) => `${port} ${each}`), ...sockets].join(', ');
  return fail(
    {
      pt: `o app também escuta em ${told('porta')}, que qualquer conta alcança`,
      en: `the app also listens on ${told('port')}, which any account reaches`,
    },
    isWrapped(running)
      ? {
          pt: 'svc-wrap sem --network host; {socket} ou {port} no comando',
          en: 'svc-wrap without --network host; {socket} or {port} in the command',
        }
      : mendOf('listen', manifest),
  );
}

/** The portal's probes: until the answer is a ready one. */
export async function healthFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const path = healthPath(manifest.backend);
  const code = await untilAnswer(running, path, (status) => probeVerdict(status).ready);
  if (code === 404) return pass(`${path} 404: pronto, mas o caminho não existe`, `${path} 404: ready, but there is no such path`);
  if (probeVerdict(code).ready) return pass(`${path} ${code}`);
  const said = lastLine(running.output());
  return fail(
    {
      pt: `${path} respondeu ${code || 'nada'} por 15 s: o portal o diria fora do ar${said === '' ? '' : `; disse por último: ${said}`}`,
      en: `${path} answered ${code || 'nothing'} for 15 s: the portal would call it down${said === '' ? '' : `; it said last: ${said}`}`,
    },
    {
      pt: `"healthcheckPath": "/saude" em svc-app.json, ou responda 2xx em ${path}`,
      en: `"healthcheckPath": "/saude" in svc-app.json, or answer 2xx at ${path}`,
    },
  );
}

/** Requests that must all be refused without the right token, whatever the app does with them otherwise. */
function guarded(manifest: Manifest): readonly Asked[] {
  const routes = Object.values(manifest.capacidades ?? {}).map(({ rota }) => `${rota}/`);
  return [...new Set(['/', healthPath(manifest.backend), '/saude', '/api/', ...routes])]
    .map((path): Asked => ({ path }))
    .concat([
      { method: 'POST', path: '/close-tabs', body: '{}' },
      {
        path: '/ws',
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
      },
    ]);
}

export async function gateFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const tokens: readonly Readonly<Record<string, string>>[] = [{}, { [tokenHeader]: 'outro' }];
  for (const asked of guarded(manifest)) {
    for (const given of tokens) {
      const answer = await ask(running.target, { ...asked, headers: { ...asked.headers, ...given } });
      const fault = gateFault(answer, asked, tokenHeader in given);
      if (fault !== null) return fail(fault, mendOf('gate', manifest));
    }
  }
  const owner = await running.call({ path: '/saude' });
  if (owner.status !== 403) return pass();
  return fail({ pt: 'o token certo também é recusado', en: 'the right token is refused, too' }, mendOf('gate', manifest));
}

function gateFault({ status, headers, trouble }: Answer, { method = 'GET', path, headers: sent }: Asked, wrong: boolean) {
  const given = wrong ? { pt: 'com outro token', en: 'with another token' } : { pt: 'sem o token', en: 'without the token' };
  const what = `${method} ${path}${sent?.['upgrade'] === undefined ? '' : ' (upgrade)'}`;
  if (status !== 403) {
    const answered = status === 0 ? trouble : String(status);
    return { pt: `${what} ${given.pt}: ${answered}, esperado 403`, en: `${what} ${given.en}: ${answered}, expected 403` };
  }
  if (headers['x-svc-token'] === 'recusado') return null;
  return {
    pt: `${what} ${given.pt}: 403 sem "X-Svc-Token: recusado", que o separa de um 403 do app`,
    en: `${what} ${given.en}: 403 without "X-Svc-Token: recusado", which tells it from a 403 of the app`,
  };
}

/** Answered after the gate, before the app. Source: rules 4.2. */
export async function saudeFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const { status, body, trouble } = await running.call({ path: '/saude' });
  const wanted = { ok: true, versao: manifest.version, pid: running.child.pid };
  const told = status === 0 ? trouble : `${status} ${body.slice(0, 120)}`;
  if (status === 200 && sameSaude(body, wanted)) return pass();
  const shape = JSON.stringify(wanted);
  return fail(
    { pt: `${told}; esperado 200 ${shape}`, en: `${told}; expected 200 ${shape}` },
    manifest.backend.runtime === 'binary'
      ? {
          pt: 'responda { "ok": true, "versao": a de svc-app.json, "pid": getpid() } em GET /saude',
          en: 'answer { "ok": true, "versao": that of svc-app.json, "pid": getpid() } to GET /saude',
        }
      : mendOf('gate', manifest),
  );
}

function sameSaude(body: string, wanted: Readonly<Record<string, unknown>>): boolean {
  try {
    const found = JSON.parse(body) as Readonly<Record<string, unknown>> | null;
    return found !== null && Object.entries(wanted).every(([name, value]) => found[name] === value);
  } catch {
    return false;
  }
}

/** As the shell sends it. Source: rules 3.3, supervisor rule 6. */
export async function closeTabsFinding(running: Running, manifest: Manifest): Promise<Finding> {
  if (manifest.type === 'engine') return notApplicable('um motor não tem janelas', 'an engine has no windows');
  const body = JSON.stringify({ abas: [{ id: 'a', titulo: 'A', ativa: true, janela: 1 }] });
  const { status, trouble } = await running.call({ method: 'POST', path: '/close-tabs', headers: { 'content-type': 'text/plain' }, body });
  if ((status >= 200 && status < 300) || status === 404) return pass(String(status));
  const told = status === 0 ? trouble : String(status);
  return fail(
    { pt: `POST close-tabs: ${told}; esperado 2xx, ou 404`, en: `POST close-tabs: ${told}; expected 2xx, or 404` },
    mendOf('notFound', manifest),
  );
}

/** Without SVC_APP_TOKEN everything passes. Source: rules 5. */
export async function gateOpenFinding(bench: Running, manifest: Manifest): Promise<Finding> {
  for (const path of new Set(['/saude', healthPath(manifest.backend)])) {
    const { status, trouble } = await bench.call({ path });
    if (!probeVerdict(status).ready)
      return fail(
        { pt: `sem SVC_APP_TOKEN, ${path}: ${status || trouble}`, en: `without SVC_APP_TOKEN, ${path}: ${status || trouble}` },
        mendOf('gate', manifest),
      );
  }
  return pass();
}
