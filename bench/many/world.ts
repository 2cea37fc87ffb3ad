/** A desired folder of N people on this machine and ten small apps of the system, and the packages that it names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const manyApps = Array.from({ length: 10 }, (_, n) => `muitos-${n}`);

/** As names sort: the first and the last of them come first and last in every round. */
export const personName = (n: number): string => `p${String(n).padStart(5, '0')}`;

/** Answers 200 to whatever it is asked; needs nothing but the interpreter. */
const backend = `import os, socket
server = socket.socket(socket.AF_UNIX)
server.bind(os.environ['SVC_APP_SOCKET'])
server.listen(64)
while True:
    link, _ = server.accept()
    try:
        link.recv(65536)
        link.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok')
    except OSError:
        pass
    link.close()
`;

export interface ManyWorld {
  readonly desired: string;
  readonly people: number;
  /** Rewrites the file of people: what each is a member of. */
  write(groupOf: (n: number) => string): void;
}

function writePackages(folder: string): void {
  for (const id of manyApps) {
    mkdirSync(join(folder, id), { recursive: true });
    const manifest = {
      id,
      name: id,
      version: '1.0.0',
      backend: { runtime: 'python3', entrypoint: 'main.py', aoFechar: 'manter' },
    };
    writeFileSync(join(folder, id, 'svc-app.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, id, 'main.py'), backend);
  }
}

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

/** `spec`: more of the Portal document. */
export function writeManyWorld(folder: string, people: number, spec: object = {}): ManyWorld {
  const packages = join(folder, 'packages');
  const desired = join(folder, 'desired');
  mkdirSync(desired, { recursive: true });
  writePackages(packages);
  const common = [
    document('Portal', 'casa', JSON.stringify({ repository: packages, ...spec })),
    document('Server', 'casa', '{ local: { prefix: casa, trusted: true } }'),
    ...manyApps.map((app) => document('Package', app, `{ app: ${app}, versao: 1.0.0, server: casa, instalacao: sistema }`)),
  ];
  writeFileSync(join(desired, 'casa.yaml'), common.join('---\n'));
  const write: ManyWorld['write'] = (groupOf) => {
    const documents = Array.from({ length: people }, (_, n) => {
      const name = personName(n);
      return document('Person', name, `{ nome: Pessoa ${n}, login: ${name}, server: casa, account: ${name}, grupos: [${groupOf(n)}] }`);
    });
    // In pieces, as they are written by a program: a file holds at most 4 MiB.
    for (let at = 0; at < documents.length; at += 10_000)
      writeFileSync(join(desired, `pessoas-${at / 10_000}.yaml`), documents.slice(at, at + 10_000).join('---\n'));
  };
  write(() => 'todos');
  return { desired, people, write };
}
