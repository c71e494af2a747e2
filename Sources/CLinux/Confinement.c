#define _GNU_SOURCE
#include "CLinux.h"

#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock (landlock(7)). The numbers stand here, since the headers that Debian 12 has know version 2 of it only.
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446, LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1 };

struct ruleset {
  uint64_t files, network, scoped;
};

struct __attribute__((packed)) beneath {
  uint64_t access;
  int32_t parent;
};

int spool_landlock_version(void) {
  long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
  return version < 0 ? 0 : (int)version;
}

static uint64_t all_file_access(int version) {
  // Rights came with versions: 13 with the first, then REFER, TRUNCATE, IOCTL_DEV.
  int count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (1ull << count) - 1;
}

int spool_landlock_create(void) {
  int version = spool_landlock_version();
  struct ruleset rules = {
      .files = all_file_access(version),
      .network = version >= 4 ? 3 : 0,  // binding and connecting TCP
      .scoped = version >= 6 ? 3 : 0,   // abstract sockets and signals of others
  };
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  return (int)syscall(LANDLOCK_CREATE, &rules, size, 0);
}

int spool_landlock_allow(int ruleset, const char *path, int writing) {
  enum { execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_folder = 1 << 3, remove_folder = 1 << 4,
         remove_file = 1 << 5, make_folder = 1 << 7, make_file = 1 << 8, truncate = 1 << 14 };
  int parent = open(path, O_PATH | O_CLOEXEC);
  if (parent < 0) return -1;
  struct beneath rule = {read_file | read_folder, parent};
  if (writing) rule.access |= write_file | remove_folder | remove_file | make_folder | make_file | truncate;
  // Nothing but its own content can be read or written of what is no folder.
  int probe = openat(parent, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (probe < 0) rule.access &= write_file | read_file | truncate;
  else close(probe);
  rule.access &= all_file_access(spool_landlock_version());
  long result = syscall(LANDLOCK_ADD, ruleset, LANDLOCK_BENEATH, &rule, 0);
  int code = errno;
  close(parent);
  errno = code;
  return (int)result;
}

int spool_landlock_enforce(int ruleset) { return (int)syscall(LANDLOCK_RESTRICT, ruleset, 0); }

int spool_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// seccomp(2): what no decoder, compositor or encoder needs is refused with EPERM.
#if defined(__x86_64__)
#define SPOOL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SPOOL_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter's system calls are listed for x86_64 and aarch64"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(code) RETURN(SECCOMP_RET_ERRNO | (code))
// The next statement is performed for this value only.
#define WHEN(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define ON(call, code) WHEN(SYS_##call), REFUSE(code)

// Each call that is looked at further: skips `length` statements for any other.
#define INSPECT(call, length) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, (length))

int spool_can_filter_system_calls(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int spool_filter_system_calls(void) {
  const uint32_t self = (uint32_t)getpid();
  struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SPOOL_ARCH, 1, 0),
      RETURN(SECCOMP_RET_KILL_PROCESS),
      LOAD(nr),
#ifdef __x86_64__
      // x32 numbers its calls apart.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      REFUSE(ENOSYS),
#endif
      // The network, and whatever performs calls unseen.
      ON(socket, EPERM), ON(socketpair, EPERM), ON(io_uring_setup, ENOSYS), ON(io_uring_enter, ENOSYS),
      ON(io_uring_register, ENOSYS),
      // Processes: threads alone may be made. Without clone3, whose flags no filter sees, the C library uses clone.
      INSPECT(clone, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0), REFUSE(EPERM), LOAD(nr),
      ON(clone3, ENOSYS), ON(execve, EPERM), ON(execveat, EPERM),
#ifdef __x86_64__
      ON(fork, EPERM), ON(vfork, EPERM),
#endif
      ON(setsid, EPERM), ON(setpgid, EPERM), ON(unshare, EPERM), ON(setns, EPERM),
      // Other processes of the same user.
      ON(ptrace, EPERM), ON(process_vm_readv, EPERM), ON(process_vm_writev, EPERM), ON(kcmp, EPERM), ON(tkill, EPERM),
      ON(pidfd_open, EPERM), ON(pidfd_getfd, EPERM), ON(pidfd_send_signal, EPERM), ON(rt_sigqueueinfo, EPERM),
      ON(rt_tgsigqueueinfo, EPERM), ON(process_madvise, EPERM), ON(shmget, EPERM), ON(shmat, EPERM), ON(msgget, EPERM),
      ON(semget, EPERM), ON(mq_open, EPERM), ON(setpriority, EPERM), ON(ioprio_set, EPERM), ON(sched_setscheduler, EPERM),
      ON(sched_setparam, EPERM), ON(sched_setattr, EPERM), ON(migrate_pages, EPERM), ON(move_pages, EPERM),
      // Memory that no limit on address space counts.
      ON(memfd_create, EPERM), WHEN(447 /* memfd_secret */), REFUSE(EPERM),
      // What Landlock leaves out: modes, owners, times, attributes; handles; and before its version 3, cutting off.
      ON(fchmod, EPERM), ON(fchmodat, EPERM), ON(fchown, EPERM), ON(fchownat, EPERM), ON(utimensat, EPERM),
      ON(setxattr, EPERM), ON(lsetxattr, EPERM), ON(fsetxattr, EPERM), ON(removexattr, EPERM), ON(lremovexattr, EPERM),
      ON(fremovexattr, EPERM), ON(truncate, EPERM), ON(openat2, ENOSYS), ON(name_to_handle_at, EPERM),
      ON(open_by_handle_at, EPERM), WHEN(452 /* fchmodat2 */), REFUSE(ENOSYS),
#ifdef __x86_64__
      ON(chmod, EPERM), ON(chown, EPERM), ON(lchown, EPERM), ON(utime, EPERM), ON(utimes, EPERM), ON(futimesat, EPERM),
#endif
      // The machine.
      ON(mount, EPERM), ON(umount2, EPERM), ON(pivot_root, EPERM), ON(chroot, EPERM), ON(move_mount, EPERM), ON(fsopen, EPERM),
      ON(fsmount, EPERM), ON(fspick, EPERM), ON(open_tree, EPERM), ON(bpf, EPERM), ON(perf_event_open, EPERM),
      ON(userfaultfd, EPERM), ON(add_key, EPERM), ON(keyctl, EPERM), ON(request_key, EPERM), ON(init_module, EPERM),
      ON(finit_module, EPERM), ON(delete_module, EPERM), ON(kexec_load, EPERM), ON(reboot, EPERM), ON(swapon, EPERM),
      ON(swapoff, EPERM), ON(acct, EPERM), ON(quotactl, EPERM), ON(settimeofday, EPERM), ON(clock_settime, EPERM),
      ON(adjtimex, EPERM), ON(clock_adjtime, EPERM), ON(sethostname, EPERM), ON(setdomainname, EPERM), ON(syslog, EPERM),
      ON(personality, EPERM),
      // Another user's rights.
      ON(setuid, EPERM), ON(setgid, EPERM), ON(setreuid, EPERM), ON(setregid, EPERM), ON(setresuid, EPERM),
      ON(setresgid, EPERM), ON(setgroups, EPERM), ON(setfsuid, EPERM), ON(setfsgid, EPERM), ON(capset, EPERM),
      // Signals and limits: its own.
      INSPECT(kill, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0), REFUSE(EPERM), LOAD(nr),
      INSPECT(tgkill, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0), REFUSE(EPERM), LOAD(nr),
      INSPECT(prlimit64, 5), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0), REFUSE(EPERM), LOAD(nr),
      INSPECT(sched_setaffinity, 5), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0), REFUSE(EPERM), LOAD(nr),
      // A file that becomes readable sends its owner whatever signal it is told to: nobody else is made one.
      INSPECT(fcntl, 6), LOAD(args[1]), WHEN(F_SETOWN), REFUSE(EPERM), WHEN(F_SETOWN_EX), REFUSE(EPERM), LOAD(nr),
      INSPECT(ioctl, 6), LOAD(args[1]), WHEN(FIOSETOWN), REFUSE(EPERM), WHEN(SIOCSPGRP), REFUSE(EPERM), LOAD(nr),
      // A file that is opened to be read is not to be emptied.
      INSPECT(openat, 4), LOAD(args[2]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC), WHEN(O_TRUNC), REFUSE(EPERM),
#ifdef __x86_64__
      LOAD(nr), INSPECT(open, 4), LOAD(args[1]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC), WHEN(O_TRUNC),
      REFUSE(EPERM),
#endif
      RETURN(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  // All threads there are, and those to come.
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
