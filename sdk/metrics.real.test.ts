/**
 * `svc.metricas` of both runtimes, in processes of their own, against a portal that answers, loses its answer, is away, hangs or refuses.
 * The portal's handling: api/routes/app-metrics.test.ts; both together: test/browser/metrics.real.test.ts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, test, type TestContext } from 'vitest';
import { appDurationBoundsS } from '../schema/wire/distribution.ts';
import type { MetricsBody } from '../schema/wire/metrics.ts';
import { createMetricsPortal, ok, refuse, said, type MetricsPortal } from './testing/metrics-portal.ts';
import { cleanUp, runtimes, temporaryFolder, type Runtime } from './testing/runtimes.ts';

afterAll(cleanUp);

/** Most of a test is waiting: the runtimes go on side by side, the tests of one in turn. */
const inTurn = { concurrent: false } as const;

/** A portal of the test alone. */
async function begun(onTestFinished: TestContext['onTestFinished']): Promise<MetricsPortal> {
  const portal = createMetricsPortal();
  await portal.listen();
  onTestFinished(() => portal.away());
  return portal;
}

describe.concurrent.for(runtimes)('%s', (runtime) => {
  test(
    'what was counted arrives when the process ends, added up, with the credential, and nothing of it twice',
    inTurn,
    async ({ expect, onTestFinished }) => {
      const portal = await begun(onTestFinished);
      const program = portal.run(runtime, {
        python: `
for n in range(1000):
    metricas.contar('aberta')
    metricas.contar('salva', 2, formato='pdf', novo=n % 2 == 0)
    metricas.duracao('salvar', 0.004 if n % 2 else 301)
    try:
        raise ValueError(f'vez {n}')
    except ValueError as erro:
        metricas.relatar_erro(erro)
`,
        node: `
for (let n = 0; n < 1000; n += 1) {
  metricas.contar('aberta');
  metricas.contar('salva', 2, { formato: 'pdf', novo: n % 2 === 0 });
  metricas.duracao('salvar', n % 2 ? 0.004 : 301);
  metricas.relatarErro(new RangeError('vez ' + n));
}
`,
      });
      expect(await program.ended).toBe(0);
      const kind = runtime === 'node' ? 'RangeError' : 'ValueError';
      expect(portal.totals()).toEqual({
        aberta: 1_000,
        'salva{"formato":"pdf","novo":"true"}': 1_000,
        'salva{"formato":"pdf","novo":"false"}': 1_000,
        'salvar s': 1_000,
        [kind]: 1_000,
      });
      const [{ duracoes = [], erros = [], versao } = {} as MetricsBody] = portal.received;
      expect(duracoes[0]?.baldes).toEqual([500, 0, 0, 0, 0, 0, 0, 0, 500]);
      expect(duracoes[0]?.baldes).toHaveLength(appDurationBoundsS.length + 1);
      expect(duracoes[0]?.soma).toBeCloseTo(500 * 301.004);
      expect(erros).toMatchObject([{ mensagem: 'vez 999', n: 1_000, pilha: expect.stringContaining('programa.') }]);
      expect(erros[0]?.pilha).not.toContain('vez');
      expect([versao, portal.heads[0]?.headers.authorization, portal.heads[0]?.url]).toEqual(['dev', 'Bearer ficha', '/api/metricas']);
    },
  );

  test('an app that listens sends what is left when it is told to end', inTurn, async ({ expect, onTestFinished }) => {
    const portal = await begun(onTestFinished);
    const home = temporaryFolder();
    const program = portal.run(
      runtime,
      {
        python: `
from svc import servidor
class Pedido(servidor.Pedido):
    def atender(self, metodo):
        metricas.contar('pedido')
        self.responder_json(200, {})
threading.Thread(target=lambda: metricas.contar('paralelo'), daemon=True).start()
metricas.contar('inicio')
sys.exit(servidor.escutar(Pedido, []))
`,
        node: `
metricas.contar('paralelo');
metricas.contar('inicio');
escutar(http.createServer(() => {}));
`,
      },
      { SVC_APP_SOCKET: join(home, 'svc', 'app.sock') },
    );
    await program.said('escutando em');
    expect(portal.received).toEqual([]);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(portal.totals()).toEqual({ inicio: 1, paralelo: 1 });
  });

  test(
    'a batch whose answer was lost is sent again as it was, and what came meanwhile after it',
    inTurn,
    async ({ expect, onTestFinished }) => {
      const portal = await begun(onTestFinished);
      let lost = 0;
      portal.answer = (body, res) => {
        if ((lost += 1) <= 2) res.destroy();
        else ok(body, res);
      };
      const program = portal.run(runtime, {
        python: `
metricas.contar('antes')
metricas.encerrar()
metricas.contar('depois')
metricas.encerrar()
`,
        node: `
(async () => {
  metricas.contar('antes');
  await metricas.encerrar();
  metricas.contar('depois');
  await metricas.encerrar();
})();
`,
      });
      expect(await program.ended).toBe(0);
      expect(portal.received.slice(0, 3).map(({ lote, contadores }) => [lote, contadores])).toEqual(
        Array.from({ length: 3 }, () => [1, [{ evento: 'antes', n: 1 }]]),
      );
      expect(portal.totals()).toEqual({ antes: 1, depois: 1 });
    },
  );

  test(
    'while the portal is away nothing is waited for, what is kept is bounded, and it arrives once it is back',
    inTurn,
    async ({ expect, onTestFinished }) => {
      const portal = await begun(onTestFinished);
      await portal.away();
      const program = portal.run(runtime, {
        python: `
inicio = time.perf_counter()
for n in range(20000):
    metricas.contar('evento', 1, serie=n % 1000)
    if n % 100 == 0: metricas.relatar_erro(ValueError(str(n)))
diz(ms=(time.perf_counter() - inicio) * 1000)
inicio = time.perf_counter()
metricas.encerrar()
diz(ms=(time.perf_counter() - inicio) * 1000)
while not os.path.exists(sys.argv[0] + '.volta'): time.sleep(0.02)
metricas.encerrar()
`,
        node: `
(async () => {
  let inicio = performance.now();
  for (let n = 0; n < 20000; n += 1) {
    metricas.contar('evento', 1, { serie: n % 1000 });
    if (n % 100 === 0) metricas.relatarErro(String(n));
  }
  diz({ ms: performance.now() - inicio });
  inicio = performance.now();
  await metricas.encerrar();
  diz({ ms: performance.now() - inicio });
  while (!require('node:fs').existsSync(process.argv[1] + '.volta')) await new Promise((r) => setTimeout(r, 20));
  await metricas.encerrar();
})();
`,
      });
      await expect.poll(() => said(program).length).toBe(2);
      const [counting, ending] = said(program);
      expect(counting?.['ms']).toBeLessThan(20_000);
      expect(ending?.['ms']).toBeLessThan(6_000);
      await portal.listen();
      writeFileSync(join(program.process.spawnargs.at(-1)!) + '.volta', '');
      expect(await program.ended).toBe(0);
      const sums = portal.totals();
      const series = Object.entries(sums).filter(([key]) => key.startsWith('evento{'));
      expect(series).toHaveLength(300);
      expect(series.every(([, n]) => n === 20)).toBe(true);
      expect(sums['- series']).toBe(14_000);
      expect(sums['- erros']).toBe(150);
      expect(Math.max(...portal.received.map((body) => JSON.stringify(body).length))).toBeLessThan(64 * 1_024);
    },
  );

  test('a portal that hangs does not hold up the end for more than its bound', inTurn, async ({ expect, onTestFinished }) => {
    const portal = await begun(onTestFinished);
    portal.answer = () => undefined;
    const program = portal.run(runtime, {
      python: `
metricas.contar('x')
inicio = time.perf_counter()
metricas.encerrar()
diz(ms=(time.perf_counter() - inicio) * 1000)
os._exit(0)
`,
      node: `
(async () => {
  metricas.contar('x');
  const inicio = performance.now();
  await metricas.encerrar();
  diz({ ms: performance.now() - inicio });
  process.exit(0);
})();
`,
    });
    expect(await program.ended).toBe(0);
    expect(said(program)[0]?.['ms']).toBeGreaterThan(1_500);
    expect(said(program)[0]?.['ms']).toBeLessThan(6_000);
  });

  test('a portal in trouble is asked less and less often; one that is back gets it', inTurn, async ({ expect, onTestFinished }) => {
    const portal = await begun(onTestFinished);
    const times: number[] = [];
    portal.answer = (body, res) => {
      times.push(performance.now());
      (times.length < 4 ? refuse(503) : ok)(body, res);
    };
    const program = portal.run(runtime, {
      python: `
metricas.contar('x')
metricas.encerrar()
metricas.contar('depois')
while not os.path.exists(sys.argv[0] + '.fim'): time.sleep(0.02)
os._exit(0)
`,
      node: `
metricas.contar('x');
metricas.encerrar().then(() => metricas.contar('depois'));
setInterval(() => require('node:fs').existsSync(process.argv[1] + '.fim') && process.exit(0), 20);
`,
    });
    await expect.poll(() => times.length, { timeout: 30_000 }).toBe(5);
    writeFileSync(`${program.process.spawnargs.at(-1)}.fim`, '');
    await program.ended;
    const waits = times.slice(1, 4).map((at, index) => at - times[index]!);
    // 1, 2, 4 s, each with up to half of it off.
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThan(450 * 2 ** index);
      expect(wait).toBeLessThan(1_000 * 2 ** index + 6_000);
    }
    expect(portal.totals()).toEqual({ x: 1, depois: 1 });
  });

  test('a credential without the scope after all: it says so, and asks no more', inTurn, async ({ expect, onTestFinished }) => {
    const portal = await begun(onTestFinished);
    portal.answer = refuse(403);
    const program = portal.run(runtime, {
      python: `
metricas.contar('x')
metricas.encerrar()
metricas.contar('y')
metricas.encerrar()
diz(**metricas.disponivel())
`,
      node: `
(async () => {
  metricas.contar('x');
  await metricas.encerrar();
  metricas.contar('y');
  await metricas.encerrar();
  diz(metricas.disponivel());
})();
`,
    });
    expect(await program.ended).toBe(0);
    expect(said(program)[0]).toMatchObject({ disponivel: false, codigo: 'CREDENCIAL_RECUSADA', motivo: expect.stringContaining('não') });
    expect(portal.received).toHaveLength(1);
  });

  test('nothing that is given raises, and nothing is sent without the declaration', inTurn, async ({ expect, onTestFinished }) => {
    const portal = await begun(onTestFinished);
    const nonsense: Readonly<Record<Runtime, string>> = {
      python: `
class Ruim:
    def __str__(self): raise RuntimeError('ruim')
    __repr__ = __str__
for argumentos in [(), (None,), ('x', 'y'), ('x', float('nan')), ('x', -1), (Ruim(),), ('x', Ruim()), (['x'],)]:
    for verbo in (metricas.contar, metricas.duracao, metricas.relatar_erro):
        try: verbo(*argumentos)
        except TypeError as erro:
            if 'argument' not in str(erro): raise
metricas.contar('x', 1, rotulo=Ruim())
metricas.contar('x', 1, rotulo='x' * 5000)
metricas.relatar_erro(Ruim())
diz(ok=1)
`,
      node: `
const ruim = { toString() { throw new Error('ruim'); } };
for (const argumentos of [[], [null], ['x', 'y'], ['x', NaN], ['x', -1], [ruim], ['x', ruim], [['x']], ['x', 1, ruim], ['x', 1, 7]]) {
  for (const verbo of [metricas.contar, metricas.duracao, metricas.relatarErro]) verbo(...argumentos);
}
metricas.contar('x', 1, { rotulo: ruim });
metricas.contar('x', 1, { rotulo: Symbol('s') });
metricas.contar('x', 1, { rotulo: 'x'.repeat(5000) });
metricas.relatarErro(ruim);
diz({ ok: 1 });
`,
    };
    const program = portal.run(runtime, nonsense);
    expect(await program.ended).toBe(0);
    expect(said(program)).toEqual([{ ok: 1 }]);
    expect(portal.totals()['- tamanho']).toBe(1);
    portal.received.length = 0;
    const undeclared = portal.run(runtime, nonsense, { SVC_PORTAL_SCOPES: 'salas' });
    expect([await undeclared.ended, said(undeclared), portal.received]).toEqual([0, [{ ok: 1 }], []]);
  });

  test('of many threads at once nothing is lost', inTurn, async ({ expect, onTestFinished }) => {
    const portal = await begun(onTestFinished);
    const program = portal.run('python', {
      node: '',
      python: `
def conta():
    for n in range(5000):
        metricas.contar('x', 1, a=n % 7)
        if n % 1000 == 0: metricas.encerrar()
fios = [threading.Thread(target=conta) for _ in range(8)]
for fio in fios: fio.start()
for fio in fios: fio.join()
`,
    });
    expect(await program.ended).toBe(0);
    expect(Object.values(portal.totals()).reduce((sum, n) => sum + n, 0)).toBe(40_000);
  });
});
