/** The row `homes` of `svc doctor`. */
import { expect, test } from 'vitest';
import { homesCheck } from './homes-check.ts';

const person = (name: string, disk?: string) => ({ name, link: { view: () => ({ supervisor: disk === undefined ? {} : { disk } }) } });

test('names the people whose home takes no more, and only these', () => {
  expect(homesCheck([person('ana'), { name: 'eva', link: { view: () => ({ supervisor: null }) } }])).toMatchObject({ ok: true });
  expect(homesCheck([person('ana'), person('bea', "the home /home/bea can't be written: EDQUOT")])).toMatchObject({
    name: 'homes',
    ok: false,
    warning: false,
    detail: { en: "bea: the home /home/bea can't be written: EDQUOT" },
  });
});
