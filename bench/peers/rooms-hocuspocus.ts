/** @hocuspocus/server on its defaults, without its start screen. argv: port. */
import { Server } from '@hocuspocus/server';

const port = Number(process.argv[2]);
await new Server({ port, address: '127.0.0.1', quiet: true }).listen();
console.log(JSON.stringify({ port, dialect: 'hocuspocus', path: '/' }));
