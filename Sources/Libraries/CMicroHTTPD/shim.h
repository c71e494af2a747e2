#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Swift does not import variadic functions, so this one starts the server with all the options that Spool uses. It has a thread for
// each connection, at most `connections` of them, of which one address has at most `perAddress`. Key and certificate are PEM texts, both NULL for a server without TLS.
static inline struct MHD_Daemon *spool_mhd_start(
    int listener, unsigned int connections, unsigned int perAddress, unsigned int idleSeconds, MHD_AccessHandlerCallback access,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify, void *context, const char *key,
    const char *certificate) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
      {MHD_OPTION_END, 0, NULL},
  };
  unsigned int flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC;
  if (key) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, access, context, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, perAddress, MHD_OPTION_CONNECTION_TIMEOUT, idleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, notify, context,
      MHD_OPTION_ARRAY, key ? tls : tls + 2, MHD_OPTION_END);
}

// The socket of a connection; -1 when it has none.
static inline int spool_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// The bytes that a connection's other side has sent, and those that it has taken, by TCP's own count; 0 when there is no such count.
// The fields are those of struct tcp_info in linux/tcp.h, whose name glibc's <netinet/tcp.h> has for a shorter one.
static inline uint64_t spool_socket_moved(int socket) {
  struct { unsigned char before[120]; uint64_t acknowledged, received; } info = {{0}, 0, 0};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, 11 /* TCP_INFO */, &info, &size) != 0 || size < sizeof info) return 0;
  return info.acknowledged + info.received;
}

// The bytes that were sent to a connection's other side and that it has not taken yet.
static inline int spool_socket_untaken(int socket) {
  int bytes = 0;
  return ioctl(socket, 0x5411 /* SIOCOUTQ */, &bytes) == 0 ? bytes : 0;
}

// Writes the address of the other side as text, with an end mark.
static inline void spool_mhd_peer(struct MHD_Connection *connection, char *text, size_t size) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  text[0] = 0;
  if (!info || !info->client_addr) return;
  if (info->client_addr->sa_family == AF_INET)
    inet_ntop(AF_INET, &((const struct sockaddr_in *)info->client_addr)->sin_addr, text, (socklen_t)size);
  if (info->client_addr->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)info->client_addr)->sin6_addr, text, (socklen_t)size);
}

// Names for the values of enums, which Swift imports under names that depend on their attributes.
static inline enum MHD_Result spool_mhd_yes(void) { return MHD_YES; }
static inline enum MHD_Result spool_mhd_no(void) { return MHD_NO; }
static inline int spool_mhd_is_start(enum MHD_ConnectionNotificationCode code) { return code == MHD_CONNECTION_NOTIFY_STARTED; }
static inline void spool_mhd_headers(struct MHD_Connection *connection, MHD_KeyValueIterator gather, void *context) {
  MHD_get_connection_values(connection, MHD_HEADER_KIND, gather, context);
}
static inline void spool_mhd_arguments(struct MHD_Connection *connection, MHD_KeyValueIterator gather, void *context) {
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, gather, context);
}
// Makes a response with a copy of the bytes.
static inline struct MHD_Response *spool_mhd_copy(const void *bytes, size_t size) {
  return MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
// Sets the seconds for which a connection may be silent, from now on; 0 for any time.
static inline void spool_mhd_set_silence(struct MHD_Connection *connection, unsigned int seconds) {
  // The time counts from the last byte. Only a connection that had no limit begins anew.
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
  if (seconds) MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}
