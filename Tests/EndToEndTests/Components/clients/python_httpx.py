import sys

import httpx

sys.stdout.write(httpx.get(sys.argv[1], timeout=20).raise_for_status().text)
