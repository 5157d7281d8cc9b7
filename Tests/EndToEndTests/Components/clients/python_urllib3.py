import sys

import urllib3

answer = urllib3.PoolManager().request("GET", sys.argv[1], timeout=20)
if answer.status != 200:
    sys.exit("HTTP %d" % answer.status)
sys.stdout.write(answer.data.decode())
