/** @hocuspocus/server on its defaults, without its start screen. argv: port. Answers 'heap' over IPC with its memory after a collection. */
import { Server } from '@hocuspocus/server';
import { answerHeap } from './rooms-heap.ts';

const port = Number(process.argv[2]);
await new Server({ port, address: '127.0.0.1', quiet: true }).listen();
answerHeap();
console.log(JSON.stringify({ port, dialect: 'hocuspocus', path: '/' }));
