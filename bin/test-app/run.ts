/**
 * `svc test-app DIR`: what every app must do, run against what publishing would ship of the folder, as real processes in homes of their own.
 * Two lives at a time: one behind its socket (killed, started again over what is left, ended during a request), one on a bench without a token.
 * Decision: docs/decisions/0243-what-test-app-judges.md
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { healthPath, type Manifest } from '../../schema/manifest/manifest.ts';
import { checkSocketPath } from '../../kit/launch/socket.ts';
import { appPaths } from '../../schema/server-paths.ts';
import { environmentOf, kill, type Package, Processes, untilOnPort, untilReady } from './app-process.ts';
import { capabilitiesFinding } from './capability-checks.ts';
import { type CheckId, checks, type Finding, type Findings, notJudged } from './check.ts';
import { closeTabsFinding, gateFinding, gateOpenFinding, healthFinding, portsFinding, saudeFinding, socketFinding } from './gate-checks.ts';
import {
  benchFinding,
  busyFinding,
  endedFinding,
  installFinding,
  missingEngine,
  nowhereFinding,
  orphanFinding,
  secondFinding,
  sigtermFinding,
  startFinding,
  withoutConsequences,
} from './life-checks.ts';
import { limits } from './limits.ts';
import { hashed, judgeFolder, loaderFinding, noInstallCommand, unpack, untouched } from './package-checks.ts';
import { hasPage, noPage, pageFinding, rootedAddress, sdkFinding } from './page-checks.ts';

export interface Judgement {
  readonly id: string;
  readonly version: string;
  /** Every check, in the order of the table. */
  readonly findings: readonly (readonly [CheckId, Finding])[];
}

type Caller = Readonly<Record<string, string | undefined>>;

interface Bench {
  readonly tested: Package;
  readonly files: ReadonlySet<string>;
  readonly workshop: string;
  readonly processes: Processes;
  readonly caller: Caller;
}

/** Rejects PACKAGE_REFUSED and ARCHIVE_REFUSED for what is no package. `signal` ends what was started. */
export async function testApp(dir: string, caller: Caller, signal?: AbortSignal): Promise<Judgement> {
  const { findings, manifest, files } = await judgeFolder(resolve(dir));
  if (manifest === null) return judgement(null, findings);
  const workshop = await mkdtemp(join(temporaryRoot(), 'svc-t-'));
  const processes = new Processes(caller);
  const end = async (): Promise<void> => {
    await processes.endAll(workshop);
    await rm(workshop, { recursive: true, force: true });
  };
  const leave = (): void => void end().finally(() => process.exit(130));
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const tested = await unpack(resolve(dir), manifest, workshop);
    return judgement(manifest, { ...findings, ...(await lives({ tested, files, workshop, processes, caller })) });
  } finally {
    signal?.removeEventListener('abort', leave);
    await end();
  }
}

/** A socket's path is short: below a long TMPDIR an id of full length has no room. */
const temporaryRoot = (): string => (Buffer.byteLength(tmpdir()) > limits.temporaryRootBytesMax ? '/tmp' : tmpdir());

function judgement(manifest: Manifest | null, found: Findings): Judgement {
  const missing = notJudged('depende de algo acima', 'depends on something above');
  const ids = Object.keys(checks) as CheckId[];
  return { id: manifest?.id ?? '', version: manifest?.version ?? '', findings: ids.map((id) => [id, found[id] ?? missing] as const) };
}

async function lives(bench: Bench): Promise<Findings> {
  const { manifest } = bench.tested;
  const [home, other] = [join(bench.workshop, 'a'), join(bench.workshop, 'b')];
  await Promise.all([home, other].map((folder) => mkdir(folder, { mode: 0o700 })));
  checkSocketPath(appPaths({ home, prefix: home }, manifest.id).socket);
  const environment = environmentOf(bench.tested, home, '/', bench.caller);
  const engine = missingEngine(manifest, environment);
  if (engine !== null) return { start: engine };
  const install = manifest.backend.installCommand?.trim() ? await installFinding(bench.tested, environment) : noInstallCommand();
  if (install.verdict === 'fail') return { 'install-command': install };
  const before = await hashed(bench.tested.dir, manifest, bench.workshop);
  const installed = { ...bench, tested: before };
  const [served, open] = await Promise.all([behindSocket(installed, home), onBench(installed, other)]);
  const after = await hashed(bench.tested.dir, manifest, bench.workshop);
  return {
    'install-command': install,
    ...withoutConsequences({ ...served, ...open }, manifest),
    ...(served.start?.verdict === 'pass' ? { package: untouched(before, after) } : {}),
  };
}

async function behindSocket(bench: Bench, home: string): Promise<Findings> {
  const { tested, processes, caller } = bench;
  const { manifest } = tested;
  const begin = (base: string) => processes.begin(tested, home, environmentOf(tested, home, base, caller));
  const first = begin('/');
  const start = await startFinding(first, manifest);
  if (start.verdict !== 'pass') return { start };
  const health = await healthFinding(first, manifest);
  if (first.hasEnded()) return { start: await endedFinding(first, manifest) };
  const atRoot = await whileServing(bench, first);
  const other = begin('/');
  const second = await secondFinding(first, other, manifest);
  await Promise.all([kill(first), kill(other)]);
  const wasLeft = existsSync(first.socket);
  const base = `/proxy/app/${manifest.id}/`;
  const again = begin(base);
  const orphan = await orphanFinding(again, wasLeft, manifest);
  const found: Findings = { start, health, ...atRoot, 'second-instance': second, orphan };
  if (orphan.verdict !== 'pass') return found;
  if (health.verdict === 'pass') await untilReady(again, healthPath(manifest.backend));
  const page = hasPage(manifest, bench.files) ? (rootedAddress(tested.dir) ?? (await pageFinding(again, manifest, base))) : noPage();
  return { ...found, 'page-path': page, 'sigterm-busy': await busyFinding(again, manifest) };
}

async function whileServing({ tested, files }: Bench, running: ReturnType<Processes['begin']>): Promise<Findings> {
  const { manifest } = tested;
  const loader = await loaderFinding(manifest, files, async (path) => (await running.call({ path })).status === 200);
  return {
    ...(loader === null ? {} : { files: loader }),
    socket: socketFinding(running, manifest),
    gate: await gateFinding(running, manifest),
    saude: await saudeFinding(running, manifest),
    'close-tabs': await closeTabsFinding(running, manifest),
    capabilities: await capabilitiesFinding(running, manifest),
    'page-root': hasPage(manifest, files) ? await pageFinding(running, manifest, '/') : noPage(),
    sdk: await sdkFinding(running, manifest),
    // Last: whatever it opens for what it was asked is open by now.
    ports: portsFinding(running, manifest),
  };
}

async function onBench({ tested, processes, caller }: Bench, home: string): Promise<Findings> {
  const { manifest } = tested;
  const {
    SVC_APP_TOKEN: _,
    SVC_APP_SOCKET: __,
    SVC_APP_BASE_PATH: ___,
    SVC_APP_INSTALLED_HASH: ____,
    ...plain
  } = environmentOf(tested, home, '/', caller);
  // Files that an author's own bench leaves beside the sources are not packed.
  const environment = { ...plain, PYTHONDONTWRITEBYTECODE: '1' };
  const begun = processes.begin(tested, home, environment, ['--tcp', '127.0.0.1:0']);
  const [onPort, nowhere] = await Promise.all([
    untilOnPort(begun),
    nowhereFinding(() => processes.begin(tested, home, environment), manifest),
  ]);
  const bench = await benchFinding(onPort, begun, healthPath(manifest.backend), manifest);
  if (onPort === null) return { bench, nowhere };
  await untilReady(onPort, healthPath(manifest.backend));
  const open = await gateOpenFinding(onPort, manifest);
  return { bench, nowhere, 'gate-open': open, sigterm: await sigtermFinding(onPort, manifest) };
}
