import { describe, expect, test } from 'vitest';
import { appBasePath, appUrl, classifyHost, isSecureContext, siteOf } from './hosts.ts';
import { cleanLocalPath } from './navigation.ts';
import { splitProxyPath } from '../front.ts';

const site = siteOf('http://svc.localhost:8787', 8787, 'subdomain');

describe('the Host header decides where a request goes', () => {
  test.for([
    ['svc.localhost:8787', { kind: 'shell' }],
    ['SVC.localhost:8787', { kind: 'shell' }],
    ['notas.svc.localhost:8787', { kind: 'app', app: 'notas' }],
    ['NOTAS.svc.localhost:8787', { kind: 'app', app: 'notas' }],
    ['a-1.svc.localhost:8787', { kind: 'app', app: 'a-1' }],
    ['xn--prvia-csa.svc.localhost:8787', { kind: 'files' }],
    ['x.xn--prvia-csa.svc.localhost:8787', { kind: 'other' }],
    ['svc.localhost', { kind: 'other' }],
    ['svc.localhost.:8787', { kind: 'other' }],
    ['svc.localhost:8788', { kind: 'other' }],
    ['svc.localhost:8787:80', { kind: 'other' }],
    ['notas.svc.localhost:8787:80', { kind: 'other' }],
    ['127.0.0.1:8787', { kind: 'other' }],
    ['localhost:8787', { kind: 'other' }],
    ['evil.example', { kind: 'other' }],
    ['evilsvc.localhost:8787', { kind: 'other' }],
    ['a.b.svc.localhost:8787', { kind: 'other' }],
    ['.svc.localhost:8787', { kind: 'other' }],
    ['no_tas.svc.localhost:8787', { kind: 'other' }],
    [`${'a'.repeat(49)}.svc.localhost:8787`, { kind: 'app', app: 'a'.repeat(49) }],
    [`${'a'.repeat(50)}.svc.localhost:8787`, { kind: 'other', why: expect.stringContaining('at most 49 characters, found 50') }],
    ['-a.svc.localhost:8787', { kind: 'other', why: expect.stringContaining('no "-" first') }],
    ['notas.svc.localhost:8787@evil', { kind: 'other' }],
    ['', { kind: 'other' }],
    [undefined, { kind: 'other' }],
  ] as const)('%s', ([host, kind]) => {
    expect(classifyHost(host, site)).toEqual(kind);
  });

  test('path mode knows no app origins', () => {
    const path = siteOf('http://svc.localhost:8787', 8787, 'path');
    expect(classifyHost('notas.svc.localhost:8787', path)).toEqual({ kind: 'other' });
    expect(classifyHost('xn--prvia-csa.svc.localhost:8787', path)).toEqual({ kind: 'other' });
    expect(appUrl(path, 'notas')).toBe('http://svc.localhost:8787/proxy/app/notas/');
    expect(appBasePath(path, 'notas')).toBe('/proxy/app/notas/');
  });

  test('the port of the scheme may be left out by either side', () => {
    const https = siteOf('https://apps.example.org', 8787, 'subdomain');
    expect(classifyHost('apps.example.org', https)).toEqual({ kind: 'shell' });
    expect(classifyHost('apps.example.org:443', https)).toEqual({ kind: 'shell' });
    expect(classifyHost('notas.apps.example.org:443', https)).toEqual({ kind: 'app', app: 'notas' });
    expect(appUrl(https, 'notas')).toBe('https://notas.apps.example.org/');
  });

  test('port 0 in the url stands for the port that was taken', () => {
    expect(siteOf('http://svc.localhost:0', 4711, 'subdomain').origin).toBe('http://svc.localhost:4711');
  });

  test.for([
    ['http://svc.localhost:1', true],
    ['http://localhost:1', true],
    ['https://apps.example.org', true],
    ['http://apps.example.org', false],
    ['http://evillocalhost', false],
  ] as const)('%s is a secure context: %s', ([url, secure]) => {
    expect(isSecureContext(siteOf(url, 1, 'subdomain'))).toBe(secure);
  });
});

describe('paths that a redirect may lead to', () => {
  test.for(['/', '/a/b?c=d&e=%2f', '/a//b', '/?ir=//x', '/%2f%2fevil', '/a:b@c'])('%s is clean', (path) => {
    expect(cleanLocalPath(path)).toBe(path);
  });
  test.for([
    '',
    'a',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '\\\\evil',
    'http://evil',
    'javascript:alert(1)',
    '/a b',
    '/a\r\nset-cookie: x=1',
    '/a\tb',
    '/\u0000',
    '/#x',
    '/é',
    ` /`,
    `/${'a'.repeat(2_048)}`,
  ])('%j is refused', (path) => {
    expect(cleanLocalPath(path)).toBeNull();
  });
});

describe('the prefix of path mode', () => {
  test.for([
    ['/proxy/app/notas/', { app: 'notas', rest: '/' }],
    ['/proxy/app/notas', { app: 'notas', rest: '' }],
    ['/proxy/app/notas?x=1', { app: 'notas', rest: '?x=1' }],
    ['/proxy/app/notas/a/../b?x', { app: 'notas', rest: '/a/../b?x' }],
    ['/proxy/app/notas//x', { app: 'notas', rest: '//x' }],
    ['/proxy/app/', null],
    ['/proxy/app/No/', null],
    ['/proxy/app/%6eotas/', null],
    ['/proxy/app/../x/', null],
    ['/%70roxy/app/notas/', null],
    ['//proxy/app/notas/', null],
    ['/proxy/apps/notas/', null],
  ] as const)('%s', ([url, expected]) => {
    expect(splitProxyPath(url)).toEqual(expected);
  });
});
