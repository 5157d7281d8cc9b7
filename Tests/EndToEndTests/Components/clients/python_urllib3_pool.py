import sys

import urllib3

url = urllib3.util.parse_url(sys.argv[1])
kind = urllib3.HTTPSConnectionPool if url.scheme == "https" else urllib3.HTTPConnectionPool
answer = kind(url.host, url.port).request("GET", url.request_uri, timeout=20)
if answer.status != 200:
    sys.exit("HTTP %d" % answer.status)
sys.stdout.write(answer.data.decode())
