import { describe, expect, test } from 'vitest';
import { crumbsOf, exactName, isWithin, joinPath, nameOfPath, parentOf, wayBetween } from './file-path.ts';

describe('paths', () => {
  test('a typed name becomes exact, and is shown as typed', () => {
    expect(joinPath('/home/ana', exactName('100%.txt'))).toBe('/home/ana/100%25.txt');
    expect(nameOfPath('/home/ana/100%25.txt')).toBe('100%.txt');
    expect(joinPath('/', 'etc')).toBe('/etc');
  });

  test('bytes that are no UTF-8 are shown as what can not be read', () => {
    expect(nameOfPath('/home/ana/caf%E9')).toBe('caf\u{fffd}');
    expect(nameOfPath('/')).toBe('/');
  });

  test.for([
    ['/', null],
    ['/etc', '/'],
    ['/home/ana', '/home'],
    ['~', null],
  ] as const)('the folder of %s is %s', ([path, parent]) => expect(parentOf(path)).toBe(parent));

  test('within is by whole names', () => {
    expect(isWithin('/home/ana', '/home/ana')).toBe(true);
    expect(isWithin('/home/ana/x', '/home/ana')).toBe(true);
    expect(isWithin('/home/anabel', '/home/ana')).toBe(false);
    expect(isWithin('/x', '/')).toBe(true);
  });

  test.for([
    ['/home/ana', '/home/ana/a/b%C3%A1 c/x.txt', 'a/bá c'],
    ['/', '/etc/ssh/x', 'etc/ssh'],
    ['/home/ana', '/home/ana/x.txt', ''],
    ['/', '/x', ''],
    ['/home/ana', '/home/anabel/x/y', ''],
  ] as const)('from %s to %s it goes through "%s"', ([folder, path, way]) => expect(wayBetween(folder, path)).toBe(way));

  test('crumbs begin at the home where the path is in it', () => {
    expect(crumbsOf('/home/ana/a/b', '/home/ana', 'Início').map(({ name }) => name)).toEqual(['Início', 'a', 'b']);
    expect(crumbsOf('/etc/ssh', '/home/ana', 'Início').map(({ path }) => path)).toEqual(['/', '/etc', '/etc/ssh']);
    expect(crumbsOf('/', '/home/ana', 'Início')).toEqual([{ path: '/', name: '/' }]);
  });
});
