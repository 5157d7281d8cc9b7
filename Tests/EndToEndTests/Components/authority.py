"""A throw-away certificate authority, by the openssl command."""
import contextlib
import fcntl
import subprocess


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")


# As most servers have them today; one of RSA takes a hundred times as long to make.
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Authority:
    """Made on first use in `state`, as is what it signs; leaves are for 127.0.0.1 and localhost.

    Several processes may use one at a time."""

    def __init__(self, state):
        self.folder = state / "authority"
        self.folder.mkdir(exist_ok=True)
        self.certificate, self.key = self.folder / "ca.pem", self.folder / "ca.key"
        with self._alone():
            if not self.certificate.exists():
                openssl("req", "-x509", *NEW_KEY, "-days", "2", "-subj", "/CN=test components",
                        "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign",
                        "-keyout", self.key, "-out", self.certificate)

    @contextlib.contextmanager
    def _alone(self):
        with open(self.folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def leaf(self, name):
        """The paths of a server certificate and its key."""
        certificate, key, request, extensions = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr", "ext"))
        with self._alone():
            if not certificate.exists():
                openssl("req", "-new", *NEW_KEY, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
                extensions.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n")
                openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                        "-days", "2", "-extfile", extensions, "-out", certificate)
                for path in (certificate, key):
                    path.chmod(0o644)
        return certificate, key

    def signing_key(self):
        """The paths of a key that a provider begins to sign tokens with, and of its public half."""
        key, public = self.folder / "signing.key", self.folder / "signing.pub"
        with self._alone():
            if not public.exists():
                pair(key, public)
        return key, public


def pair(key, public):
    """Makes a key and its public half."""
    openssl("genrsa", "-out", key, "2048")
    openssl("rsa", "-in", key, "-pubout", "-out", public)
