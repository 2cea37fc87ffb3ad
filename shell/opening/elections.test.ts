import { describe, expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { elect, hasOwnDestination, opensWith, ownType, type Outcome } from './elections.ts';
import { extensionsOf, typeOf } from './file-type.ts';
import { opener, rounds } from './testing/openers.ts';
import { expected, mediaWorld, world, type Case } from './testing/oracle.ts';

const said = (outcome: Outcome): string =>
  outcome.by === 'app' ? `app:${outcome.app}` : outcome.by === 'desktop' ? outcome.destination : 'ask';
const file = (nome: string, mime?: string) => ({ caminho: `/home/ana/${nome}`, nome, mime });
const quiet = opener('q', { extensions: ['nota', 'py', 'svg'] });
const asking = opener('a', { extensions: ['nota'], asks: true });
const rival = opener('r', { extensions: ['nota', 'png'], asks: true });
const other = opener('o', { extensions: ['odt'] });
const media = opener('m', { mimeTypes: ['application/x-traco', 'image/svg+xml'] });

describe('who opens a kind of file', () => {
  // Source: rules 2.1 `opens.default`.
  test.for([
    ['the only app that declares it, whether it asks or not', [quiet], 'x.nota', {}, 'app:q'],
    ['the only one of several that asks for it', [quiet, asking], 'x.nota', {}, 'app:a'],
    ['none of two that ask: the person is asked', [quiet, asking, rival], 'x.nota', {}, 'ask'],
    ['none of two that do not ask', [quiet, opener('z', { extensions: ['nota'] })], 'x.nota', {}, 'ask'],
    ['the desktop, of an image that two declare and none asks for', [quiet, opener('z', { extensions: ['svg'] })], 'x.svg', {}, '@viewer'],
    ['whom the person chose, above who asks', [quiet, asking], 'x.nota', { nota: 'q' }, 'app:q'],
    ['whom the person chose, of two that ask', [asking, rival], 'x.nota', { nota: 'r' }, 'app:r'],
    ['as without a choice where the chosen app is gone', [quiet, asking], 'x.nota', { nota: 'gone' }, 'app:a'],
    ['as without a choice where the chosen app declares it no longer', [quiet, asking, other], 'x.nota', { nota: 'o' }, 'app:a'],
    ['the person is asked, where none declares it', [other], 'x.nota', { nota: 'o' }, 'ask'],
    ['the desktop, where the kind has a destination of its own', [quiet], 'x.py', {}, '@editor'],
    ['whom the person chose, there as well', [quiet], 'x.py', { py: 'q' }, 'app:q'],
    ['the desktop, where the person chose it above an app', [rival], 'x.png', { png: '@viewer' }, '@viewer'],
    ['as without a choice, where the desktop opens no such file there', [rival], 'x.png', { png: '@files' }, 'app:r'],
    ['who declares the extension, above who declares the media type', [quiet, media], 'x.svg', {}, 'app:q'],
    ['a name of the object type is no choice', [quiet, asking], 'x.constructor', {}, 'ask'],
  ] as const)('%s', ([, apps, nome, tipos, outcome]) => {
    expect(said(opensWith(file(nome, nome.endsWith('svg') ? 'image/svg+xml' : undefined), apps, { tipos }))).toBe(outcome);
  });

  test.for(['ts', 'html', 'zip', 'txt', 'tar'])('.%s goes to no app by itself', (extension) => {
    expect(hasOwnDestination(extension)).toBe(true);
    const apps = [opener('x', { extensions: [extension], asks: true })];
    expect(elect(typeOf(file(`a.${extension}`), apps), apps).by).toBe('desktop');
  });

  test('a folder goes to the file manager, whatever its name and whatever apps declare', () => {
    expect(said(opensWith({ ...file('x.nota'), isFolder: true }, [asking], { tipos: { nota: 'a' } }))).toBe('@files');
  });
});

describe('the type of a file', () => {
  test.for([
    ['Foto.PNG', undefined, 'image', 'png', 'png'],
    ['dados.tar.gz', undefined, 'compressed', 'tar.gz', 'tar.gz'],
    ['v1.2.gz', undefined, 'compressed', 'gz', 'gz'],
    ['.bashrc', undefined, 'code', null, null],
    ['.config.json', undefined, 'code', 'json', 'json'],
    ['Makefile', undefined, 'code', null, null],
    ['sem-nada', undefined, 'unknown', null, null],
    ['sem-nada', 'application/octet-stream', 'unknown', null, null],
    ['sem-nada', 'TEXT/Plain; charset=utf-8', 'text', null, 'text/plain'],
    ['pagina', 'text/html', 'page', null, 'text/html'],
    ['x.nota', 'text/plain', 'unknown', 'nota', 'nota'],
    ['x.desconhecida', 'image/png', 'image', 'desconhecida', 'desconhecida'],
    ['nome.', undefined, 'unknown', null, null],
    ['um nome. com espaço', undefined, 'unknown', null, null],
    ['planilha.ODS', undefined, 'office', 'ods', 'ods'],
    ['ação.pdf', undefined, 'pdf', 'pdf', 'pdf'],
  ] as const)('%s (%s): %s', ([nome, mime, kind, extension, key]) => {
    expect(typeOf(file(nome, mime), [asking])).toMatchObject({ kind, extension, key });
  });

  test('an app can declare a longer end than the desktop knows', () => {
    const apps = [opener('x', { extensions: ['quadro.json'] })];
    expect(said(opensWith(file('a.quadro.json'), apps, {}))).toBe('app:x');
    expect(said(opensWith(file('a.json'), apps, {}))).toBe('@editor');
  });

  // Source: rules 2.1 `opens.extensions`: the pattern has no length and any number of dots.
  test.for(['a.b.c.d.e.f', 'a.', `x${'y'.repeat(252)}`])('the end %j of a name is found', (end) => {
    expect(said(opensWith(file(`N.${end}`), [opener('x', { extensions: [end] })], {}))).toBe('app:x');
  });

  test('of a name of dots without end no more than a file name can have is looked at', () => {
    expect(extensionsOf(`${'a.'.repeat(100_000)}b`)[0]).toBe(`${'a.'.repeat(126)}b`);
  });
});

describe('own types', () => {
  const own = (id: string, asks: boolean, extensions = ['traco']) =>
    opener(id, {
      extensions,
      asks,
      proprios: extensions.map((extensao) => ({ extensao, nome: `De ${id}`, cor: '#224466', selo: 'TR', icone: null })),
    });

  // Source: rules 2.1 `proprios`.
  test.for([
    ['of the only app', [own('b', false)], {}, 'b'],
    ['of the app that opens it', [own('a', false), own('b', true)], {}, 'b'],
    ['of the app that the person chose', [own('a', true), own('b', false)], { traco: 'b' }, 'b'],
    ['of the first by id, where nobody opens it', [own('b', true), own('a', true)], {}, 'a'],
    ['of the other one, where who opens it has none', [own('b', false), opener('a', { extensions: ['traco'], asks: true })], {}, 'b'],
    ['of nobody', [opener('a', { extensions: ['traco'] })], {}, undefined],
  ] as const)('the mark is %s', ([, apps, tipos, id]) => {
    expect(ownType(typeOf(file('x.traco'), apps), apps, { tipos })?.app).toBe(id);
  });
});

describe('what opens what, against the rules written a second time', () => {
  const ends = [...Object.keys(world).flatMap((end) => end.split('.')), 'nota', 'traco', 'xyz'];
  const declared = [...Object.keys(world), 'nota', 'traco', 'nota.txt', 'traco.gz'];
  const mimes = Object.keys(mediaWorld);

  function draw(seed: number): Case {
    const random = createRandom(seed);
    const some = <Item>(items: readonly Item[], max: number): Item[] => [
      ...new Set(Array.from({ length: random.int(0, max) }, () => random.pick(items))),
    ];
    const apps = ['a', 'b', 'c', 'd']
      .slice(0, random.int(0, 4))
      .map((id) => opener(id, { extensions: some(declared, 5), mimeTypes: some(mimes, 2), asks: random.chance(0.5) }));
    const tipos = Object.fromEntries(
      some([...declared, ...mimes], 4).map((type) => [type, random.pick(['a', 'b', 'c', 'gone', '@viewer', '@editor', '@files'])]),
    );
    return {
      ends: Array.from({ length: random.int(0, 3) }, () => random.pick(ends)),
      mime: random.chance(0.5) ? random.pick(mimes) : null,
      apps,
      tipos,
    };
  }

  test(`${rounds(4_000)} drawn files, apps and choices`, () => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= rounds(4_000); seed += 1) {
      const drawn = draw(seed);
      const outcome = said(opensWith(file(['x', ...drawn.ends].join('.'), drawn.mime ?? undefined), drawn.apps, { tipos: drawn.tipos }));
      expect([seed, outcome]).toEqual([seed, expected(drawn)]);
      const kind = outcome.replace(/:.*/, '');
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    // Every outcome was met often enough to say something.
    for (const kind of ['app', 'ask', '@viewer', '@editor', '@files']) expect([kind, (seen.get(kind) ?? 0) >= 40]).toEqual([kind, true]);
  });

  test('the order in which apps are listed changes nothing', () => {
    for (let seed = 1; seed <= rounds(500); seed += 1) {
      const drawn = draw(seed);
      const asked = file(['x', ...drawn.ends].join('.'), drawn.mime ?? undefined);
      expect([seed, said(opensWith(asked, drawn.apps.toReversed(), drawn))]).toEqual([seed, said(opensWith(asked, drawn.apps, drawn))]);
    }
  });
});
