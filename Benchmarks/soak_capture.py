"""Whether a capture holds what clients saw, line by line: it may be larger than memory."""
import json
import resource
import subprocess
import time

HEAD_END, TAIL = b'"entries":[', b"]}}"
REQUEST = {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"}
RESPONSE = {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"}
ENTRY = {"startedDateTime", "time", "request", "response", "cache", "timings"}
# What is parsed as a whole besides, as any HAR reader does it.
WHOLE = 300 << 20


def entries(path, wrong):
    """The entries; what is not as it has to be goes to `wrong`.

    Head, entries with a comma between them, and tail: where each is JSON, and head and tail together are, the whole is."""
    with open(path, "rb") as file:
        head = file.readline().rstrip(b"\n")
        if not head.endswith(HEAD_END):
            wrong.append("no list of entries in the first line")
        before = None
        for number, line in enumerate(file, 2):
            line = line.rstrip(b"\n")
            if line == TAIL:
                if before is not None and before.endswith(b","):
                    wrong.append(f"line {number - 1}: a comma behind the last entry")
                if file.read(1):
                    wrong.append(f"line {number}: more behind the end")
                break
            if before is not None and not before.endswith(b","):
                wrong.append(f"line {number - 1}: no comma behind an entry")
            before = line
            try:
                yield json.loads(line.removesuffix(b","))
            except ValueError as problem:
                wrong.append(f"line {number}: {problem}")
        else:
            wrong.append("no end")
        try:
            log = json.loads(head + TAIL)["log"]
            if log.get("version") != "1.2" or not {"name", "version"} <= log.get("creator", {}).keys():
                wrong.append("no version or creator")
        except (ValueError, KeyError) as problem:
            wrong.append(f"head and tail: {problem}")


def number_of(url):
    """The number in a path, and None for exchanges that have none: tunnels, and what was never a whole request."""
    parts = url.split("/", 5)
    return int(parts[4].split("?")[0]) if len(parts) > 4 and parts[4][:8].isdigit() else None


def check(path, complete, aborted):
    wrong, twice, changed, finished, strangers = [], [], [], [], []
    seen, count = set(), 0
    for entry in entries(path, wrong):
        count += 1
        if not ENTRY <= entry.keys() or not REQUEST <= entry["request"].keys() or not RESPONSE <= entry["response"].keys():
            wrong.append(f"entry {count}: fields are missing")
            continue
        number = number_of(entry["request"]["url"])
        response, failed = entry["response"], "_error" in entry["response"] or "_error" in entry
        if (response["status"] == 0) and not failed:
            wrong.append(f"entry {count}: status 0 without _error")
        if number is None:
            continue
        if number in seen:
            twice.append(number)
        seen.add(number)
        if number in complete:
            _, status, size = complete[number]
            content = response["content"]
            is_cut = content.get("_authreel", {}).get("truncated", False)
            if failed or response["status"] != status or (content["size"] != size and not is_cut) or is_cut != (size > 4 << 20):
                changed.append([number, response["status"], content["size"], size, response.get("_error")])
        elif number in aborted:
            if not failed:
                finished.append([number, aborted[number], response["status"]])
        else:
            strangers.append(number)
    size = path.stat().st_size
    if size <= WHOLE:
        try:
            with open(path, "rb") as file:
                if len(json.load(file)["log"]["entries"]) != count:
                    wrong.append("another number of entries in all")
        except (ValueError, KeyError) as problem:
            wrong.append(f"the whole: {problem}")
    return {"bytes": size, "entries": count, "lost": sorted(complete.keys() - seen), "twice": twice, "changed": changed,
            "abortedAsComplete": finished, "abortedRecorded": len(aborted.keys() & seen), "strangers": strangers, "notHAR": wrong}


def shown(program, path):
    """How `authreel show` ends, and what it takes."""
    begun = time.monotonic()
    child = subprocess.run([program, "show", "--format", "json", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return {"showStatus": child.returncode, "showErrors": child.stderr[-500:], "showSeconds": round(time.monotonic() - begun, 1),
            "showBytes": most}
