"""Child processes that listen on a free port of loopback and end with their owner."""
import os
import pathlib
import signal
import socket
import subprocess
import time


HOLDERS = []


def free_port():
    """A free port for a server that is started later: until this process ends nobody else is given it."""
    holder = socket.socket()
    # Linux lets sockets share a port that all ask for so, until one listens. Servers ask for it; connections that go out
    # are given other ports.
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    HOLDERS.append(holder)
    return holder.getsockname()[1]


def environment(**more):
    """The environment without proxy settings of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**kept, "PATH": os.environ.get("PATH", "") + ":/usr/sbin", **more}


def end_all_below(folder):
    """Ends the processes that were started with a file of this folder: a browser may outlive the driver that started it."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{folder}/".encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass  # It has ended meanwhile.


# Ends the child when its owner was killed and could not do so.
WITH_OWNER = ["setpriv", "--pdeathsig", "TERM"]


class Service:
    """One process; `start` returns when its port answers, `stop` when the process is gone."""

    def __init__(self, argv, port, log, **environ):
        self.argv, self.port, self.log, self.environ, self.child = [str(a) for a in argv], port, log, environ, None

    def start(self, seconds=20):
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(WITH_OWNER + self.argv, start_new_session=True, stdin=subprocess.DEVNULL, stdout=log,
                                          stderr=log, env=environment(**self.environ), cwd=self.log.parent)
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.child.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"{self.argv[0]} did not start:\n{self.log.read_text(errors='replace')[-2000:]}")

    def stop(self, seconds=10):
        if self.child is None or self.child.poll() is not None:
            return
        self.child.terminate()
        try:
            self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            # With its workers, which would stay.
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
