import sys

import requests

answer = requests.get(sys.argv[1], timeout=20)
answer.raise_for_status()
sys.stdout.write(answer.text)
