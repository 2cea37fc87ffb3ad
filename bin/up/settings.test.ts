import { expect, test } from 'vitest';
import { joinAt } from './settings.ts';

test('where the others reach a portal', () => {
  expect(joinAt('10.0.0.2:8788')).toEqual({ listenHost: '10.0.0.2', listenPort: 8788 });
  expect(joinAt('[2001:db8::1]:8788')).toEqual({ listenHost: '2001:db8::1', listenPort: 8788 });
});

test.for([
  'nonsense',
  '127.0.0.1',
  ':8788',
  '10.0.0.2:99999',
  'http://10.0.0.2:8788',
  '10.0.0.2:0',
  '0.0.0.0:8788',
  '[::]:8788',
  '[0:0::]:8788',
])('%s is refused by the name of the option', (address) => {
  expect(() => joinAt(address)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(`--join "${address}"`) as string }),
  );
});
