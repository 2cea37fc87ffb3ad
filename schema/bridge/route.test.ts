import { describe, expect, test } from 'vitest';
import { isRoute, routeProblem } from './route.ts';

/** A browser reads an address with a route as these; what it makes of it must stay below the app's own address. */
const base = 'http://app.example/proxy/app/notas/';

describe('a route', () => {
  test.for<[string]>([
    ['nota/3'],
    ['?sala=abc'],
    ['#fim'],
    ['a/./b'],
    ['com espaço'],
    ['fim  '],
    ['a..b/c'],
    ['?volta=/a\\b'],
    ['😀'.repeat(512)],
  ])('%s is inside the app', ([route]) => {
    expect(routeProblem(route)).toBeNull();
    expect(new URL(route, base).href.startsWith(base)).toBe(true);
  });

  test.for([
    ['', 'expected a text of 1 to 512 characters'],
    ['x'.repeat(513), 'expected a text of 1 to 512 characters'],
    [7, 'expected a text of 1 to 512 characters'],
    [null, 'expected a text of 1 to 512 characters'],
    ['/nota', 'the route must be relative'],
    ['//fora.example', 'the route must be relative'],
    ['%2Ffora', 'the route must be relative'],
    ['\\\\fora.example', 'the route must be relative'],
    ['http://fora.example', 'a scheme is not allowed in a route'],
    ['javascript:alert(1)', 'a scheme is not allowed in a route'],
    [' javascript:alert(1)', 'a space at the beginning or a control character is not allowed in a route'],
    ['java\nscript:alert(1)', 'a space at the beginning or a control character is not allowed in a route'],
    ['a/.. ', '".." is not allowed in a route'],
    ['a\u007fb', 'a space at the beginning or a control character is not allowed in a route'],
    ['a\u202eb', 'a character that turns the direction of the text is not allowed in a route'],
    ['?a=\u2066b', 'a character that turns the direction of the text is not allowed in a route'],
    ['..', '".." is not allowed in a route'],
    ['a/../../b', '".." is not allowed in a route'],
    ['%2e%2E/b', '".." is not allowed in a route'],
    ['a%2f..%2fb', '".." is not allowed in a route'],
    ['a\\..\\b', '".." is not allowed in a route'],
    ['..?a', '".." is not allowed in a route'],
  ] as const)('%o is refused: %s', ([route, problem]) => {
    expect(routeProblem(route)).toBe(problem);
    expect(isRoute(route)).toBe(false);
  });
});
