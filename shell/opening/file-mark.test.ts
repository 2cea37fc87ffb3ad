import { describe, expect, test } from 'vitest';
import { markOf, typeName } from './file-mark.ts';
import { typeOf } from './file-type.ts';
import { opener } from './testing/openers.ts';

const own = (extensao: string) => ({ extensao, nome: 'Desenho', cor: '#224466', selo: 'TRACO', icone: null });
const apps = [opener('tracos', { extensions: ['traco', 'svg', 'py'], asks: true, proprios: [own('traco'), own('svg'), own('py')] })];
const markOfName = (nome: string) => {
  const type = typeOf({ caminho: `/home/ana/${nome}`, nome, mime: undefined }, apps);
  const mark = markOf(type, apps, {});
  return [mark.kind, mark.sheet, typeName(type, mark)];
};

// Source: rules 2.1 `opens.proprios`, 2.5 `nome`.
describe('the mark of a file', () => {
  test('of an own type that the desktop does not know is a sheet of the app, with the name of the type', () => {
    expect(markOfName('x.traco')).toEqual(['unknown', { app: 'tracos', cor: '#224466', selo: 'TRACO', icone: null }, 'Desenho']);
  });

  test.for([
    ['x.svg', 'image'],
    ['x.py', 'code'],
  ])('of %s stays the desktop’s, with the name of the type', ([nome = '', kind]) => {
    expect(markOfName(nome)).toEqual([kind, null, 'Desenho']);
  });

  test('of what no app declares has the name of its kind', () => {
    expect(markOfName('x.png')).toEqual(['image', null, expect.stringContaining('PNG')]);
  });
});
