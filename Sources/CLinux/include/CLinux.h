// System calls that Glibc's Swift overlay does not offer: GNU extensions, variadic ones, or younger than its module map.
// Only declarations: a header that set _GNU_SOURCE would give Glibc's types a second definition.
#ifndef SPOOL_CLINUX_H
#define SPOOL_CLINUX_H

#include <spawn.h>
#include <sys/types.h>

/// pidfd_open(2): a descriptor that polls readable when the process ends; -1 and errno on failure.
int spool_pidfd_open(pid_t pid);

/// prctl(PR_SET_PDEATHSIG): the signal this process gets when the thread that started it dies; 0, or -1 and errno.
int spool_set_parent_death_signal(int signal);

/// prlimit(2) with one value for both limits; 0, or -1 and errno.
int spool_limit(pid_t pid, int resource, unsigned long value);

/// pipe2(O_CLOEXEC): the reading end, then the writing end; 0, or -1 and errno.
int spool_pipe(int ends[2]);

/// memfd_create(2), close-on-exec; -1 and errno on failure.
int spool_memory_file(const char *name);

/// The GNU extensions of posix_spawn(3): 0 or an error number.
int spool_spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *path);
int spool_spawn_add_close_from(posix_spawn_file_actions_t *actions, int first);

/// Blocks the signals for the calling thread and opens a signalfd(2) for them, close-on-exec and non-blocking;
/// -1 and errno on failure.
int spool_signal_descriptor(const int *signals, int count);

/// The next signal from such a descriptor; 0 when none waits; -1 and errno on failure.
int spool_next_signal(int descriptor);

#endif
