import { expect, test, vi } from 'vitest';
import { requestOf } from './engine-parts.ts';

test.for([
  ['voz/v1', '/../../preferencias'],
  ['voz/v1', '/%2e%2e/%2E%2e/preferencias'],
  ['voz/v1', '/..\\preferencias'],
  ['voz/v1', 'preferencias'],
  ['voz/v1/../..', '/preferencias'],
  ['../preferencias', '/'],
] as const)('a loader asks nothing beside its capabilities: %s %s', async ([capability, path]) => {
  const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('asked'));
  await expect(requestOf('voz', new AbortController().signal)(capability, path)).rejects.toThrow(TypeError);
  expect(asked).not.toHaveBeenCalled();
});
