// System calls that Glibc's Swift module does not offer: GNU extensions, variadic functions, and calls newer than its module map.
// This header has declarations only. If it set _GNU_SOURCE, Glibc's types would get a second definition.
#ifndef SPOOL_CLINUX_H
#define SPOOL_CLINUX_H

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

/// pidfd_open(2): opens a descriptor that polls readable when the process ends; -1 and errno on failure.
int spool_pidfd_open(pid_t pid);

/// pidfd_send_signal(2): sends a signal to the process of the descriptor and to no other; 0, or -1 and errno.
int spool_pidfd_send_signal(int pidfd, int signal);

/// prctl(PR_SET_PDEATHSIG): sets the signal that this process gets when the thread that started it dies; 0, or -1 and errno.
int spool_set_parent_death_signal(int signal);

/// pipe2(2) with O_CLOEXEC: makes a pipe. ends[0] is the reading end, ends[1] the writing end; 0, or -1 and errno.
int spool_pipe(int ends[2]);

/// sched_setscheduler(2) with SCHED_IDLE, and the lowest priority for the case that it is refused: this process, and all threads that it
/// makes from here on, run where nothing else wants to.
void spool_run_when_idle(void);

/// close_range(2) with CLOSE_RANGE_UNSHARE: gives the calling thread a descriptor table of its own, which keeps only the
/// descriptors below `first`; 0, or -1 and errno.
int spool_separate_descriptors(int first);

/// malloc_trim(3), then mallopt(3): gives back the memory that is free now, and keeps from then on what is freed. Blocks of up to
/// `largest_block` bytes come from the heap, and up to `most_kept` free bytes stay at its end. Whatever is refused stays as it was.
void spool_keep_freed_memory(int largest_block, int most_kept);

/// memfd_create(2): makes an empty file in memory that can be sealed, close-on-exec; -1 and errno on failure.
int spool_memory_file(const char *name);

/// The exit code of a process that ended because the writing end of its pipe was closed.
enum { SPOOL_CUT = 75 };

/// Starts a thread that ends this process as soon as every writing end of the pipe is closed, for whatever reason. `descriptor`
/// is the pipe's reading end. Returns 0, or -1 and errno.
int spool_end_when_cut(int descriptor);

/// wcwidth(3) with the C library's own Unicode table, whatever the locale is: the columns that a character takes on a terminal;
/// -1 for a character that is not printable.
int spool_columns(unsigned scalar);

/// The GNU extensions of posix_spawn(3); 0 or an error number.
int spool_spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *path);
int spool_spawn_add_close_from(posix_spawn_file_actions_t *actions, int first);

/// Whether systemd has marked a control group as delegated (Delegate= of systemd.resource-control(5)).
int spool_has_delegation_mark(const char *group);

/// The flag of posix_spawn(3) that makes the child lead a new session, and so a new process group.
short spool_spawn_leads_session(void);

/// Blocks the signals for the calling thread and opens a signalfd(2) for them, which is close-on-exec and does not block; -1 and
/// errno on failure.
int spool_signal_descriptor(const int *signals, int count);

/// The number of the next signal from such a descriptor; 0 when none waits; -1 and errno on failure.
int spool_next_signal(int descriptor);

/// prctl(PR_SET_NO_NEW_PRIVS): from now on, no program that this process starts gains rights; 0, or -1 and errno.
int spool_no_new_privileges(void);

/// The version of Landlock that the kernel offers (landlock(7)); 0 where it offers none.
int spool_landlock_version(void);

/// Makes an empty set of rules for all kinds of access that the kernel's version knows. Returns a descriptor, close-on-exec; -1
/// and errno on failure.
int spool_landlock_create(void);

/// Adds a rule that allows reading `path` and everything below it and, when `writing` is not 0, also making, writing and
/// removing; 0, or -1 and errno.
int spool_landlock_allow(int ruleset, const char *path, int writing);

/// Restricts this thread, and the threads that it starts later, to what the rules allow; 0, or -1 and errno.
int spool_landlock_enforce(int ruleset);

/// Whether the kernel can filter system calls (seccomp(2)).
int spool_can_filter_system_calls(void);

/// The role of a confined process: it examines media, it also writes a segment, or it muxes segments and publishes movies.
enum { SPOOL_EXAMINES = 0, SPOOL_RENDERS = 1, SPOOL_MUXES = 2 };

/// Restricts all threads from now on to the system calls that the role needs. Other calls fail with EPERM or ENOSYS. Returns 0,
/// -1 and errno, or the ID of a thread that could not be filtered.
int spool_filter_system_calls(int role);

/// Gives up all capabilities of this thread except those whose bits are set (capabilities(7)). Threads that it starts later have
/// the same. Returns 0, or -1 and errno.
int spool_keep_capabilities(uint64_t kept);

/// openat2(2): opens a folder below another one, read-only and close-on-exec, and follows no link and no way upwards; -1 and
/// errno on failure, ENOSYS before Linux 5.6.
int spool_open_folder_beneath(int root, const char *path);

/// Gives two files or folders of one folder each other's name at once (renameat2).
int spool_exchange_names(int folder, const char *name, const char *other);

/// Whether an open file has an access list beside its mode (acl(5)).
int spool_has_access_list(int descriptor);

/// Whether anybody may have an open file open for writing: 0 only where the kernel gives a lease for reading (`F_SETLEASE` of
/// fcntl(2)), which is given back at once. `descriptor` must be open for reading alone.
int spool_has_writer(int descriptor);

/// Whether the file system of an open file is one that sets the time of a file's last change whenever the file is written to
/// (statfs(2)). 2 where another machine's clock sets it.
int spool_keeps_change_times(int descriptor);

/// Inserts bytes of 0 at the beginning of a file (`FALLOC_FL_INSERT_RANGE` of fallocate(2)), without moving those behind them: -1 and errno where its
/// file system cannot do that, or not for so many bytes.
int spool_insert(int descriptor, int64_t count);

/// Opens an open file once more for writing, around the system's cache (`O_DIRECT` of open(2)) and close-on-exec; -1 where that cannot be done,
/// and on file systems other than ext2 to ext4, XFS and overlayfs, of which it is not known that it helps.
int spool_open_directly(int descriptor);

/// Turns this process into an ordinary user's for good. It keeps no other group and no capability, and no program that it starts
/// gains one. It also clears the signal of `spool_set_parent_death_signal`. Returns 0, or -1 and errno.
int spool_become(uid_t user, gid_t group);

/// Whether this process may become other users at all: it has CAP_SETUID and CAP_SETGID.
int spool_may_become_others(void);

/// Makes a listening socket (SOCK_SEQPACKET) with that name in an open folder. Its file belongs to the user and has mode 0600.
/// The socket is close-on-exec; -1 and errno on failure.
int spool_listen(int folder, const char *name, uid_t user);

/// Connects to such a socket, close-on-exec. `seconds` is the longest wait for each message; -1 and errno on failure.
int spool_connect(int folder, const char *name, int seconds);

/// Accepts a connection, close-on-exec, from that user or from root. `seconds` is the longest wait for each message to be sent.
/// Returns -1 and EACCES for a connection from another user.
int spool_accept(int listener, uid_t user, int seconds);

/// Sends one message with a descriptor (SCM_RIGHTS); 0, or -1 and errno.
int spool_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

/// Receives the next message. `descriptor` becomes the one that came with it, close-on-exec, or -1 when none came. Returns the
/// message's length in bytes, 0 at the end, or -1 and errno.
long spool_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor);

/// fcntl(F_ADD_SEALS) on a file in memory: fixes its length for good and, unless it stays `writable`, its bytes; 0, or -1 and
/// errno.
int spool_seal(int descriptor, int writable);

/// Calls `each` for this program and then for every library that it has loaded, in that order: the path of the file, and the build id
/// that its linker gave it, or NULL. Both are valid during the call only.
void spool_loaded_code(
    void (*each)(const char *path, const unsigned char *id, size_t count, void *context), void *context);

#endif
