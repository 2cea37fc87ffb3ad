/** @hocuspocus/server on its defaults, without its start screen. argv: port, and that of a Redis through which it speaks with others of its kind. */
import { Server } from '@hocuspocus/server';

const port = Number(process.argv[2]);
const redisPort = process.argv[3];
const throughRedis = async (at: number) => new (await import('@hocuspocus/extension-redis')).Redis({ host: '127.0.0.1', port: at });
const extensions = redisPort === undefined ? [] : [await throughRedis(Number(redisPort))];
await new Server({ port, address: '127.0.0.1', quiet: true, extensions }).listen();
console.log(JSON.stringify({ port, dialect: 'hocuspocus', path: '/' }));
