#!/bin/sh
# One booking with curl and its own retrying, as it is found in many a script.
#   curl_client.sh [--retry 3] [--max-time 2] [--key KEY] [--two-posts] [more curl options]
# --two-posts makes two bookings on one connection, so that the second reuses it.
# Exit code: that of curl (0: the last answer was a success).
#
# Everything but the options goes to curl in a file: a token on a command line is seen by all. The
# output goes to files, not to /dev/null, which curl 7.88 cannot empty before it tries again.
set -eu

retry=3 max_time=2 key='' posts=1
while [ $# -gt 0 ]; do
  case $1 in
    --retry) retry=$2; shift 2 ;;
    --max-time) max_time=$2; shift 2 ;;
    --key) key=$2; shift 2 ;;
    --two-posts) posts=2; shift ;;
    *) break ;;
  esac
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

post() {
  reference="curl-${MISHAP_SCENARIO:-r}-${MISHAP_COPY:-0}-$1"
  cat <<EOF
url = "${MISHAP_URL%/}/v1/bookings"
header = "Authorization: Bearer ${MISHAP_TOKEN:-}"
header = "Content-Type: application/json"
data = "{\"reference\": \"$reference\", \"product\": \"harbour-tour\", \"guests\": 2}"
output = "$scratch/answer-$1"
silent
show-error
fail
retry = $retry
max-time = $max_time
EOF
  if [ -n "$key" ]; then printf 'header = "Idempotency-Key: \\"%s-%s\\""\n' "$key" "$1"; fi
}

umask 077
post 1 > "$scratch/requests"
if [ "$posts" = 2 ]; then
  { echo next; post 2; } >> "$scratch/requests"
  set -- --fail-early "$@"
fi
curl "$@" --config "$scratch/requests"
