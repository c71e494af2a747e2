#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int spool_become(uid_t user, gid_t group) {
  if (spool_no_new_privileges() != 0) return -1;
  // Empty the bounding set, so that no program can be given these capabilities. This fails without CAP_SETPCAP; the line above is
  // then enough.
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0) return -1;
  // The change of users has already cleared the capabilities, unless a security bit (capabilities(7)) prevents that.
  if (spool_keep_capabilities(0) != 0) return -1;
  if (setresuid(-1, 0, -1) == 0) {
    errno = EPERM;
    return -1;
  }
  return 0;
}

int spool_may_become_others(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, data) != 0) return 0;
  uint32_t needed = 1u << CAP_SETUID | 1u << CAP_SETGID;
  return (data[0].effective & needed) == needed;
}
