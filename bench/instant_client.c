/* The client that takes no time: one create, the answer read to its end, and its word about it. What a
 * suite of scenarios takes beyond its start is mishap's.
 *
 * Reads MISHAP_URL (http://ADDRESS:PORT), MISHAP_TOKEN, MISHAP_SCENARIO and MISHAP_OUTCOMES. Exit code 0: it was
 * created. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value == NULL ? "" : value;
}

/* A socket that is connected to the mock, or -1. */
static int connect_to(const char *url) {
  char address[64];
  unsigned port = 0;
  if (sscanf(url, "http://%63[0-9.]:%u", address, &port) != 2) return -1;
  struct sockaddr_in to;
  memset(&to, 0, sizeof to);
  to.sin_family = AF_INET;
  to.sin_port = htons((unsigned short)port);
  if (inet_pton(AF_INET, address, &to.sin_addr) != 1) return -1;
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  if (peer >= 0 && connect(peer, (struct sockaddr *)&to, sizeof to) == 0) return peer;
  return -1;
}

static int send_create(int peer, const char *reference) {
  char body[256];
  char request[1024];
  int size = snprintf(body, sizeof body, "{\"reference\":\"%s\",\"product\":\"p-1\"}", reference);
  if (size < 0 || (size_t)size >= sizeof body) return 0;
  int length = snprintf(request, sizeof request,
                        "POST /v1/bookings HTTP/1.1\r\nHost: mock\r\nAuthorization: Bearer %s\r\n"
                        "Content-Type: application/json\r\nIdempotency-Key: key-%s\r\n"
                        "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
                        setting("MISHAP_TOKEN"), reference, size, body);
  if (length < 0 || (size_t)length >= sizeof request) return 0;
  return send(peer, request, (size_t)length, MSG_NOSIGNAL) == length;
}

/* Of the answer proper: interim ones (1xx) stand before it. */
static int final_status(const char *answer) {
  int status = 0;
  while (answer != NULL && sscanf(answer, "HTTP/1.1 %d", &status) == 1 && status / 100 == 1) {
    answer = strstr(answer, "\r\n\r\n");
    if (answer != NULL) answer += 4;
  }
  return answer == NULL ? 0 : status;
}

/* The status of an answer that was read up to the end of the connection; 0 where there is none. */
static int read_status(int peer) {
  char answer[4096];
  size_t have = 0;
  for (;;) {
    ssize_t got = recv(peer, answer + have, sizeof answer - 1 - have, 0);
    if (got < 0) return 0;
    if (got == 0) break;
    have += (size_t)got;
    /* Longer than any that is served here: what matters stands at its beginning. */
    if (have == sizeof answer - 1) have = 64;
  }
  answer[have] = '\0';
  return final_status(answer);
}

static void tell(const char *reference, const char *outcome) {
  FILE *outcomes = fopen(setting("MISHAP_OUTCOMES"), "a");
  if (outcomes == NULL) return;
  fprintf(outcomes, "{\"operation\": \"%s\", \"outcome\": \"%s\"}\n", reference, outcome);
  fclose(outcomes);
}

int main(void) {
  const char *reference = setting("MISHAP_SCENARIO");
  int peer = connect_to(setting("MISHAP_URL"));
  if (peer < 0) {
    fputs("no connection to MISHAP_URL\n", stderr);
    return 2;
  }
  int status = send_create(peer, reference) ? read_status(peer) : 0;
  close(peer);
  /* Without an answer nobody knows; a refusal is a failure. */
  tell(reference, status / 100 == 2 ? "succeeded" : status == 0 ? "pending" : "failed");
  return status / 100 == 2 ? 0 : 1;
}
