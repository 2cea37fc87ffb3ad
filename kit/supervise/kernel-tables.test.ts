import { describe, expect, test } from 'vitest';
import { parseListening } from './tcp-ports.ts';
import { parseUnixSockets } from './unix-sockets.ts';

const unixTable = `Num       RefCount Protocol Flags    Type St Inode Path
000000009cf1f152: 00000003 00000000 00000000 0001 03  1062
000000001a6e2bb1: 00000002 00000000 00010000 0001 01 38101 /home/ana/.svc-apps/notas/app.sock
000000001a6e2bb2: 00000003 00000000 00000000 0001 03 38102 /home/ana/.svc-apps/notas/app.sock
000000001a6e2bb3: 00000003 00000000 00000000 0001 03 38103 /home/ana/.svc-apps/notas/app.sock
000000001a6e2bb4: 00000002 00000000 00010000 0001 01 38104 /home/ana x/.svc-apps/relogio/app.sock
000000001a6e2bb5: 00000002 00000000 00000000 0002 01 38105 @abstract
000000001a6e2bb6: 00000002 00000000 00010000 0001 01 38106 @of another /home/ana/.svc-apps/notas/app.sock
000000001a6e2bb7: 00000002 00000000 00010000 0001 01 38107 /srv/home/ana/.svc-apps/notas/app.sock
`;

describe("the kernel's tables", () => {
  test('unix sockets by path: who listens and which connections are open', () => {
    expect([...parseUnixSockets(unixTable, '/home')]).toEqual([
      ['/home/ana/.svc-apps/notas/app.sock', { listening: true, connections: ['38102', '38103'] }],
      ['/home/ana x/.svc-apps/relogio/app.sock', { listening: true, connections: [] }],
    ]);
  });

  test('sockets of others are left out, also those whose name holds a path of ours', () => {
    expect([...parseUnixSockets(unixTable, '/home/ana/.svc-apps').keys()]).toEqual(['/home/ana/.svc-apps/notas/app.sock']);
    expect(parseUnixSockets(unixTable, '/home/an').size).toBe(0);
    expect(parseUnixSockets(unixTable.trimEnd(), '/srv').size).toBe(1);
  });

  test('another shape is an error, not an empty list', () => {
    expect(() => parseUnixSockets('something else\n', '/home')).toThrow('another shape');
  });

  test('TCP ports that are listened on', () => {
    const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F91 0100007F:C000 01 00000000:00000000 00:00000000 00000000  1000        0 41002 1 0000000000000000 20 4 30 10 -1
`;
    expect(parseListening(table)).toEqual([{ port: 8080, inode: '41001' }]);
  });
});
