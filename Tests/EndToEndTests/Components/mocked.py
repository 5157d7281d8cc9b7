"""The provider of a recording, played by `authreel mock`, in the place of the real one."""
import json
import subprocess
import time
import urllib.parse

from provider import Provider
from service import WITH_OWNER, environment


class Mock:
    """Knows the client, its secret and the user from the recording alone; `port` of the relying party is the recorded one."""

    CLIENT, SECRET, SCOPES = Provider.CLIENT, Provider.SECRET, Provider.SCOPES
    USER, PASSWORD = Provider.USER, Provider.PASSWORD

    def __init__(self, state, program, capture, ca_folder):
        self.folder, self.program, self.capture, self.ca_folder = state / "mock", program, capture, ca_folder
        self.folder.mkdir(exist_ok=True)
        uris = [entry["request"]["url"] for entry in json.loads(capture.read_text())["log"]["entries"]]
        asked = (urllib.parse.parse_qs(urllib.parse.urlsplit(uri).query).get("redirect_uri") for uri in uris)
        self.port = next(urllib.parse.urlsplit(found[0]).port for found in asked if found)

    def __enter__(self):
        self.errors = open(self.folder / "errors", "wb")
        self.child = subprocess.Popen(
            WITH_OWNER + [str(self.program), "mock", str(self.capture), "--tls", "--listen", "127.0.0.1:0", "--format", "json",
                          "--ca-dir", str(self.ca_folder), "--out", str(self.folder / "answered.har")],
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors, env=environment())
        line = self.child.stdout.readline()
        if not line:
            self.__exit__()
            raise RuntimeError("authreel mock did not start:\n" + (self.folder / "errors").read_text())
        self.ready = json.loads(line)
        self.issuer = self.ready["issuer"]
        parts = urllib.parse.urlsplit(self.issuer)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.terminate()
            end = time.monotonic() + 10
            while self.child.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            if self.child.poll() is None:
                self.child.kill()
        self.status = self.child.wait()
        self.errors.close()
