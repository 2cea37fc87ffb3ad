/** What the benchmark of supervision asks of every process manager, and the app that each of them runs. */

/** One process manager under test; apps are named a0, a1, … and note their starts in `<folder>/<name>.starts`. */
export interface Manager {
  readonly name: string;
  start(folder: string, apps: readonly string[]): Promise<void>;
  /** Pid of the manager's own process (not of its apps). */
  managerPids(): readonly number[];
  /** Before each kill: whatever makes the next failure count as the first. */
  reset(app: string): Promise<void>;
  stop(): Promise<void>;
}

/** Notes wall time in nanoseconds and its pid, then serves HTTP on a unix socket: with one argument beside its notes, with two at the second. */
export const backendScript = `#!/usr/bin/perl
use Time::HiRes;
use Socket;
my ($app, $path) = @ARGV;
open(my $notes, '>>', "$ENV{STARTS_FOLDER}/$app.starts") or die;
printf $notes "%d %d\\n", Time::HiRes::time() * 1e9, $$;
close $notes;
$path = "$ENV{STARTS_FOLDER}/$app.sock" unless defined $path;
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
