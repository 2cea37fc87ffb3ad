import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nameOf } from '../../store/backup/chunks.ts';
import { openBackupFolder } from '../../store/backup/folder.ts';
import type { Entry, Manifest } from '../../store/backup/manifest.ts';
import { newJobId } from '../../store/jobs.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { pickJobFiles } from './pick.ts';

test('outputs of jobs come back below the folder that was named, and nothing that is there is replaced', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-pick-'));
  const to = path.join(dir, 'a/b');
  const folder = await openBackupFolder(path.join(dir, 'backup'), { makes: true });
  try {
    const id = newJobId();
    const store = await openSqliteStore(path.join(dir, 'svc.db'));
    const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 1, segundos: 1, gpus: 0 } };
    const job = { id, usuario: 'ana', app: 'moinho', chave: 'k', nome: '', cluster: 'c', createdAtMs: 1, request, inputs: [] };
    await store.jobs.submitJob(job, { ofPerson: 9 });
    const bytes = Buffer.from('result');
    const sha = nameOf(bytes);
    // The last one was written into the store by somebody else than the portal.
    const names = ['x/new.txt', 'there.txt', '../../outside.txt'];
    await store.jobs.announceOutputs(
      id,
      names.map((caminho) => ({ caminho, sha, bytes: bytes.length })),
      1_000,
    );
    await store.jobs.completeOutput(id, sha);
    await store.close();
    const entry = async (name: string, content: Buffer): Promise<Entry> => ({
      root: 'state',
      path: name,
      bytes: content.length,
      mode: 0o600,
      modifiedMs: 1,
      chunks: [await folder.put(content)],
    });
    const database: Entry = { ...(await entry('svc.db', readFileSync(path.join(dir, 'svc.db')))), isDatabase: true };
    const entries = [database, await entry(`fila/trabalhos/${id}/${sha}`, bytes)];
    await folder.settle();
    mkdirSync(path.join(to, id), { recursive: true });
    writeFileSync(path.join(to, id, 'there.txt'), 'of today');

    expect(await pickJobFiles(folder, { entries } as unknown as Manifest, { person: 'ana', to })).toBe(1);
    expect(readFileSync(path.join(to, id, 'x/new.txt'), 'utf8')).toBe('result');
    expect(readFileSync(path.join(to, id, 'there.txt'), 'utf8')).toBe('of today');
    expect(existsSync(path.join(dir, 'a/outside.txt'))).toBe(false);
  } finally {
    folder.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
