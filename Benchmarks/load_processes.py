"""What a load is made of: a recorder, a server and clients, each a process of its own that ends with whoever started it."""
import asyncio
import logging
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import soak_origin

PAGE = os.sysconf("SC_PAGE_SIZE")
# Clients that break off write into connections that are gone, which it would tell of.
logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def end_with_owner(pipe):
    """Ends this process when whoever started it is gone, however that went."""
    def wait():
        try:
            pipe.recv()
        except (EOFError, OSError):
            pass
        os._exit(1)
    threading.Thread(target=wait, daemon=True).start()


def serve(pipe, certificate, key):
    """A server as ``soak_origin`` has it; tells its ports."""
    async def main():
        pipe.send(await soak_origin.start(certificate, key))
        end_with_owner(pipe)
        await asyncio.Event().wait()
    os.nice(5)
    asyncio.run(main())


def started(function, *arguments):
    """A child that ends with us, and the pipe to it."""
    ours, its = multiprocessing.Pipe()

    def run():
        # Or it would hold its own pipe open.
        ours.close()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        function(its, *arguments)
    child = multiprocessing.get_context("fork").Process(target=run, daemon=True)
    child.start()
    its.close()
    return child, ours


class Recorder:
    """`authreel record`, ended at the end of a `with`."""

    def __init__(self, program, capture, folder, trust, options=()):
        self.messages, self.program, self.folder = folder / "messages", program, folder
        owner = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with open(self.messages, "wb") as log:
            self.process = subprocess.Popen(
                [*owner, program, "record", "--listen", "127.0.0.1:0", "--out", capture, "--ca-dir", folder / "ca", "--upstream-ca", trust,
                 *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while "listening on " not in self.messages.read_text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the recorder does not listen:\n" + self.messages.read_text())
            time.sleep(0.02)
        self.port = int(self.messages.read_text().split("listening on ")[1].split()[0].rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def authority(self):
        """The certificate that clients have to trust."""
        path = subprocess.run([self.program, "ca", "path", "--ca-dir", self.folder / "ca"], check=True, capture_output=True, text=True)
        return path.stdout.strip()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            return None

    def memory(self):
        """Resident bytes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE

    def own_memory(self):
        """Resident bytes of its own, without the pages of code and constants, which come and go as they are used."""
        resident, shared = map(int, pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1:3])
        return (resident - shared) * PAGE

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self):
        """Seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def certificate(folder):
    """A certificate for the server that is its own authority, and its key."""
    made, key = folder / "origin.pem", folder / "origin.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", made,
                    "-days", "2", "-subj", "/CN=soak", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                   check=True, capture_output=True)
    return made, key
