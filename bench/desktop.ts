/**
 * The desktop in Chromium, by its own trace: how long until there is something to see and an app is open, and how many frames come late while a folder of a hundred
 * thousand entries is scrolled and one of twenty windows is moved. The peer is a page of a few plain elements that does the same in the same browser: it says what
 * this machine can draw without a graphics card.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/chromium.ts';
import { startPortal, type RunningPortal } from '../test/support/portal.ts';
import { inspect, inspectable } from './inspected.ts';
import { profilingOf } from './profile.ts';
import { median, percentile, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const entries = 100_000;
const windows = 20;
const screen = { width: 1280, height: 800 };

interface FrameReport {
  readonly state?: string;
}
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly args?: { readonly frame_reporter?: FrameReport };
}
interface Frames {
  /** Frames that Chromium wanted to draw, and those that it did not in time. */
  readonly count: number;
  readonly late: number;
  /** Milliseconds of the page's own thread for each. */
  readonly mainMs: readonly number[];
}

async function framesOf(page: Page, act: () => Promise<void>): Promise<Frames> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const events: (TraceEvent & { readonly dur?: number })[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['cc', 'benchmark', 'disabled-by-default-devtools.timeline.frame'] };
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  await act();
  const complete = new Promise((resolve) => void cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await complete;
  await cdp.detach();
  const states = events.flatMap(({ name, ph, args }) =>
    name === 'PipelineReporter' && ph === 'b' ? (args?.frame_reporter?.state ?? []) : [],
  );
  const wanted = states.filter((state) => state !== 'STATE_NO_UPDATE_DESIRED');
  const main = events.filter(({ name, ph }) => name === 'ProxyMain::BeginMainFrame' && ph === 'X').map(({ dur = 0 }) => dur / 1_000);
  const late = wanted.filter((state) => state === 'STATE_DROPPED').length;
  return { late, count: wanted.length, mainMs: main };
}

interface Moved {
  readonly page: Page;
  readonly move: () => Promise<void>;
}

/** A page that does not follow the pointer has no frames, and none that is late: each of `steps` moves asks for one. */
async function framesOfAll({ page, move }: Moved, steps: number): Promise<Frames> {
  for (let tries = 0; tries < tracesMax; tries += 1) {
    const frames = await framesOf(page, move);
    if (frames.count >= steps / 2) return frames;
  }
  throw new Error(`${tracesMax} traces have frames of less than half of ${steps} moves`);
}

const tracesMax = 5;

/** Slices of a second or so in turn, each page in front in its own; a little of it first, which is not measured. */
async function inTurns(
  sides: readonly [Moved, Moved],
  { steps, rounds }: Pick<Desk, 'steps' | 'rounds'>,
): Promise<readonly [Frames, Frames]> {
  const all: [Frames[], Frames[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, side] of sides.entries()) {
      await side.page.bringToFront();
      const frames = await framesOfAll(side, steps);
      if (round > 0) all[at as 0 | 1].push(frames);
    }
  }
  const sum = (of: readonly Frames[]): Frames => ({
    count: of.reduce((total, { count }) => total + count, 0),
    late: of.reduce((total, { late }) => total + late, 0),
    mainMs: of.flatMap(({ mainMs }) => mainMs),
  });
  return [sum(all[0]), sum(all[1])];
}

async function wheel(page: Page, steps: number): Promise<void> {
  for (let n = 0; n < steps; n += 1) {
    await page.mouse.wheel(0, 120);
    await page.waitForTimeout(16);
  }
}

async function drag(page: Page, from: { readonly x: number; readonly y: number }, steps: number): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let n = 0; n < steps; n += 1) {
    await page.mouse.move(from.x + 200 * Math.sin(n / 10), from.y + 40 + 40 * Math.cos(n / 10));
    await page.waitForTimeout(16);
  }
  await page.mouse.move(from.x, from.y);
  await page.mouse.up();
}

/** Forty rows with the same cells for a hundred thousand entries, and twenty boxes of text that follow the pointer; by hand, in as few steps as it takes. */
const plainPage = `<!doctype html><style>
body { margin: 0; font: 15px sans-serif }
#s { position: absolute; left: 130px; top: 90px; width: 1000px; height: 560px; overflow: auto; background: #fff }
.r { position: absolute; contain: strict; display: grid; grid-template-columns: 24px 1fr 150px 90px 150px; gap: 12px; align-items: center; height: 36px; width: 100% }
.w { position: absolute; overflow: hidden; user-select: none; width: 500px; height: 400px; border: 1px solid #999; background: #fff }
</style><div id="s"><div id="c" style="position:relative;height:${entries * 36}px"></div></div><script>
const s = document.getElementById('s');
const rows = Array.from({ length: 40 }, () => {
  const row = document.createElement('div');
  row.className = 'r';
  row.innerHTML = '<svg width="24" height="24" viewBox="0 0 32 32"><path fill="#fff" stroke="#888" d="M7.5 2.5h12l6 6v19c0 1.1-.9 2-2 2h-16c-1.1 0-2-.9-2-2v-23c0-1.1.9-2 2-2z"/></svg><span></span><span>Texto TXT</span><span>0 bytes</span><span>24/11/2026, 07:00</span>';
  document.getElementById('c').append(row);
  return row;
});
const draw = () => {
  const first = Math.floor(s.scrollTop / 36);
  for (let n = first; n < first + rows.length; n += 1) {
    const row = rows[n % rows.length];
    if (row.n === n) continue;
    row.n = n;
    row.style.transform = 'translateY(' + n * 36 + 'px)';
    row.children[1].textContent = 'n' + String(n).padStart(6, '0') + '.txt';
  }
};
s.addEventListener('scroll', draw);
draw();
window.boxes = () => {
  s.remove();
  for (let n = 0; n < ${windows}; n += 1) {
    const box = document.createElement('div');
    const [left, top] = [40 + n * 20, 20 + n * 12];
    box.className = 'w';
    const put = (x, y) => { box.style.transform = 'translate(' + (left + x) + 'px,' + (top + y) + 'px)'; };
    put(0, 0);
    box.innerHTML = Array.from({ length: 12 }, (_, i) => '<p>arquivo ' + i + '.txt</p>').join('');
    box.onpointerdown = (down) => {
      box.setPointerCapture(down.pointerId);
      box.style.willChange = 'transform';
      box.onpointermove = (move) => put(move.clientX - down.clientX, move.clientY - down.clientY);
      box.onpointerup = () => { box.onpointermove = null; box.style.willChange = ''; };
    };
    document.body.append(box);
  }
};
</script>`;

async function signIn(page: Page, portal: RunningPortal): Promise<void> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person: 'ana', admin: true });
  await page.goto((body as { readonly link: string }).link);
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
}

const urlOf = ({ port }: RunningPortal): string => `http://svc.localhost:${port}`;

/** A window of files on it, once its first entry is drawn. */
async function openFolder(page: Page, caminho: string, first: string): Promise<void> {
  const file = JSON.stringify({ caminho, nome: basename(caminho), isFolder: true });
  await page.evaluate(`document.querySelector('svc-shell').shadowRoot.querySelector('svc-desktop').desk.openFile(${file})`);
  await page.locator(`svc-window[top] svc-file-view [data-name="${first}"]`).waitFor();
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const lateOf = ({ late, count }: Frames): number => (100 * late) / count;
const threadOf = ({ mainMs }: Frames): number => (mainMs.length === 0 ? 0 : median(mainMs));
const percent = (frames: Frames): string =>
  `${lateOf(frames).toFixed(1)} % of ${frames.count}; thread ${threadOf(frames).toFixed(1)} ms (p99 ${percentile(frames.mainMs, 99).toFixed(1)})`;

/** The peer's late frames are the machine's doing: they are the target for ours. */
const framesRow = (name: string, [ours, peer]: readonly [Frames, Frames]): Row => ({
  name,
  ours: percent(ours),
  peer: percent(peer),
  ratio: peer.late === 0 ? '–' : (lateOf(ours) / lateOf(peer)).toFixed(2),
  target: '≤ plain + 5 points, thread p50 ≤ 16.6 ms',
  held: lateOf(ours) <= lateOf(peer) + 5 && threadOf(ours) <= 16.6,
});

async function beginning(page: Page, portal: RunningPortal, rounds: number): Promise<readonly Row[]> {
  const [paints, opens, plain]: [number[], number[], number[]] = [[], [], []];
  const firstPaint = async (): Promise<number> => {
    const entry = await page.waitForFunction<number>(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`);
    return await entry.jsonValue();
  };
  for (let round = 0; round <= rounds; round += 1) {
    await page.goto('about:blank');
    await page.goto(`${urlOf(portal)}/`);
    const button = page.getByRole('button', { name: /^Notas/ }).first();
    await button.waitFor();
    const paint = await firstPaint();
    const startedMs = performance.now();
    await button.click();
    await page.frameLocator('iframe[title="Notas"]').getByRole('button', { name: 'Nova nota' }).waitFor();
    const openMs = performance.now() - startedMs;
    await page.getByRole('dialog', { name: 'Notas' }).getByRole('button', { name: 'Fechar' }).click();
    await page.route('**/simples', (route) => void route.fulfill({ contentType: 'text/html', body: '<!doctype html><p>Olá' }));
    await page.goto(`${urlOf(portal)}/simples`);
    const plainPaint = await firstPaint();
    if (round === 0) continue;
    paints.push(paint);
    opens.push(openMs);
    plain.push(plainPaint);
  }
  const row = (name: string, ours: readonly number[]): Row => ({
    name,
    ours: percentilesOf(ours, ms),
    peer: percentilesOf(plain, ms),
    ratio: (median(ours) / median(plain)).toFixed(2),
    target: 'none: a page of one word is the floor, not a peer',
    held: null,
  });
  return [
    row('first contentful paint of the desktop, its files in the browser already; beside a page of one word', paints),
    row('from the click to the page of an app that runs; beside the same', opens),
  ];
}

interface Desk {
  readonly page: Page;
  readonly plain: Page;
  readonly folder: string;
  readonly steps: number;
  readonly rounds: number;
}

async function closeWindow(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name });
  await dialog.getByRole('button', { name: 'Fechar' }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function scrolling({ page, plain, folder, steps, rounds }: Desk): Promise<readonly Row[]> {
  const many = join(folder, 'cem-mil');
  mkdirSync(many);
  for (let n = 0; n < entries; n += 1) writeFileSync(join(many, `n${String(n).padStart(6, '0')}.txt`), '');
  const [oursMs, peerMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    if (round > 0) await closeWindow(page, 'cem-mil');
    const listMs = performance.now();
    spawnSync('ls', ['-l', many], { stdio: 'ignore' });
    peerMs.push(performance.now() - listMs);
    const startedMs = performance.now();
    await openFolder(page, many, 'n000000.txt');
    oursMs.push(performance.now() - startedMs);
  }
  // Work that the first reading starts is over by then.
  await page.waitForTimeout(3_000);
  const box = await page.locator('svc-window[top] svc-file-view').boundingBox();
  if (box === null) throw new Error('no list');
  await plain.setContent(plainPage);
  for (const one of [page, plain]) await one.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const frames = await inTurns(
    [
      { page, move: () => wheel(page, steps) },
      { page: plain, move: () => wheel(plain, steps) },
    ],
    { steps, rounds },
  );
  await page.bringToFront();
  const names = await page
    .locator('svc-window[top] svc-file-view [data-name]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-name') ?? ''));
  const furthest = Math.max(...names.map((name) => Number(/^n(\d{6})\.txt$/.exec(name)?.[1] ?? 0)));
  const plainTop = await plain.evaluate<number>('s.scrollTop');
  // A step is 120 pixels; rows of either are some 36 high.
  const stepsDone = (rounds + 1) * steps;
  if (furthest < stepsDone || plainTop < stepsDone * 60) throw new Error(`not scrolled: ${furthest} of ours, ${plainTop} px of the peer`);
  await closeWindow(page, 'cem-mil');
  return [
    {
      name: `a folder of ${entries} entries, until the first of them are drawn; \`ls -l\` of it`,
      ours: percentilesOf(oursMs, ms),
      peer: percentilesOf(peerMs, ms),
      ratio: (median(oursMs) / median(peerMs)).toFixed(2),
      target: 'none: ls draws nothing and sorts only names',
      held: null,
    },
    framesRow(`late frames, ${entries} entries scrolled by the wheel; a list of 40 rows by hand`, frames),
  ];
}

async function dragging({ page, plain, folder, steps, rounds }: Desk): Promise<Row> {
  for (let n = 0; n < windows; n += 1) {
    const one = join(folder, `janela-${n}`);
    mkdirSync(one);
    for (let file = 0; file < 12; file += 1) writeFileSync(join(one, `arquivo ${file}.txt`), '');
    await openFolder(page, one, 'arquivo 0.txt');
  }
  const count = await page.locator('svc-window').count();
  if (count !== windows) throw new Error(`${count} windows instead of ${windows}`);
  const titleBox = async () => {
    const title = page.locator('svc-window[top]').getByText(`janela-${windows - 1}`);
    const found = await title.first().boundingBox();
    if (found === null) throw new Error('no title bar');
    return found;
  };
  const title = await titleBox();
  const from = { x: title.x + title.width / 2, y: title.y + title.height / 2 };
  await plain.setContent(plainPage);
  await plain.evaluate('boxes()');
  const top = { x: 40 + (windows - 1) * 20 + 200, y: 20 + (windows - 1) * 12 + 30 };
  const frames = await inTurns(
    [
      { page, move: () => drag(page, from, steps) },
      { page: plain, move: () => drag(plain, top, steps) },
    ],
    { steps, rounds },
  );
  await page.bringToFront();
  const after = await titleBox();
  // Each drag ends where it began.
  if (Math.abs(after.x - title.x) > 2 || Math.abs(after.y - title.y) > 2) throw new Error('the window was not let go where it was taken');
  return framesRow(`late frames, one of ${windows} windows moved; a plain box over ${windows - 1} others`, frames);
}

export const desktopArea: Area = async ({ short }) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-desktop-'));
  const profiling = profilingOf();
  const portal = await startPortal({ apps: ['notas'], env: profiling === null ? {} : inspectable });
  const browser = await launchBrowser('whole');
  try {
    const context = await browser.newContext({ viewport: screen, locale: 'pt-BR' });
    const [page, plain] = [await context.newPage(), await context.newPage()];
    await page.bringToFront();
    await signIn(page, portal);
    const inspected = profiling === null ? null : await inspect(portal.child);
    if (inspected !== null) await profiling?.begin(inspected);
    const [steps, rounds] = short ? [40, 2] : [60, 5];
    sayStep('desktop: the first page');
    const first = await beginning(page, portal, short ? 1 : 5);
    await page.goto(`${urlOf(portal)}/`);
    await page
      .getByRole('button', { name: /^Notas/ })
      .first()
      .waitFor();
    const desk: Desk = { page, plain, folder, steps, rounds };
    sayStep('desktop: a folder of many');
    const scrolled = await scrolling(desk);
    sayStep('desktop: many windows');
    const dragged = await dragging(desk);
    if (inspected !== null) await profiling?.end(inspected);
    profiling?.write(`The portal while a desktop is loaded, ${entries.toLocaleString('en')} entries are scrolled and windows are moved`);
    return [...first, ...scrolled, dragged];
  } finally {
    await browser.close();
    await portal.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
