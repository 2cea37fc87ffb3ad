/**
 * @y/websocket-server as its own `server.js` runs it. argv: port. The 0.1.5 that npm installs does not work as it stands: the server takes
 * `yjs` 14.0.0-16 and its `@y/protocols` a `@y/y` 14.0.0-rc, and the one can't apply updates to a document of the other. Here both get the
 * server's own yjs.
 */
import { registerHooks } from 'node:module';

const port = process.argv[2]!;
const server = import.meta.resolve('@y/websocket-server/server');
registerHooks({
  resolve: (specifier, context, next) => (specifier === '@y/y' ? next('yjs', { ...context, parentURL: server }) : next(specifier, context)),
});
const say = console.log;
console.log = () => say(JSON.stringify({ port: Number(port), dialect: 'y-websocket', path: '/{room}' }));
process.env['PORT'] = port;
process.env['HOST'] = '127.0.0.1';
await import('@y/websocket-server/server');
