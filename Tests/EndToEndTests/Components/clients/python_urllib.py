import sys
import urllib.request

with urllib.request.urlopen(sys.argv[1], timeout=20) as answer:
    sys.stdout.write(answer.read().decode())
