#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// The socket's address, by way of the open folder, because the folder's own path may be too long for a socket's address.
static int address(struct sockaddr_un *address, int folder, const char *name) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", folder, name);
  if (length < (int)sizeof address->sun_path) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

static int closing(int descriptor) {
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

static int limit(int socket, int option, int seconds) {
  struct timeval time = {seconds, 0};
  return setsockopt(socket, SOL_SOCKET, option, &time, sizeof time);
}

int spool_listen(int folder, const char *name, uid_t user) {
  struct sockaddr_un place;
  if (address(&place, folder, name) != 0) return -1;
  int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  // Only this process can write to the folder, so the name still means the socket that was just made.
  if (bind(made, (struct sockaddr *)&place, sizeof place) != 0 || fchmodat(folder, name, 0600, 0) != 0 ||
      fchownat(folder, name, user, -1, AT_SYMLINK_NOFOLLOW) != 0 || listen(made, 64) != 0)
    return closing(made);
  return made;
}

int spool_connect(int folder, const char *name, int seconds) {
  struct sockaddr_un place;
  if (address(&place, folder, name) != 0) return -1;
  int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  if (limit(made, SO_RCVTIMEO, seconds) != 0 || limit(made, SO_SNDTIMEO, seconds) != 0 ||
      connect(made, (struct sockaddr *)&place, sizeof place) != 0)
    return closing(made);
  return made;
}

int spool_accept(int listener, uid_t user, int seconds) {
  int taken = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (taken < 0) return -1;
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(taken, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || (peer.uid != user && peer.uid != 0)) {
    errno = EACCES;
    return closing(taken);
  }
  return limit(taken, SO_SNDTIMEO, seconds) == 0 ? taken : closing(taken);
}

int spool_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec piece = {(void *)bytes, count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -1 : 0;
}

long spool_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor) {
  struct iovec piece = {bytes, count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *descriptor = -1;
  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received < 0) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  return received;
}
