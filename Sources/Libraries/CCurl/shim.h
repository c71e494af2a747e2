#include <curl/curl.h>

// Swift does not import variadic functions, so there is one function for each kind of value.
static inline CURLcode spool_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode spool_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
// libcurl copies the string.
static inline CURLcode spool_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode spool_curl_set_bytes(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value ? value : "");
}
static inline CURLcode spool_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
typedef size_t (*spool_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode spool_curl_set_transfer(CURL *handle, CURLoption option, spool_curl_transfer function) {
  return curl_easy_setopt(handle, option, function);
}
typedef curl_socket_t (*spool_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode spool_curl_set_opener(CURL *handle, spool_curl_opener function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}
typedef int (*spool_curl_gate)(void *context, char *address, char *ownAddress, int port, int ownPort);
static inline CURLcode spool_curl_set_gate(CURL *handle, spool_curl_gate function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}
typedef int (*spool_curl_watcher)(void *context, curl_off_t toGet, curl_off_t got, curl_off_t toSend, curl_off_t sent);
static inline CURLcode spool_curl_set_watcher(CURL *handle, spool_curl_watcher function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}
static inline CURLcode spool_curl_get_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
