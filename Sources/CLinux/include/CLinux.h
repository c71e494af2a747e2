// System calls that Glibc's Swift overlay does not offer (variadic, or younger than its module map).
#ifndef SPOOL_CLINUX_H
#define SPOOL_CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/// pidfd_open(2): a descriptor that polls readable when the process ends; -1 and errno on failure.
static inline int spool_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// prctl(PR_SET_PDEATHSIG): the signal this process gets when the thread that started it dies; 0, or -1 and errno.
static inline int spool_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

#endif
