// A fork server: a program that has loaded its libraries, and stops before its main function. For each request it forks a child,
// which goes on as if the program had just been started with the request's arguments. FFmpeg's tools spend a tenth of a second of
// the processor on linking two hundred libraries. The tests call them thousands of times.
//
// SPOOL_FORK_SERVER holds the number of a connected stream socket. Without it, the program starts as usual. A request is a length in
// 4 bytes, in the machine's order, and as many bytes of strings, each with a zero at its end: the paths of the child's standard input,
// output and error, then its arguments, the program's name first. The answer is the child's status as wait(2) gives it, in 4 bytes.
// One request is served at a time. The process ends when the socket is closed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int Main(int, char **, char **);
typedef int Start(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

enum { most_bytes = 1 << 20, most_words = 4096, failed = 127 };

// Reads all of the bytes; 0 when the socket is closed.
static int take(int socket, void *bytes, size_t count) { return recv(socket, bytes, count, MSG_WAITALL) == (ssize_t)count; }

// Makes `path` the stream of that number. The server's own files are /dev/null.
static void redirect(const char *path, int stream) {
  int opened = open(path, stream == 0 ? O_RDONLY : O_WRONLY | O_APPEND);
  if (opened < 0 || dup2(opened, stream) < 0) _exit(failed);
  if (opened > 2) close(opened);
}

// This function stands before the C library's one, which the program calls first and which calls its main function.
int __libc_start_main(
    Main *main, int argc, char **argv, void (*begin)(void), void (*end)(void), void (*linker_end)(void), void *stack) {
  Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  const char *number = getenv("SPOOL_FORK_SERVER");
  if (!number) return start(main, argc, argv, begin, end, linker_end, stack);
  int door = atoi(number);
  unsetenv("SPOOL_FORK_SERVER");
  unsetenv("LD_PRELOAD");

  static char text[most_bytes];
  static char *words[most_words + 1];
  uint32_t length;
  while (take(door, &length, sizeof length) && length > 0 && length <= most_bytes && take(door, text, length) && text[length - 1] == 0) {
    int count = 0;
    for (char *word = text; word < text + length && count < most_words; word += strlen(word) + 1) words[count++] = word;
    words[count] = NULL;
    if (count < 4) break;
    pid_t server = getpid();
    pid_t child = fork();
    if (child == 0) {
      // The child ends with the server, which is killed when it takes too long.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != server) _exit(failed);
      close(door);
      for (int stream = 0; stream < 3; stream++) redirect(words[stream], stream);
      return start(main, count - 3, words + 3, begin, end, linker_end, stack);
    }
    int status = failed << 8;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (send(door, &status, sizeof status, MSG_NOSIGNAL) != sizeof status) break;
  }
  _exit(0);
}
