/** The interface of every process manager in the benchmark of supervision, and the app that each of them runs. */

/** A process manager under test; apps are named a0, a1, … and note their starts in `<folder>/<name>.starts`. */
export interface Manager {
  readonly name: string;
  start(folder: string, apps: readonly string[]): Promise<void>;
  /** Pid of the manager's own process (not of its apps). */
  managerPids(): readonly number[];
  /** Before each kill: whatever makes the next failure count as the first. */
  reset(app: string): Promise<void>;
  stop(): Promise<void>;
}

/** Notes wall time in nanoseconds and its pid below the folder, then serves HTTP: on the socket that ours gives it, otherwise beside its notes. */
export const backendScript = (folder: string): string => `#!/usr/bin/perl
use Time::HiRes;
use Socket;
my $app = $ARGV[0] // $ENV{SVC_APP_ID};
open(my $notes, '>>', "${folder}/$app.starts") or die;
printf $notes "%d %d\\n", Time::HiRes::time() * 1e9, $$;
close $notes;
my $path = $ENV{SVC_APP_SOCKET} // "${folder}/$app.sock";
unlink $path;
socket(my $server, PF_UNIX, SOCK_STREAM, 0) or die;
bind($server, sockaddr_un($path)) or die;
listen($server, 64) or die;
while (accept(my $client, $server)) {
  sysread $client, my $request, 65536;
  syswrite $client, "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n";
  close $client;
}
`;
