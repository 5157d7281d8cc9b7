#!/usr/bin/env python3
"""HTTP clients of the common runtimes, and the server that they are tried with, for TLS and in clear.

Each client asks for one page and prints it: certificate verification on, no word of a proxy or a CA.
"""
import argparse
import base64
import functools
import hashlib
import http.server
import importlib.util
import json
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import authority

SOURCES = pathlib.Path(__file__).resolve().parent / "clients"
PACKAGES = ["requests", "httpx", "aiohttp", "urllib3"]


class Client:
    """`argv` makes the command from an origin (https://localhost:1234); `needs` are commands and modules."""

    def __init__(self, name, argv, *needs, path=None, expected=None, modules=(), loopback=True):
        self.name, self.argv, self.needs, self.modules, self.loopback = name, argv, needs, modules, loopback
        self.path = path or f"/who?client={name}"
        self.expected = expected or f"hello {name}\n"

    def command(self, origin, venv=None):
        return [str(part) for part in self.argv(self, reachable(origin, self.loopback), venv)]

    def missing(self, venv=None):
        """What has to be installed before this client can run."""
        commands = [name for name in self.needs if not shutil.which(name)]
        return commands or [what for what, probe in self.modules if not probe(venv)]


def reachable(origin, loopback):
    """The origin, by a spelling that Go sends through a proxy: it leaves out "localhost" and the loopback addresses."""
    if loopback:
        return origin
    parts = urllib.parse.urlsplit(origin)
    return f"{parts.scheme}://LOCALHOST:{parts.port}"


def script(file, *launcher):
    return lambda client, origin, venv: [*launcher, SOURCES / file, origin + client.path]


def python(file):
    return lambda client, origin, venv: [interpreter(venv), SOURCES / file, origin + client.path]


def command(*words):
    return lambda client, origin, venv: [*words, origin + client.path]


def interpreter(venv):
    return venv / "bin" / "python" if venv else sys.executable


def module(name):
    def probe(venv):
        if not venv:
            return importlib.util.find_spec(name)
        return succeeds(interpreter(venv), "-c", f"import {name}")
    return f"python: {name}", probe


def prints(what, *argv):
    return what, lambda venv: succeeds(*argv)


def succeeds(*argv):
    try:
        return not subprocess.run(list(map(str, argv)), capture_output=True, timeout=60).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


PHP_CURL = prints("php-curl", "php", "-r", "exit(extension_loaded('curl') ? 0 : 1);")
HTTPCLIENT = prints("ruby-httpclient", "ruby", "-rhttpclient", "-e", "1")
LWP_HTTPS = prints("liblwp-protocol-https-perl", "perl", "-MLWP::Protocol::https", "-e", "1")
MOJO_HTTPS = prints("libmojolicious-perl", "perl", "-MMojo::UserAgent", "-MIO::Socket::SSL", "-e", "1")
NODE_PACKAGES = ["env", "NODE_PATH=/usr/share/nodejs", "node"]
UNDICI = prints("node-undici", *NODE_PACKAGES, "-e", "require('undici')")
TINY_HTTPS = prints("libio-socket-ssl-perl", "perl", "-MHTTP::Tiny", "-MIO::Socket::SSL", "-e", "1")

CLIENTS = {client.name: client for client in [
    Client("curl", command("curl", "--silent", "--show-error", "--fail"), "curl"),
    Client("wget", command("wget", "--quiet", "--output-document=-"), "wget"),
    Client("git", command("git", "ls-remote"), "git", path="/repo.git", expected="refs/heads/main\n"),
    Client("python-urllib", python("python_urllib.py")),
    Client("python-requests", python("python_requests.py"), modules=[module("requests")]),
    Client("python-httpx", python("python_httpx.py"), modules=[module("httpx")]),
    Client("python-aiohttp", python("python_aiohttp.py"), modules=[module("aiohttp")]),
    Client("python-aiohttp-websocket", python("python_aiohttp_websocket.py"), modules=[module("aiohttp")]),
    Client("python-urllib3", python("python_urllib3.py"), modules=[module("urllib3")]),
    Client("python-urllib3-pool", python("python_urllib3_pool.py"), modules=[module("urllib3")]),
    Client("node-fetch", script("node_fetch.mjs", "node"), "node"),
    Client("node-https", script("node_https.mjs", "node"), "node"),
    Client("node-undici", script("node_undici.cjs", *NODE_PACKAGES), "node", modules=[UNDICI]),
    Client("java-httpclient", script("JavaHttpClient.java", "java"), "java", "javac"),
    Client("java-urlconnection", script("JavaUrlConnection.java", "java"), "java", "javac"),
    Client("ruby-net-http", script("ruby_net_http.rb", "ruby"), "ruby"),
    Client("ruby-httpclient", script("ruby_httpclient.rb", "ruby"), "ruby", modules=[HTTPCLIENT]),
    Client("perl-lwp", script("perl_lwp.pl", "perl"), "perl", modules=[LWP_HTTPS]),
    Client("perl-http-tiny", script("perl_http_tiny.pl", "perl"), "perl", modules=[TINY_HTTPS]),
    Client("perl-mojo", script("perl_mojo.pl", "perl"), "perl", modules=[MOJO_HTTPS]),
    Client("php-curl", script("php_curl.php", "php"), "php", modules=[PHP_CURL]),
    Client("go", script("go_http.go", "go", "run"), "go", loopback=False),
]}


# -- the server

class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        # A hello of TLS, or a request in clear.
        if self.request.recv(1, socket.MSG_PEEK) == b"\x16":
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def finish(self):
        super().finish()
        self.request.close()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path != "/who":
            return super().do_GET()
        body = f"hello {dict(urllib.parse.parse_qsl(url.query)).get('client')}\n".encode()
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.say(body)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def say(self, text):
        """Opens a WebSocket, sends one text, and closes it (RFC 6455, sections 4.2.2 and 5.2)."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.wfile.write(bytes([0x81, len(text)]) + text + b"\x88\x00")
        self.rfile.read()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server on loopback, for TLS and in clear, which also serves the files of `folder`; a context manager."""

    def __init__(self, folder, ca):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*ca.leaf("clients"))

    @property
    def port(self):
        return self.server_address[1]

    def handle_error(self, *_):
        pass

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def repository(folder):
    """A git repository that any file server can serve (the dumb protocol)."""
    bare, work = folder / "repo.git", folder / "work"
    if not bare.exists() and shutil.which("git"):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@example.com", *map(str, words)],
                           check=True, capture_output=True)
        git("init", "--initial-branch", "main", work)
        git("-C", work, "commit", "--allow-empty", "--message", "one")
        git("clone", "--bare", work, bare)
        git("-C", bare, "update-server-info")
        shutil.rmtree(work)


def opened(state):
    """The server and its authority; what they need is made below `state`."""
    folder = state / "served"
    folder.mkdir(parents=True, exist_ok=True)
    repository(folder)
    ca = authority.Authority(state)
    return Server(folder, ca), ca


# -- the command

def check(arguments):
    for client in CLIENTS.values():
        missing = client.missing(arguments.venv)
        print(f"{client.name:20}{'missing: ' + ', '.join(missing) if missing else 'ready'}")


def names(_):
    print("\n".join(CLIENTS))


def serve(arguments):
    server, ca = opened(arguments.state.resolve())
    with server:
        print(json.dumps({"port": server.port, "ca": str(ca.certificate)}), flush=True)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


def make_venv(arguments):
    subprocess.run([sys.executable, "-m", "venv", arguments.folder], check=True)
    subprocess.run([arguments.folder / "bin" / "python", "-m", "pip", "install", "--quiet",
                    "--disable-pip-version-check", *PACKAGES], check=True)


def run(arguments):
    """Runs the client, which has to print what the server said."""
    client = CLIENTS[arguments.name]
    argv = client.command(arguments.origin, arguments.venv)
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, timeout=120)
    sys.stdout.write(done.stdout)
    sys.exit(done.returncode or (0 if client.expected in done.stdout else 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def add(name, action, text):
        command = commands.add_parser(name, help=text)
        command.set_defaults(action=action)
        return command

    def with_venv(command):
        command.add_argument("--venv", type=pathlib.Path, metavar="DIR", help="take Python and its packages from here")
        return command

    with_venv(add("check", check, "say what is missing"))
    add("list", names, "the names of the clients")
    add("serve", serve, "run the server until SIGTERM").add_argument("--state", type=pathlib.Path, required=True)
    add("venv", make_venv, "make the Python packages").add_argument("folder", type=pathlib.Path)
    one = with_venv(add("run", run, "run one client in the present environment"))
    one.add_argument("name", choices=CLIENTS)
    one.add_argument("origin", help="https://localhost:PORT")
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    # Before any thread is made, so that the server's do not get them.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT} if "serve" in sys.argv[1:2] else set())
    main()
