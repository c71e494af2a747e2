#define _GNU_SOURCE
#include <locale.h>
#include <wchar.h>
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int spool_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int spool_pidfd_send_signal(int pidfd, int signal) { return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0); }

int spool_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

int spool_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

void spool_run_when_idle(void) {
  struct sched_param priority = {0};
  setpriority(PRIO_PROCESS, 0, 19);
  sched_setscheduler(0, SCHED_IDLE, &priority);
}

int spool_separate_descriptors(int first) { return close_range(first, ~0U, CLOSE_RANGE_UNSHARE); }

void spool_keep_freed_memory(int largest_block, int most_kept) {
  malloc_trim(0);
  // A threshold that is set is no longer moved by glibc, so both are.
  mallopt(M_MMAP_THRESHOLD, largest_block);
  mallopt(M_TRIM_THRESHOLD, most_kept);
}

int spool_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int spool_seal(int descriptor, int writable) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_GROW | F_SEAL_SHRINK | (writable ? 0 : F_SEAL_WRITE));
}

int spool_open_folder_beneath(int root, const char *path) {
  struct open_how how = {
      .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
  };
  return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

int spool_exchange_names(int folder, const char *name, const char *other) {
  enum { exchange = 1 << 1 };  // RENAME_EXCHANGE
  return (int)syscall(SYS_renameat2, folder, name, folder, other, exchange);
}

int spool_has_access_list(int descriptor) { return fgetxattr(descriptor, "system.posix_acl_access", NULL, 0) > 0; }

int spool_has_writer(int descriptor) {
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) return 1;
  fcntl(descriptor, F_SETLEASE, F_UNLCK);
  return 0;
}

// linux/magic.h does not have them.
enum { xfs = 0x58465342, zfs = 0x2fc12fc1, bcachefs = 0xca451a4e };

int spool_keeps_change_times(int descriptor) {
  struct statfs facts;
  if (fstatfs(descriptor, &facts) != 0) return 0;
  switch ((uint32_t)facts.f_type) {
    case EXT4_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case xfs:
    case zfs:
    case bcachefs: return 1;
    case NFS_SUPER_MAGIC: return 2;
    default: return 0;
  }
}

int spool_insert(int descriptor, int64_t count) { return fallocate(descriptor, FALLOC_FL_INSERT_RANGE, 0, count); }

int spool_open_directly(int descriptor) {
  struct statfs facts;
  if (fstatfs(descriptor, &facts) != 0) return -1;
  uint32_t type = (uint32_t)facts.f_type;
  if (type != EXT4_SUPER_MAGIC && type != xfs && type != OVERLAYFS_SUPER_MAGIC) return -1;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
}

int spool_spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

int spool_spawn_add_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int spool_has_delegation_mark(const char *group) {
  char value = 0;
  // Only root can read the second attribute. It is the only one that systemd sets before version 251.
  return (getxattr(group, "user.delegate", &value, 1) == 1 || getxattr(group, "trusted.delegate", &value, 1) == 1) && value == '1';
}

short spool_spawn_leads_session(void) { return POSIX_SPAWN_SETSID; }

int spool_signal_descriptor(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int code = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (code != 0) {
    errno = code;
    return -1;
  }
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int spool_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count;
  do count = read(descriptor, &info, sizeof info);
  while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -1;
  return (int)info.ssi_signo;
}

int spool_columns(unsigned scalar) {
  // The locale is built into glibc since 2.35 and is kept as long as the process runs. When two threads make it at the same time,
  // one copy is lost.
  static _Atomic(locale_t) unicode;
  locale_t locale = unicode;
  if (!locale) unicode = locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
  if (!locale) return 1;
  locale_t former = uselocale(locale);
  int columns = wcwidth((wchar_t)scalar);
  uselocale(former);
  return columns;
}

static void *watch(void *descriptor) {
  struct pollfd entry = {(int)(intptr_t)descriptor, 0, 0};
  // A poll that was interrupted is repeated: only the end of the pipe counts.
  while (poll(&entry, 1, -1) <= 0 || (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) {
  }
  _exit(SPOOL_CUT);
}

int spool_end_when_cut(int descriptor) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code == 0) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    // The new thread blocks all signals, so that other threads get them.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    code = pthread_create(&thread, &attributes, watch, (void *)(intptr_t)descriptor);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
  }
  errno = code;
  return code == 0 ? 0 : -1;
}
