/** `node setup/judge-expressions.ts`: judges the regular expressions that are new, and writes which are linear. `--all`: all of them again, for minutes. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashOf, isPlainlyLinear, judgedAll, madeExpressions, writtenExpressions, type Expression } from './expressions.ts';

const file = path.join(import.meta.dirname, 'judged-expressions.json');
const known = new Set(process.argv.includes('--all') ? [] : (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]));
const all = [...writtenExpressions().expressions, ...(await madeExpressions())].filter((one) => !isPlainlyLinear(one));
const byHash = new Map<string, Expression>(all.map((one) => [hashOf(one), one]));
const linear = Array.from(byHash.keys()).filter((hash) => known.has(hash));
await judgedAll(
  Array.from(byHash.values()).filter((one) => !known.has(hashOf(one))),
  (one, found) => {
    if (found === null) linear.push(hashOf(one));
    else console.log(found);
  },
);
writeFileSync(file, `${JSON.stringify(linear.toSorted(), null, 2)}\n`);
console.log(`${byHash.size} expressions that repeat something, ${linear.length} of them linear`);
process.exit(linear.length === byHash.size ? 0 : 1);
