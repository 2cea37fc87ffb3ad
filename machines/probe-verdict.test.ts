import { expect, it } from 'vitest';
import { probeVerdict } from './probe-verdict.ts';

// Source: rules 3.2, table of verdicts, as literals.
it.for([
  [0, false],
  [200, true],
  [204, true],
  [301, true],
  [302, true],
  [400, true],
  [401, false],
  [402, true],
  [403, false],
  [404, true],
  [418, true],
  [499, true],
  [500, false],
  [502, false],
  [503, false],
  [599, false],
  [101, false],
  [600, false],
  [-1, false],
] as const)('code %i: ready %s', ([code, ready]) => {
  expect(probeVerdict(code).ready).toBe(ready);
});

it.for([
  [0, 'NeverBound'],
  [401, 'AnswersError'],
  [403, 'AnswersError'],
  [500, 'AnswersError'],
  [404, 'Healthy'],
] as const)('code %i is explained by %s', ([code, reason]) => {
  expect(probeVerdict(code).reason).toBe(reason);
});

// Source: rules 5: the marker of the gate separates its 403 from one of the app.
it.for([
  [403, 'RefusesToken'],
  [401, 'AnswersError'],
  [200, 'Healthy'],
] as const)('code %i with the marker of the gate is explained by %s', ([code, reason]) => {
  expect(probeVerdict(code, true).reason).toBe(reason);
});
