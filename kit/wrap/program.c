/*
 * The program runs below a guard: a child of the wrapper that only waits. The guard ends the program's group when the wrapper ends, and its exit code
 * tells how the program ended. It is the subreaper of the program: a process that made a session of its own does not escape.
 */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t guard = -1;
static int code = -1, leash[2] = {-1, -1}; /* guard, wrapper; the wrapper's end is its death */

/* Messages of one letter: the wrapper's two requests, and the guard's word that it is set up. */
enum { ASK_END = 't', ASK_SOCKET = '4', ASK_SOCKET_SIX = '6', TOLD_READY = 'n' };

void close_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (int fd = first, max = (int)sysconf(_SC_OPEN_MAX); fd < max; fd++) close(fd);
}

/* Two descriptors for each connection, and pipes. The program gets back what we were started with: select() knows no more than 1024. */
static struct rlimit descriptors;
void raise_descriptors(void) {
  if (getrlimit(RLIMIT_NOFILE, &descriptors) < 0) return;
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){descriptors.rlim_max < DESCRIPTORS ? descriptors.rlim_max : DESCRIPTORS, descriptors.rlim_max});
}

static void __attribute__((noreturn)) become_program(pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  setrlimit(RLIMIT_NOFILE, &descriptors);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO), close(nothing);
  for (const char **pair = options.set; pair != NULL && *pair != NULL; pair++) putenv((char *)*pair);
  execvp(options.command[0], options.command);
  say("o programa não pôde ser iniciado: %s: %s", options.command[0], strerror(errno));
  _exit(127);
}

/* Every process below this one. A killed one may have left children that came up to us: until there is none. */
void kill_all_below(void) {
  for (int round = 0; round < 1000; round++) {
    char path[64], list[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? 0 : read(file, list, sizeof list - 1);
    if (file >= 0) close(file);
    if (bytes <= 0) return;
    list[bytes] = 0;
    /* A number that did not fit whole is another process's. */
    if (bytes == sizeof list - 1 && strrchr(list, ' ') != NULL) *strrchr(list, ' ') = 0;
    for (char *rest = list, *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
      if (atoi(word) > 1) kill(atoi(word), SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
  }
}

/* Ends all that the program left. The guard's exit code is the program's, or 128 and its signal. */
static void __attribute__((noreturn)) end_guard(pid_t program, int status) {
  kill(-program, SIGKILL);
  kill_all_below();
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

bool has_own_network(void) { return options.by_port && options.network == NETWORK_OWN; }

/* A descriptor beside one letter. */
union rights {
  char space[CMSG_SPACE(sizeof(int))];
  struct cmsghdr align;
};

static void give_socket(bool six) {
  int made = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  char letter = ASK_SOCKET;
  union rights rights = {0};
  struct iovec part = {&letter, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (made >= 0) {
    message.msg_control = rights.space;
    message.msg_controllen = sizeof rights.space;
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    *first = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(first), &made, sizeof made);
  }
  sendmsg(leash[0], &message, MSG_NOSIGNAL);
  if (made >= 0) close(made);
}

int ask_socket(bool six) {
  char letter = six ? ASK_SOCKET_SIX : ASK_SOCKET;
  int made = -1;
  union rights rights;
  struct iovec part = {&letter, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = rights.space, .msg_controllen = sizeof rights.space};
  if (ending || send(leash[1], &letter, 1, MSG_NOSIGNAL) != 1 || recvmsg(leash[1], &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *first = CMSG_FIRSTHDR(&message);
  if (first != NULL && first->cmsg_type == SCM_RIGHTS) memcpy(&made, CMSG_DATA(first), sizeof made);
  return made;
}

static int64_t monotonic_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

static void __attribute__((noreturn)) become_guard(void) {
  prctl(PR_SET_NAME, "svc-wrap-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setpgid(0, 0);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  /* Nothing of the wrapper's stays open here: its listener would seem alive after it. */
  leash[0] = dup2(leash[0], STDERR_FILENO + 1);
  close_from(leash[0] + 1);
  forget_token();
  fcntl(leash[0], F_SETFD, FD_CLOEXEC);
  if (has_own_network()) enter_own_network();
  char told = TOLD_READY;
  send(leash[0], &told, 1, MSG_NOSIGNAL);
  pid_t guard_self = getpid(), program = fork();
  if (program == 0) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    become_program(guard_self);
  }
  if (program < 0) _exit(126);
  setpgid(program, program); /* here as well: whoever comes first */
  /* SIGCHLD is let in only while we wait: none comes between a look and the wait after it. */
  sigset_t child, waiting;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &waiting);
  for (int64_t kill_at = -1;;) {
    int status;
    for (pid_t gone; (gone = waitpid(-1, &status, WNOHANG)) > 0;)
      if (gone == program) end_guard(program, status);
    int64_t left = kill_at < 0 ? 0 : kill_at - monotonic_ms();
    if (kill_at >= 0 && left <= 0) {
      kill(-program, SIGKILL);
      kill(program, SIGKILL);
      left = 10;
    }
    struct pollfd wait = {.fd = kill_at < 0 ? leash[0] : -1, .events = POLLIN};
    struct timespec at_most = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
    if (ppoll(&wait, 1, kill_at < 0 ? NULL : &at_most, &waiting) <= 0) continue;
    char letter;
    ssize_t got = recv(leash[0], &letter, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    bool is_dead = got <= 0;
    if (!is_dead && letter != ASK_END) {
      give_socket(letter == ASK_SOCKET_SIX);
      continue;
    }
    kill(-program, SIGTERM);
    kill(-program, SIGCONT);
    kill_at = monotonic_ms() + (is_dead ? END_GRACE_MS / 2 : END_GRACE_MS);
  }
}

static void on_child(int signal_number) { (void)signal_number; }

void start_program(void) {
  struct sigaction act = {.sa_handler = on_child};
  sigaction(SIGCHLD, &act, NULL);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, leash) < 0 || (guard = fork()) < 0) {
    say("o programa não pôde ser iniciado: %s", strerror(errno));
    exit(EXIT_FAILED);
  }
  if (guard == 0) become_guard();
  close(leash[0]);
  char told = 0;
  if (recv(leash[1], &told, 1, 0) == 1 && told == TOLD_READY && has_own_network()) start_outgoing(guard);
  /* A guard that was stopped holds up nobody for ever. */
  struct timeval wait = {.tv_sec = GUARD_MS / 1000};
  setsockopt(leash[1], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
}

pid_t guard_pid(void) { return guard; }

int program_code(void) {
  int status;
  for (pid_t gone; (gone = waitpid(-1, &status, WNOHANG)) > 0; busy_ended(gone, status))
    if (gone == guard) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code;
}

void end_program(void) {
  char letter = ASK_END;
  send(leash[1], &letter, 1, MSG_NOSIGNAL);
}

void kill_program(void) {
  close(leash[1]);
  leash[1] = -1;
}
