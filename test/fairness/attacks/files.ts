/** Attacks by the routes of files, on the attacker's own files. */
import http from 'node:http';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { theEnd, type Attack, type Attacker } from '../attack.ts';

/** Files that the world puts into the home of the attacker. */
export const prepared = { folder: 'muitos', entries: 20_000, large: 'grande', largeBytes: 256 * 1_024 ** 2, trashed: 5_000 } as const;

export const at = ({ home }: Attacker, name = ''): string => `caminho=${encodeURIComponent(name === '' ? home : `${home}/${name}`)}`;
const json = (value: unknown): string => JSON.stringify(value);

/** A body of which a byte comes now and then. */
async function drip({ port, host, cookie, signal }: Attacker, path: string, bytes: number): Promise<void> {
  const headers = { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', 'content-length': String(bytes) };
  const request = http.request({ host: '127.0.0.1', port, method: 'PUT', path, headers, agent: false, signal });
  const isOver = new Promise((resolve) => request.on('close', resolve));
  request.on('error', () => undefined);
  request.on('response', (answer) => answer.resume());
  while (!signal.aborted && !request.destroyed) {
    request.write('x');
    await Promise.race([isOver, sleep(50)]);
  }
  request.destroy();
}

export const fileAttacks: readonly Attack[] = [
  {
    name: '8 listings of 20,000 entries at once',
    run: (attacker) => attacker.flood(8, () => attacker.ask(`/api/arquivos/lista?${at(attacker, prepared.folder)}&limite=5000`)),
  },
  {
    name: '8 pages of a trash of 5,000 things at once',
    run: ({ flood, ask }) => flood(8, () => ask('/api/arquivos/lixo?limite=1')),
  },
  {
    name: '16 searches of the whole machine',
    run: ({ flood, ask }) => flood(16, (n) => ask(`/api/arquivos/busca?caminho=%2F&texto=${n}e&ocultos=1`)),
  },
  {
    name: '16 zips that nobody reads',
    run: (attacker) =>
      attacker.flood(16, async () => {
        const asked = attacker.ask(`/api/arquivos/zip?${at(attacker, prepared.folder)}`, { isUnread: true });
        await Promise.race([asked, theEnd(attacker)]);
      }),
  },
  {
    name: '16 zips of a large file, read as fast as they come',
    run: (attacker) => attacker.flood(16, () => attacker.ask(`/api/arquivos/zip?${at(attacker, prepared.large)}`)),
  },
  {
    name: '16 downloads of a large file',
    run: (attacker) => attacker.flood(16, () => attacker.ask(`/api/arquivos/conteudo?${at(attacker, prepared.large)}`)),
  },
  {
    name: '16 downloads that nobody reads',
    run: (attacker) =>
      attacker.flood(16, async () => {
        const asked = attacker.ask(`/api/arquivos/conteudo?${at(attacker, prepared.large)}`, { isUnread: true });
        await Promise.race([asked, theEnd(attacker)]);
      }),
  },
  {
    name: '16 uploads of which a byte comes now and then',
    run: (attacker) => attacker.flood(16, (n) => drip(attacker, `/api/arquivos/conteudo?${at(attacker, `gota${n}`)}`, 1_000_000)),
  },
  {
    name: '8 files of 8 MB saved at once',
    run: (attacker) => {
      const body = Buffer.alloc(8 * 1_024 ** 2, 65);
      return attacker.flood(8, (n) =>
        attacker.ask(`/api/arquivos/conteudo?${at(attacker, `salvo${n}`)}`, {
          method: 'PUT',
          body,
          headers: { 'content-type': 'text/plain' },
        }),
      );
    },
  },
  {
    name: '16 watches of 32 folders in which files come and go',
    run: async (attacker) => {
      const query = Array.from({ length: 32 }, (_, n) => at(attacker, `vigia${n}`)).join('&');
      const writing = attacker.flood(1, async () => {
        for (let n = 0; n < 32; n += 1) writeFileSync(`${attacker.home}/vigia${n}/f`, String(Math.random()));
      });
      await Promise.all([writing, attacker.flood(16, () => attacker.ask(`/api/arquivos/vigiar?${query}`))]);
    },
  },
  {
    name: '8 copies of 20,000 files at once',
    run: (attacker) => {
      const itens = [`${attacker.home}/${prepared.folder}`];
      return attacker.flood(8, (n) =>
        attacker.ask('/api/arquivos/operacoes', {
          method: 'POST',
          body: json({ tipo: 'copiar', itens, destino: `${attacker.home}/vigia${n}`, conflito: 'renomear' }),
        }),
      );
    },
  },
  {
    name: '32 previews made at once',
    run: (attacker) =>
      attacker.flood(32, () =>
        attacker.ask('/api/arquivos/previa', { method: 'POST', body: json({ caminho: `${attacker.home}/${prepared.large}` }) }),
      ),
  },
  {
    name: '32 folders made and renamed at once',
    run: (attacker) =>
      attacker.flood(32, async (n) => {
        const caminho = `${attacker.home}/vigia${n % 32}/p${n}`;
        await attacker.ask('/api/arquivos/pasta', { method: 'POST', body: json({ caminho }) });
        await attacker.ask('/api/arquivos/renomear', { method: 'POST', body: json({ caminho, nome: `q${n}${Math.random()}` }) });
      }),
  },
];
