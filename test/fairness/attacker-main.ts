/** The process of the attacker: follows its argument, and ends. */
import { createAttacker, type AttackerOrder } from './attack.ts';
import { attacks } from './attacks/all.ts';

const order = JSON.parse(process.argv[2] ?? '') as AttackerOrder;
const attack = attacks.find(({ name }) => name === order.attack);
if (attack === undefined) throw new Error(`no such attack: ${order.attack}`);
await attack.run(createAttacker(order));
process.exit(0);
