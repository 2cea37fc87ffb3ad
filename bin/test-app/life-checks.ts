/** How a backend begins and ends. Source: rules 3.1 steps 3 and 5, 4.4, 7 (exit codes). */
import { existsSync } from 'node:fs';
import { limits as kitLimits } from '../../kit/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import {
  endWithin,
  engineVariable,
  type Package,
  portsOf,
  runCommand,
  type Running,
  token,
  untilDeaf,
  untilListening,
} from './app-process.ts';
import { ask, sendHalf, takesConnections } from './ask.ts';
import { type Finding, type Findings, fail, notJudged, pass } from './check.ts';
import { crashOf, saidLast } from './crash.ts';
import { limits } from './limits.ts';
import { lastLine, mendOf } from './mends.ts';
import type { Words } from '../../schema/texts/reasons.ts';

const said = (line: string): Words => (line === '' ? { pt: '', en: '' } : { pt: `; disse: ${line}`, en: `; it said: ${line}` });
const saidOf = (running: Running): Words => said(saidLast(running.output(), running.dir));

/** For a program behind svc-wrap that ended: all else that fails is a consequence. */
const programMend = ({ backend: { entrypoint } }: Manifest): Words => ({
  pt: `o comando depois de svc-wrap em ${entrypoint}`,
  en: `the command behind svc-wrap in ${entrypoint}`,
});

/** The place of the app's own mistake, where it ended by one; else how an app listens. */
function listenMend(running: Running, manifest: Manifest): Words {
  if (/\] o programa terminou com /.test(running.output())) return programMend(manifest);
  const crash = crashOf(running.output(), running.dir);
  if (crash === null) return mendOf('listen', manifest);
  const text = `${crash.place}: ${crash.error}`;
  return { pt: text, en: text };
}

/** Replaces failures that repeat the mistake which kept the app from starting: they are not judged. */
export function withoutConsequences({ start, ...others }: Findings, manifest: Manifest): Findings {
  if (start?.verdict !== 'fail' || start.mend.en === mendOf('listen', manifest).en) return { ...(start && { start }), ...others };
  const told = Object.entries(others).map(([id, finding]) => [
    id,
    finding.verdict === 'fail' && [finding.mend.en, programMend(manifest).en].includes(start.mend.en)
      ? notJudged('o erro de "começa"', 'the mistake of "starts"')
      : finding,
  ]);
  return { start, ...(Object.fromEntries(told) as Findings) };
}

/** Once as the installation and once more as the first start of a person. */
export async function installFinding({ dir, manifest }: Package, environment: Record<string, string>): Promise<Finding> {
  const command = manifest.backend.installCommand ?? '';
  for (const nth of [1, 2]) {
    const { code, output } = await runCommand(command, dir, environment, kitLimits.installCommandMsMax);
    if (code === 0) continue;
    return fail(
      {
        pt: `na ${nth}ª vez terminou com ${code}${said(lastLine(output)).pt}`,
        en: `the ${nth === 1 ? 'first' : 'second'} time it ended with ${code}${said(lastLine(output)).en}`,
      },
      nth === 1
        ? { pt: `deve terminar com 0: ${command}`, en: `it must end with 0: ${command}` }
        : {
            pt: 'deve poder rodar de novo: mkdir -p, ln -sfn, cp -f, "test -e X || …"',
            en: 'it must bear another run: mkdir -p, ln -sfn, cp -f, "test -e X || …"',
          },
    );
  }
  return pass();
}

/** Fails for an engine whose absence makes the launcher refuse the start, before the app has a say. Source: rules 2.3. */
export function missingEngine(manifest: Manifest, environment: Readonly<Record<string, string>>): Finding | null {
  const missing = (manifest.motores ?? []).find(({ nome, quando }) => quando === undefined && !environment[engineVariable(nome)]);
  if (missing === undefined) return null;
  const name = engineVariable(missing.nome);
  return fail(
    { pt: `o motor ${missing.nome} ${missing.versao} não está aqui`, en: `the engine ${missing.nome} ${missing.versao} is not here` },
    { pt: `${name}=<pasta do motor> svc test-app …`, en: `${name}=<folder of the engine> svc test-app …` },
  );
}

export async function startFinding(running: Running, manifest: Manifest): Promise<Finding> {
  if (await untilListening(running)) return pass();
  if (running.hasEnded()) {
    const code = await running.ended;
    const { pt, en } = saidOf(running);
    return fail(
      { pt: `terminou com ${code} sem escutar${pt}`, en: `ended with ${code} without listening${en}` },
      listenMend(running, manifest),
    );
  }
  const [port] = portsOf(running);
  if (port !== undefined)
    return fail(
      {
        pt: `escuta na porta ${port}, e não em SVC_APP_SOCKET: o portal nunca chega lá`,
        en: `listens on port ${port}, not on SVC_APP_SOCKET: the portal never gets there`,
      },
      mendOf('listen', manifest),
    );
  const { pt, en } = saidOf(running);
  return fail(
    {
      pt: `não escutou em SVC_APP_SOCKET em ${limits.startMsMax / 1_000} s${pt}`,
      en: `did not listen on SVC_APP_SOCKET within ${limits.startMsMax / 1_000} s${en}`,
    },
    mendOf('listen', manifest),
  );
}

/** An app took connections and ended before it was asked, as svc-wrap does with its program. */
export async function endedFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const code = await running.ended;
  const { pt, en } = saidOf(running);
  return fail({ pt: `escutou e terminou com ${code}${pt}`, en: `listened and ended with ${code}${en}` }, listenMend(running, manifest));
}

/** The second one leaves the first alone and says that all is well. */
export async function secondFinding(first: Running, second: Running, manifest: Manifest): Promise<Finding> {
  const code = await endWithin(second, limits.startMsMax);
  const { status } = await first.call({ path: '/saude' });
  if (code === 0 && status !== 0 && existsSync(first.socket)) return pass();
  const told =
    code === null
      ? { pt: 'a segunda instância não termina', en: 'the second instance does not end' }
      : code === 0
        ? { pt: 'a primeira instância já não atende', en: 'the first instance no longer answers' }
        : { pt: `a segunda instância terminou com ${code}; esperado 0`, en: `the second instance ended with ${code}; expected 0` };
  return fail(told, code === null ? endMend(second, manifest) : listenMend(second, manifest));
}

/** After a SIGKILL the file of the socket is left; the next start takes its place. */
export async function orphanFinding(again: Running, wasLeft: boolean, manifest: Manifest): Promise<Finding> {
  if (await untilListening(again))
    return wasLeft ? pass() : pass('o socket já não estava lá; a segunda vez começou', 'the socket was gone; the second time it started');
  const code = again.hasEnded() ? await again.ended : null;
  const { pt, en } = saidOf(again);
  return fail(
    {
      pt: `não começou sobre o socket que um SIGKILL deixou${code === null ? '' : `: ${code}`}${pt}`,
      en: `did not start over the socket that a SIGKILL left${code === null ? '' : `: ${code}`}${en}`,
    },
    listenMend(again, manifest),
  );
}

/** It knows that it has to end, and does something first. */
const slowEnd: Words = {
  pt: 'encurte o que roda no fim (atexit, ao_encerrar, process.on("exit"), threads sem daemon=True)',
  en: 'shorten what runs at the end (atexit, ao_encerrar, process.on("exit"), threads without daemon=True)',
};

/** Advice for a process that has nothing to do and does not end: the library says so before it does. */
const endMend = (running: Running, manifest: Manifest): Words =>
  /outra instância já atende|sem onde escutar/.test(running.output()) ? slowEnd : mendOf('listen', manifest);

async function endFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const code = await endWithin(running, limits.endMsMax);
  if (code === 0) return pass();
  const isSlow = code === null && !(await takesConnections(running.target));
  return fail(
    code === null
      ? {
          pt: `ainda vive ${limits.endMsMax / 1_000} s depois do SIGTERM: o portal o mata`,
          en: `still lives ${limits.endMsMax / 1_000} s after SIGTERM: the portal kills it`,
        }
      : { pt: `terminou com ${code} no SIGTERM; esperado 0`, en: `ended with ${code} at SIGTERM; expected 0` },
    isSlow ? slowEnd : listenMend(running, manifest),
  );
}

export async function sigtermFinding(running: Running, manifest: Manifest): Promise<Finding> {
  running.child.kill('SIGTERM');
  return await endFinding(running, manifest);
}

/** A request of which the app has the head, but not yet the whole body, when the signal comes, gets a whole answer. */
export async function busyFinding(running: Running, manifest: Manifest): Promise<Finding> {
  const path = Object.values(manifest.capacidades ?? {})[0]?.rota ?? '/close-tabs';
  const half = sendHalf(running.target, path, token);
  await half.underWay;
  running.child.kill('SIGTERM');
  await untilDeaf(running);
  const status = await half.finish();
  if (status === 0)
    return fail(
      { pt: 'o pedido que estava em curso ficou sem resposta', en: 'the request that was under way got no answer' },
      mendOf('listen', manifest),
    );
  return await endFinding(running, manifest);
}

/** With nowhere to listen: 2. */
export async function nowhereFinding(begin: () => Running, manifest: Manifest): Promise<Finding> {
  const begun = begin();
  const code = await endWithin(begun, limits.startMsMax);
  if (code === 2) return pass();
  return fail(
    code === null
      ? {
          pt: 'sem SVC_APP_SOCKET nem --tcp o app não termina; esperado 2',
          en: 'without SVC_APP_SOCKET and --tcp the app does not end; expected 2',
        }
      : {
          pt: `sem SVC_APP_SOCKET nem --tcp terminou com ${code}; esperado 2`,
          en: `without SVC_APP_SOCKET and --tcp it ended with ${code}; expected 2`,
        },
    code === null ? endMend(begun, manifest) : listenMend(begun, manifest),
  );
}

export async function benchFinding(bench: Running | null, begun: Running, path: string, manifest: Manifest): Promise<Finding> {
  if (bench === null) {
    const { pt, en } = saidOf(begun);
    return fail(
      { pt: `--tcp 127.0.0.1:0 não abre uma porta${pt}`, en: `--tcp 127.0.0.1:0 opens no port${en}` },
      listenMend(begun, manifest),
    );
  }
  const { status, trouble } = await ask(bench.target, { path });
  return status === 0
    ? fail({ pt: `${path} na bancada: ${trouble}`, en: `${path} on the bench: ${trouble}` }, mendOf('listen', manifest))
    : pass();
}
