#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock (landlock(7)). The numbers are written out here because Debian 12's headers know only version 2 of it.
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
  // Each version added rights: the first has 13, later ones added REFER, TRUNCATE and IOCTL_DEV.
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
  // A path that is not a folder can only be given rights over its own content.
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

// capset(2). A process of root gives up capabilities in the same way.
int spool_keep_capabilities(uint64_t kept) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, data) != 0) return -1;
  uint32_t lost = 0;
  for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
    uint32_t permitted = data[i].permitted & (uint32_t)(kept >> (32 * i));
    lost |= (data[i].permitted ^ permitted) | (data[i].effective & ~permitted) | data[i].inheritable;
    data[i].permitted = permitted;
    data[i].effective &= permitted;
    data[i].inheritable = 0;
  }
  // An ordinary user has nothing to give up. A filter around the worker (SystemCallFilter of a unit) may refuse the call.
  if (lost == 0) return 0;
  return (int)syscall(SYS_capset, &header, data);
}
