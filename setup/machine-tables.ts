/** Prints the machines: machine × state × event with what each decides, read from the machines themselves. */
import { machinesPage } from './machine-page.ts';

process.stdout.write(machinesPage());
