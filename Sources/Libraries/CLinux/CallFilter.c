#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// A filter for system calls (seccomp(2)). It allows the calls that a role needs, some of them only with certain arguments, and
// refuses all others.
#if defined(__x86_64__)
#define SPOOL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SPOOL_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter's system calls are listed for x86_64 and aarch64"
#endif

// The newest system call in the headers that these lists were made with (Linux 6.0). It has the same number on every machine. To
// a confined process, newer calls do not exist: a newer C library then does without them, as it does on an old kernel.
enum { newest_call = 450 /* set_mempolicy_home_node */ };

// Frequent calls come first, because the filter compares from the front.
static const uint16_t of_every_role[] = {
    SYS_read, SYS_write, SYS_futex, SYS_madvise, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_brk, SYS_lseek, SYS_pread64,
    SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv, SYS_pwritev, SYS_clock_gettime, SYS_sched_yield, SYS_close,
    // Open files, and questions about files.
    SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_statfs,
    SYS_fstatfs, SYS_fadvise64, SYS_readahead, SYS_dup, SYS_dup3, SYS_close_range, SYS_msync,
    // Threads, their signals and their sleep.
    SYS_exit, SYS_exit_group, SYS_gettid, SYS_rseq, SYS_set_robust_list, SYS_set_tid_address, SYS_membarrier, SYS_restart_syscall,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_sigaltstack, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_getres, SYS_gettimeofday, SYS_getcpu, SYS_sched_getaffinity,
    SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority,
    // Waiting for events.
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime, SYS_pipe2, SYS_recvfrom, SYS_sendto,
    // Questions about the process and the system.
    SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups,
    SYS_getpgid, SYS_getsid, SYS_getrandom, SYS_uname, SYS_sysinfo, SYS_times, SYS_getrusage, SYS_getrlimit, SYS_get_mempolicy,
#ifdef __x86_64__
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait,
    SYS_eventfd, SYS_pipe, SYS_dup2, SYS_time, SYS_pause, SYS_getpgrp,
#endif
};

// Calls for roles that write a segment into a folder of their own.
static const uint16_t of_writers[] = {
    SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate, SYS_unlinkat, SYS_renameat, SYS_renameat2,
#ifdef __x86_64__
    SYS_unlink, SYS_rename,
#endif
};

// Calls for the role that muxes and publishes: it gives the movie a second name for a moment, removes the segments' folders, and waits for
// the process that joins the movie while it is rendered, which holds a lock.
static const uint16_t of_muxes[] = {
    SYS_linkat, SYS_mkdirat, SYS_flock,
#ifdef __x86_64__
    SYS_link, SYS_mkdir, SYS_rmdir,
#endif
};

// Calls that are reported as missing. Libraries try them first and fall back as on older kernels. A filter cannot see the
// arguments of clone3 and openat2, because they are in memory.
static const uint16_t missing[] = {SYS_clone3, SYS_openat2, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

enum { most_steps = 1024 };

struct program {
  struct sock_filter steps[most_steps];
  unsigned short count;
};

static void add(struct program *program, struct sock_filter step) {
  // A step that does not fit is noticed at the end.
  if (program->count < most_steps) program->steps[program->count] = step;
  program->count++;
}

#define LOAD(offset) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
// Both kinds of machine are little-endian, so the low word comes first.
#define LOW(index) ((uint32_t)offsetof(struct seccomp_data, args[index]))
#define HIGH(index) (LOW(index) + 4)
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (value))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define REFUSE(code) RETURN(SECCOMP_RET_ERRNO | (code))
// Skips the next steps unless the loaded value is this one.
#define UNLESS(value, steps) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (steps))
#define MASK(bits) (struct sock_filter) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void add_all(struct program *program, const uint16_t *calls, size_t count, struct sock_filter end) {
  for (size_t i = 0; i < count; i++) {
    add(program, UNLESS(calls[i], 1));
    add(program, end);
  }
}

// Allows a call when the low word of an argument is one of a few values.
static void add_where(struct program *program, uint32_t call, int argument, const uint32_t *values, size_t count) {
  add(program, UNLESS(call, (uint8_t)(2 * count + 2)));
  add(program, LOAD(LOW(argument)));
  for (size_t i = 0; i < count; i++) {
    add(program, UNLESS(values[i], 1));
    add(program, ALLOW);
  }
  add(program, REFUSE(EPERM));
}

#define ADD_WHERE(program, call, argument, ...) \
  add_where(program, call, argument, (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))

// Allows opening files: only for reading or, for roles that write, also for writing. A file is never opened read-only and
// truncated.
static void add_opening(struct program *program, uint32_t call, int flags, int writes) {
  uint32_t writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
  add(program, UNLESS(call, 5));
  add(program, LOAD(LOW(flags)));
  add(program, MASK(writes ? O_ACCMODE | O_TRUNC : writing));
  add(program, UNLESS(writes ? O_TRUNC : O_RDONLY, 1));
  add(program, writes ? REFUSE(EPERM) : ALLOW);
  add(program, writes ? ALLOW : REFUSE(EPERM));
}

static void add_arguments(struct program *program, int role) {
  const uint32_t self = (uint32_t)getpid();
  add_opening(program, SYS_openat, 2, role != SPOOL_EXAMINES);
#ifdef __x86_64__
  add_opening(program, SYS_open, 1, role != SPOOL_EXAMINES);
#endif
  ADD_WHERE(program, SYS_fcntl, 1, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL);
  ADD_WHERE(program, SYS_ioctl, 1, TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX);
  // The number 0x53564d41 is PR_SET_VMA: the C library names parts of memory with it.
  ADD_WHERE(program, SYS_prctl, 0, PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41);
  // Signals that the process sends to itself, as abort(3) does.
  ADD_WHERE(program, SYS_kill, 0, self);
  ADD_WHERE(program, SYS_tgkill, 0, self);
  ADD_WHERE(program, SYS_sched_setaffinity, 0, 0, self);
  // Only threads may be started, and none in a namespace of its own.
  const uint32_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
  const uint32_t harmless = CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID;
  add(program, UNLESS(SYS_clone, 5));
  add(program, LOAD(LOW(0)));
  add(program, MASK(~harmless));
  add(program, UNLESS(thread, 1));
  add(program, ALLOW);
  add(program, REFUSE(EPERM));
  // The process may read its own limits but not change them, because root could raise them.
  add(program, UNLESS(SYS_prlimit64, 9));
  add(program, LOAD(LOW(2)));
  add(program, UNLESS(0, 6));
  add(program, LOAD(HIGH(2)));
  add(program, UNLESS(0, 4));
  add(program, LOAD(LOW(0)));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
  add(program, UNLESS(self, 1));
  add(program, ALLOW);
  add(program, REFUSE(EPERM));
}

int spool_can_filter_system_calls(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int spool_filter_system_calls(int role) {
  static struct program program;
  program.count = 0;
  add(&program, LOAD(offsetof(struct seccomp_data, arch)));
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SPOOL_ARCH, 1, 0));
  add(&program, RETURN(SECCOMP_RET_KILL_PROCESS));
  add(&program, LOAD(offsetof(struct seccomp_data, nr)));
  // The numbers of x86-64's x32 calls are higher too, so they are refused.
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, newest_call, 0, 1));
  add(&program, REFUSE(ENOSYS));
  add_all(&program, of_every_role, COUNT(of_every_role), ALLOW);
  if (role != SPOOL_EXAMINES) add_all(&program, of_writers, COUNT(of_writers), ALLOW);
  if (role == SPOOL_MUXES) add_all(&program, of_muxes, COUNT(of_muxes), ALLOW);
  add_all(&program, missing, COUNT(missing), REFUSE(ENOSYS));
  add_arguments(&program, role);
  add(&program, REFUSE(EPERM));
  if (program.count > most_steps) {
    errno = E2BIG;
    return -1;
  }
  struct sock_fprog filter = {program.count, program.steps};
  // The filter is for all threads of the process and those started later.
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}
