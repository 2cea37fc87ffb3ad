import { describe, expect, test } from 'vitest';
import { isBackends, withSdkTags } from './dev-server.ts';

describe('a path is the backend’s', () => {
  test.for([
    ['/api', true],
    ['/api/ping', true],
    ['/apis', false],
    ['/', false],
    ['/src/main.ts', false],
    ['/ws', true],
    ['/ws/a', true],
    ['/@vite/client', false],
    ['/__svc/estado', true],
    ['/__svcx', false],
  ] as const)('%s: %s', ([path, is]) => expect(isBackends(path, ['/api', '/ws/'])).toBe(is));
});

describe('the tags of the SDK', () => {
  const script = '<script src="/_sdk/svc.js"></script>';
  test('come first in the head', () => {
    expect(withSdkTags('<!doctype html><html><head lang="a>b"><title>x</title></head>')).toContain(`">${script}<link`);
    expect(withSdkTags('<html><HEAD><title>x</title>')).toMatch(/^<html><HEAD><script src="\/_sdk\/svc\.js">/);
  });
  test('come before a page without a head', () => expect(withSdkTags('<p>oi')).toMatch(/^<script src="\/_sdk\/svc\.js">.*<p>oi$/));
  test('are not put in twice', () => {
    const page = `<head>${script}<link rel="stylesheet" href="/_sdk/ui/svc-ui.css"></head>`;
    expect(withSdkTags(page)).toBe(page);
  });
  test('do not mistake <header> for a head', () => expect(withSdkTags('<header>a</header>')).toMatch(/^<script/));
});
