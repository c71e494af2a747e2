// System calls that Glibc's Swift overlay does not offer: GNU extensions, variadic ones, or younger than its module map.
// Only declarations: a header that set _GNU_SOURCE would give Glibc's types a second definition.
#ifndef SPOOL_CLINUX_H
#define SPOOL_CLINUX_H

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

/// pidfd_open(2): a descriptor that polls readable when the process ends; -1 and errno on failure.
int spool_pidfd_open(pid_t pid);

/// pidfd_send_signal(2): to the process that the descriptor means, and to no other; 0, or -1 and errno.
int spool_pidfd_send_signal(int pidfd, int signal);

/// prctl(PR_SET_PDEATHSIG): the signal this process gets when the thread that started it dies; 0, or -1 and errno.
int spool_set_parent_death_signal(int signal);

/// prlimit(2) with one value for both limits; 0, or -1 and errno.
int spool_limit(pid_t pid, int resource, unsigned long value);

/// pipe2(O_CLOEXEC): the reading end, then the writing end; 0, or -1 and errno.
int spool_pipe(int ends[2]);

/// close_range(2) with CLOSE_RANGE_UNSHARE: gives the calling thread a table of descriptors of its own, with those below `first`;
/// 0, or -1 and errno.
int spool_separate_descriptors(int first);

/// memfd_create(2), close-on-exec, to be sealed; -1 and errno on failure.
int spool_memory_file(const char *name);

/// The exit code of a process that ends since the writing ends of its pipe were closed.
enum { SPOOL_CUT = 75 };

/// Starts a thread that ends this process as soon as nobody has the writing end of a pipe any more, however that came; 0, or -1 and errno.
int spool_end_when_cut(int descriptor);

/// wcwidth(3) by the C library's own table of Unicode, whatever the locale: columns of a terminal; -1 where it shows nothing.
int spool_columns(unsigned scalar);

/// The GNU extensions of posix_spawn(3): 0 or an error number.
int spool_spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *path);
int spool_spawn_add_close_from(posix_spawn_file_actions_t *actions, int first);

/// Whether systemd has marked a control group as given away (Delegate= of systemd.resource-control(5)).
int spool_has_delegation_mark(const char *group);

/// The flag that makes the child lead a session, and so a process group, of its own.
short spool_spawn_leads_session(void);

/// Blocks the signals for the calling thread and opens a signalfd(2) for them, close-on-exec and non-blocking;
/// -1 and errno on failure.
int spool_signal_descriptor(const int *signals, int count);

/// The next signal from such a descriptor; 0 when none waits; -1 and errno on failure.
int spool_next_signal(int descriptor);

/// prctl(PR_SET_NO_NEW_PRIVS): no program that this process starts gets rights it has not; 0, or -1 and errno.
int spool_no_new_privileges(void);

/// The version of Landlock that the kernel offers (landlock(7)); 0 where there is none.
int spool_landlock_version(void);

/// A set of rules that handles all that the version knows: a descriptor, close-on-exec; -1 and errno on failure.
int spool_landlock_create(void);

/// Allows reading, or making, writing and removing as well, of `path` and what lies below it; 0, or -1 and errno.
int spool_landlock_allow(int ruleset, const char *path, int writing);

/// Allows this thread, and those it starts later, nothing but what the rules allow; 0, or -1 and errno.
int spool_landlock_enforce(int ruleset);

/// Whether the kernel can refuse system calls (seccomp(2)).
int spool_can_filter_system_calls(void);

/// What a confined process does: it reads media; it writes a segment, too; it joins segments and publishes movies.
enum { SPOOL_EXAMINES = 0, SPOOL_RENDERS = 1, SPOOL_JOINS = 2 };

/// From now on all threads may make the system calls that their role needs, and no others: those are refused by EPERM or ENOSYS. 0, or -1
/// and errno, or the number of a thread that would not be filtered.
int spool_filter_system_calls(int role);

/// Gives up all capabilities of this thread but those whose bits are set (capabilities(7)), and those that it starts later; 0, or -1 and
/// errno.
int spool_keep_capabilities(uint64_t kept);

/// openat2(2) of a folder below another one, where no link, nor any way upwards, is followed: O_RDONLY, close-on-exec; -1 and errno on
/// failure, ENOSYS before Linux 5.6.
int spool_open_folder_beneath(int root, const char *path);

/// Becomes an ordinary user for good: no other group, no capability, and no program that gives any; 0, or -1 and errno. Clears the signal
/// of a parent's death.
int spool_become(uid_t user, gid_t group);

/// Whether this process may become other users at all (CAP_SETUID, CAP_SETGID).
int spool_may_become_others(void);

/// A socket that listens under a name in an open folder, for one user (0600), close-on-exec; -1 and errno on failure.
int spool_listen(int folder, const char *name, uid_t user);

/// Connects to such a socket, close-on-exec, with a limit of seconds to wait for each message; -1 and errno on failure.
int spool_connect(int folder, const char *name, int seconds);

/// Takes a connection, close-on-exec, with a limit of seconds to send each message, from that user or root alone: from others -1 and EACCES.
int spool_accept(int listener, uid_t user, int seconds);

/// Sends a message with a descriptor (SCM_RIGHTS); 0, or -1 and errno.
int spool_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

/// The next message and its descriptor, close-on-exec, -1 where it has none: how long it is; 0 at the end; -1 and errno on failure.
long spool_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor);

/// fcntl(F_ADD_SEALS) on a file in memory: it stays as long as it is, and so do its bytes unless they are `writable`; 0, or -1 and errno.
int spool_seal(int descriptor, int writable);

#endif
