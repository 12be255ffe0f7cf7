#!/usr/bin/env python3
"""Runs the benchmark programs under several runners and compares them with native Go.

  compare.py                              (everything, against whatever of Go, Lua, LuaJIT, CPython and node is installed)
  compare.py --runners go,lua5.4,gmpl=target/release/gmpl --benches fib,nbody --repeats 3 --json out.json --md out.md
  compare.py --benches conc --procs 1     (GOMAXPROCS=1 for all)
  compare.py --report out.json            (prints the tables again, runs nothing)

A runner is the name of a built-in one (see RUNNERS), NAME=PATH (runs `PATH run FILE.go`), or
NAME=COMMAND with {go}, {lua}, {py}, {js}, {um}, {tengo}, {name} or {bin} in it. `go` runs a binary that this script builds.
The runners take turns (A B C A B C ...), so that slow drift of the machine is shared.
A run's stdout must equal native Go's, except lines that start with '#', which hold timings. Where `go` is not
among the runners, native Go's output is the one kept in expected/, so no Go toolchain is needed; to see the ratios
all the same, merge into a copy of a file that has native Go's figures (--json COPY --merge).
Only the Python standard library is used; peak memory comes from GNU time where it is installed.
"""
import argparse
import fcntl
import json
import math
import os
import platform
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
BUILD = os.environ.get("BENCH_BUILD", os.path.join(tempfile.gettempdir(), "gmpl-bench"))
PEERS = os.environ.get("BENCH_PEERS", os.path.join(tempfile.gettempdir(), "gmpl-peers"))
GNU_TIME = "/usr/bin/time"

COMPUTE = ["fib", "nbody", "spectralnorm", "fannkuch", "binarytrees", "mandelbrot", "sieve", "matmul",
           "nqueens", "wordcount", "mapint", "sortslice", "iface", "structs", "sha256", "strbuild",
           "closures", "brainf"]
CONC = ["spawn", "pingpong", "ring", "primesieve", "selectbench", "mutex", "prodcons", "skynet",
        "parked", "sleepers", "fairness", "echo"]
START = ["hello"]
TIMED = ["fairness"]  # its wall time follows from how late the wake-ups are: left out of the geometric means
ALL = COMPUTE + CONC + START

RUNNERS = {
    "go": "{bin}",
    "yaegi": PEERS + "/yaegi run {go}",
    "goscript": PEERS + "/goscript {go}",
    "lua5.4": "lua5.4 {lua}",
    "luajit-joff": "luajit -joff {lua}",
    "luajit": "luajit {lua}",
    "gopherlua": PEERS + "/gopherlua {lua}",
    "python3": os.path.realpath(sys.executable) + " {py}",
    "node": "node {js}",
    "tengo": PEERS + "/tengo {tengo}",
    "umka": PEERS + "/umka {um}",
    "erlang": "erl +P 4000000 -noshell -pa " + BUILD + "/erl -s {name} main",
    "go-run": "go run {go}",
}
LIVE = set()  # process groups of the runs in progress


def stop(signum, frame):
    for pid in list(LIVE):
        try:
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            pass
    os._exit(130)


DIRS = {"go": ("go", ".go"), "lua": ("lua", ".lua"), "py": ("py", ".py"), "js": ("js", ".js"), "um": ("um", ".um"),
        "tengo": ("tengo", ".tengo")}


def template_for(spec):
    name, _, rest = spec.partition("=")
    if not rest:
        if name not in RUNNERS:
            sys.exit("unknown runner: " + name)
        return name, RUNNERS[name]
    if "{" in rest:
        return name, rest
    if not os.path.exists(rest):
        sys.exit("no such file: " + rest)
    return name, os.path.abspath(rest) + " run {go}"  # the programs run in a folder of their own


def installed():
    """The built-in runners that are there, and the release build of gmpl."""
    found = [n for n in ("go", "lua5.4", "luajit-joff", "luajit", "python3", "node") if shutil.which(n.split("-")[0])]
    gmpl = os.path.join(os.path.dirname(os.path.dirname(HERE)), "target", "release", "gmpl")
    if not os.path.exists(gmpl):
        sys.exit("target/release/gmpl is not built")
    return found + ["gmpl=" + gmpl]


def command(template, bench):
    """The command for a bench, or None where this runner has no program for it."""
    subst = {"name": bench, "bin": os.path.join(BUILD, "go", bench)}
    for key, (folder, ext) in DIRS.items():
        path = os.path.join(HERE, folder, bench + ext)
        subst[key] = path
        if "{" + key + "}" in template and not os.path.exists(path):
            return None
    if "{name}" in template and not os.path.exists(os.path.join(HERE, "erl", bench + ".erl")):
        return None
    return [part.format(**subst) for part in shlex.split(template)]


def stale(target, source):
    return not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source)


def build(benches, runner_names):
    go = shutil.which("go")
    os.makedirs(os.path.join(BUILD, "go"), exist_ok=True)
    env = dict(os.environ, GOFLAGS="", GO111MODULE="off")
    for b in benches:
        src, out = os.path.join(HERE, "go", b + ".go"), os.path.join(BUILD, "go", b)
        if stale(out, src):
            if not go:
                sys.exit("no `go` on PATH, and %s is not built" % out)
            subprocess.run([go, "build", "-o", out, src], check=True, env=env)
    if "erlang" in runner_names:
        os.makedirs(os.path.join(BUILD, "erl"), exist_ok=True)
        for b in ALL:
            src, out = os.path.join(HERE, "erl", b + ".erl"), os.path.join(BUILD, "erl", b + ".beam")
            if os.path.exists(src) and stale(out, src):
                subprocess.run(["erlc", "-o", os.path.join(BUILD, "erl"), src], check=True)


def rss_kb(pid):
    """The resident size of a process and its descendants now."""
    total = 0
    try:
        with open("/proc/%d/statm" % pid) as f:
            total = int(f.read().split()[1]) * 4
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            for child in f.read().split():
                total += rss_kb(int(child))
    except (OSError, IndexError, ValueError):
        pass
    return total


def run_once(cmd, timeout, max_rss_mb, use_gnu_time):
    """One run: status, wall, cpu (user+sys), peak RSS, stdout and the tail of stderr."""
    with tempfile.TemporaryDirectory() as tmp:
        rss_file = os.path.join(tmp, "rss")
        full = cmd
        if use_gnu_time:
            full = [GNU_TIME, "-q", "-f", "%M", "-o", rss_file] + cmd
        out = open(os.path.join(tmp, "out"), "w+b")
        err = open(os.path.join(tmp, "err"), "w+b")
        start = time.perf_counter()
        try:
            proc = subprocess.Popen(full, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    start_new_session=True, cwd=tmp)
        except OSError as e:
            return {"status": "missing", "error": str(e)}
        LIVE.add(proc.pid)
        state = {"killed": None}
        done = threading.Event()

        def watch():
            deadline = start + timeout
            while not done.wait(0.1):
                if time.perf_counter() > deadline:
                    state["killed"] = "timeout"
                elif rss_kb(proc.pid) > max_rss_mb * 1024:
                    state["killed"] = "memory"
                if state["killed"]:
                    try:
                        os.killpg(proc.pid, signal.SIGKILL)
                    except OSError:
                        pass
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        _, wstatus, ru = os.wait4(proc.pid, 0)
        wall = time.perf_counter() - start
        LIVE.discard(proc.pid)
        done.set()
        watcher.join()
        proc.returncode = os.waitstatus_to_exitcode(wstatus)
        out.seek(0)
        err.seek(0)
        stdout = out.read(1 << 20).decode("utf-8", "replace")
        stderr = err.read(1 << 20).decode("utf-8", "replace")
        out.close()
        err.close()
        rss = ru.ru_maxrss
        if use_gnu_time:
            try:
                with open(rss_file) as f:
                    rss = int(f.read().split()[-1])
            except (OSError, IndexError, ValueError):
                pass
        status = state["killed"] or ("ok" if proc.returncode == 0 else "error")
        return {"status": status, "code": proc.returncode, "wall": wall, "cpu": ru.ru_utime + ru.ru_stime,
                "rss_kb": rss, "stdout": stdout, "stderr": stderr[-600:]}


def busy_seconds():
    """CPU seconds that all the cores have spent busy or were stolen since boot (resolution 10 ms)."""
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:]]
    return (v[0] + v[1] + v[2] + v[5] + v[6] + (v[7] if len(v) > 7 else 0)) / os.sysconf("SC_CLK_TCK")


def checked_lines(text):
    return [line.rstrip() for line in text.splitlines() if not line.startswith("#")]


class Lock:
    """Holds a lock file for a while at a time, so that other users of it get their turn."""

    def __init__(self, path, hold):
        self.path, self.hold, self.file, self.since = path, hold, None, 0.0

    def turn(self):
        if not self.path:
            return
        if self.file and time.monotonic() - self.since > self.hold:
            self.release()
            time.sleep(0.5)
        if not self.file:
            self.file = open(self.path, "a")
            fcntl.flock(self.file, fcntl.LOCK_EX)
            self.since = time.monotonic()

    def release(self):
        if self.file:
            self.file.close()
            self.file = None


def measure(args):
    runners = dict(template_for(s) for s in args.runners)
    benches = args.benches
    native = any("{bin}" in t for t in runners.values())
    build(benches if native else [], runners)
    data = load(args.json) if args.json and args.merge else {"results": {}}
    data["machine"] = machine()
    results = data["results"]
    lock = Lock(args.lock, args.hold)
    gnu = os.path.exists(GNU_TIME)
    for bench in benches:
        row = results.setdefault(bench, {})
        lock.turn()
        expected_file = os.path.join(HERE, "expected", bench + ".txt")
        if native:
            ref = run_once([os.path.join(BUILD, "go", bench)], args.timeout, args.max_rss, False)
            if ref["status"] != "ok":
                sys.exit("native Go fails on %s: %s" % (bench, ref))
            expect = checked_lines(ref["stdout"])
            os.makedirs(os.path.dirname(expected_file), exist_ok=True)
            with open(expected_file, "w") as f:
                f.write("".join(line + "\n" for line in expect))
        else:
            with open(expected_file) as f:
                expect = checked_lines(f.read())
        cells = {}
        for name, template in runners.items():
            cmd = command(template, bench)
            if cmd is None:
                continue
            cells[name] = {"cmd": " ".join(cmd), "status": "ok", "wall": [], "cpu": [], "rss_kb": [], "notes": [],
                           "discarded": 0, "noisy_turns": 0}
            row[name] = cells[name]
        start_up = bench in START
        repeats = max(args.repeats, args.start_repeats) if start_up else args.repeats
        for rep in range(repeats):
            for name, cell in cells.items():
                if cell["status"] != "ok":
                    continue
                for attempt in range(args.retries + 1):
                    lock.turn()
                    before, began, runs, bad = busy_seconds(), time.perf_counter(), [], None
                    while bad is None:
                        r = run_once(shlex.split(cell["cmd"]), args.timeout, args.max_rss, gnu and not start_up)
                        if r["status"] == "ok" and checked_lines(r["stdout"]) != expect:
                            r["status"] = "mismatch"
                        if r["status"] != "ok":
                            bad = r
                            break
                        runs.append(r)
                        if start_up or r["wall"] >= args.quick or len(runs) >= args.quick_times:
                            break
                    took = time.perf_counter() - began
                    own = sum(r["cpu"] for r in runs) + (bad.get("cpu", 0) if bad else 0)
                    foreign = busy_seconds() - before - own
                    # Other work on the machine, or a hypervisor that took the CPU away: the turn does not count.
                    quiet = foreign < 0.06 * took + 0.06
                    if bad or quiet:
                        break
                    cell["discarded"] += len(runs)
                    if attempt < args.retries:
                        time.sleep(2)
                if bad:
                    cell["status"] = bad["status"]
                    cell["error"] = (bad.get("error") or bad.get("stderr") or "")[-400:]
                    if bad["status"] == "mismatch":
                        cell["got"] = bad["stdout"][:300] or "no output; stderr: " + bad["stderr"][-300:]
                    cell["failed_wall"] = bad.get("wall")
                    cell["failed_rss_kb"] = bad.get("rss_kb")
                    continue
                cell["noisy_turns"] += 0 if quiet else 1
                for r in runs:
                    cell["wall"].append(r["wall"])
                    cell["cpu"].append(r["cpu"])
                    cell["rss_kb"].append(r["rss_kb"])
                    cell["notes"] += [line for line in r["stdout"].splitlines() if line.startswith("#")]
            if start_up and rep == repeats - 1 and gnu:
                for name, cell in cells.items():
                    if cell["status"] == "ok":
                        r = run_once(shlex.split(cell["cmd"]), args.timeout, args.max_rss, True)
                        cell["rss_kb"] = [r["rss_kb"]]
        print("%-13s " % bench + "  ".join(
            "%s %s" % (n, "%.3f" % statistics.median(c["wall"]) if c["status"] == "ok" else c["status"])
            for n, c in cells.items()), flush=True)
        if args.json:
            with open(args.json + ".tmp", "w") as f:
                json.dump(data, f, indent=1)
            os.replace(args.json + ".tmp", args.json)
    lock.release()
    return data


def machine():
    cpu = ""
    try:
        with open("/proc/cpuinfo") as f:
            cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "")
    except OSError:
        pass
    return {"cpu": cpu, "cores": os.cpu_count(), "kernel": platform.release(),
            "when": time.strftime("%Y-%m-%d %H:%M:%S"), "procs": os.environ.get("GOMAXPROCS")}


def load(path):
    if os.path.exists(path):
        with open(path) as f:
            return json.load(f)
    return {"results": {}}


def med(cell, key):
    return statistics.median(cell[key])


def geomean(xs):
    return math.exp(sum(math.log(x) for x in xs) / len(xs)) if xs else None


def ok(cell):
    return cell is not None and cell["status"] == "ok" and cell["wall"]


def table(data, benches, names, title, out):
    res = data["results"]
    rows = [b for b in benches if b in res]
    names = [n for n in names if any(n in res[b] for b in rows)]
    if not rows or not names:
        return
    scale, unit, digits = (1000.0, "ms", "%.2f") if title == "Start-up" else (1.0, "seconds", "%.3f")
    out.append("### %s: wall %s, median (ratio to native Go)\n" % (title, unit))
    out.append("| bench | " + " | ".join(names) + " |")
    out.append("|---|" + "---:|" * len(names))
    ratios = {n: {} for n in names}
    for b in rows:
        base = med(res[b]["go"], "wall") if ok(res[b].get("go")) else None
        line = []
        for n in names:
            c = res[b].get(n)
            if c is None:
                line.append("-")
            elif not ok(c):
                line.append(c["status"])
            else:
                w = med(c, "wall")
                if base:
                    if b not in TIMED:
                        ratios[n][b] = w / base
                    line.append(digits % (w * scale) + ("" if n == "go" else " (%.1fx)" % (w / base)))
                else:
                    line.append(digits % (w * scale))
        out.append("| %s | " % b + " | ".join(line) + " |")
    if len(rows) > 1:
        line = []
        for n in names:
            g = geomean(list(ratios[n].values()))
            line.append("%.1fx of %d" % (g, len(ratios[n])) if g else "-")
        out.append("| **geomean of its own rows** | " + " | ".join(line) + " |")
    wide = [n for n in names if len(ratios[n]) * 2 >= len(rows)]
    common = [b for b in rows if all(b in ratios[n] for n in wide)]
    if common and len(wide) > 1 and len(rows) > 1:
        line = []
        for n in names:
            own = [ratios[n][b] for b in common if b in ratios[n]]
            line.append("%.1fx" % geomean(own) if n in wide else "-")
        out.append("| **geomean of %d common rows** | " % len(common) + " | ".join(line) + " |")
        out.append("\nCommon rows: " + ", ".join(common) + ".")
    out.append("")
    out.append("### %s: CPU seconds (user+sys) / peak RSS in MiB, medians\n" % title)
    out.append("| bench | " + " | ".join(names) + " |")
    out.append("|---|" + "---:|" * len(names))
    for b in rows:
        line = []
        for n in names:
            c = res[b].get(n)
            line.append("%.3f / %.0f" % (med(c, "cpu"), med(c, "rss_kb") / 1024) if ok(c) else "-" if c is None else c["status"])
        out.append("| %s | " % b + " | ".join(line) + " |")
    out.append("")


def summary(data, names, out):
    """One table: how many times gmpl's wall time the others need, and the peak memory of gmpl and of Go."""
    res = data["results"]
    mine = next((n for n in names if n.startswith("gmpl")), None)
    if not mine:
        return
    others = [n for n in names if n != mine]
    memory = [n for n in (mine, "go") if n in names]
    m = data.get("machine", {})
    out.append("### How many times %s's wall time the others take (above 1: %s is faster), and peak MiB\n" % (mine, mine))
    out.append("%s, %s cores, Linux %s, %s%s\n" % (m.get("cpu", "?"), m.get("cores", "?"), m.get("kernel", "?"), m.get("when", "?"),
                                                  ", GOMAXPROCS=%s" % m["procs"] if m.get("procs") else ""))
    out.append("| program | " + " | ".join([mine + " (s)"] + others + [n + " MiB" for n in memory]) + " |")
    out.append("|---|" + "---:|" * (1 + len(others) + len(memory)))
    ratios = {n: [] for n in others}
    for b in [b for b in ALL if b in res and ok(res[b].get(mine))]:
        own = med(res[b][mine], "wall")
        line = ["%.3f" % own]
        for n in others:
            c = res[b].get(n)
            line.append("%.2f" % (med(c, "wall") / own) if ok(c) else "-" if c is None else c["status"])
            if ok(c) and b in COMPUTE:
                ratios[n].append(med(c, "wall") / own)
        line += ["%.0f" % (med(res[b][n], "rss_kb") / 1024) if ok(res[b].get(n)) else "-" for n in memory]
        out.append("| %s | " % b + " | ".join(line) + " |")
    means = ["%.2f" % geomean(ratios[n]) if ratios[n] else "-" for n in others]
    out.append("| **geometric mean, compute** | | " + " | ".join(means) + " |" + " |" * len(memory))
    out.append("")


def report(data, names=None):
    res = data["results"]
    seen = []
    for row in res.values():
        seen += [n for n in row if n not in seen]
    order = [n for n in RUNNERS if n in seen] + [n for n in seen if n not in RUNNERS]
    names = [n for n in order if not names or n in names]
    out = []
    summary(data, names, out)
    for title, group in (("Compute", COMPUTE), ("Concurrency", CONC), ("Start-up", START)):
        table(data, group, names, title, out)
    out.append("### Timings the programs print (median run)\n")
    for b in ALL:
        for n in names:
            c = res.get(b, {}).get(n)
            if ok(c) and c["notes"]:
                order_ = sorted(range(len(c["notes"])), key=lambda i: c["wall"][i] if i < len(c["wall"]) else 0)
                out.append("- %s, %s: `%s`" % (b, n, c["notes"][order_[len(order_) // 2]]))
    out.append("")
    out.append("### Spread of the wall times of one cell, (max - min) / median\n")
    out.append("| runner | median cell | worst cell | runs | runs discarded | turns kept though disturbed |")
    out.append("|---|---:|---:|---:|---:|---:|")
    for n in names:
        cells = [(b, res[b][n]) for b in ALL if b in res and ok(res[b].get(n)) and len(res[b][n]["wall"]) > 1]
        if cells:
            spread = [((max(c["wall"]) - min(c["wall"])) / med(c, "wall"), b) for b, c in cells]
            out.append("| %s | %.0f%% | %.0f%% (%s) | %d | %d | %d |" % (
                n, 100 * statistics.median(x for x, _ in spread), 100 * max(spread)[0], max(spread)[1],
                sum(len(c["wall"]) for _, c in cells), sum(c.get("discarded", 0) for _, c in cells),
                sum(c.get("noisy_turns", 0) for _, c in cells)))
    out.append("")
    fails = [(b, n, res[b][n]) for b in ALL if b in res for n in names if n in res[b] and not ok(res[b][n])]
    if fails:
        out.append("### Failures\n")
        for b, n, c in fails:
            why = " ".join((c.get("got") if c["status"] == "mismatch" else c.get("error") or "").split())[:220]
            out.append("- %s, %s: %s (after %.1f s, %.0f MiB): `%s`" % (
                b, n, c["status"], c.get("failed_wall") or 0, (c.get("failed_rss_kb") or 0) / 1024, why))
        out.append("")
    return "\n".join(out)


def main():
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--runners", help="comma list; NAME, NAME=PATH or NAME=COMMAND with {go}; default: the installed ones and target/release/gmpl")
    ap.add_argument("--procs", type=int, help="GOMAXPROCS for all")
    ap.add_argument("--benches", default="all", help="comma list, or all, compute, conc")
    ap.add_argument("--repeats", type=int, default=3)
    ap.add_argument("--start-repeats", type=int, default=20, help="repeats for hello")
    ap.add_argument("--quick", type=float, default=0.3, help="a run under this many seconds is repeated in its turn")
    ap.add_argument("--quick-times", type=int, default=5)
    ap.add_argument("--retries", type=int, default=3, help="how often a turn disturbed by other work is tried again")
    ap.add_argument("--timeout", type=float, default=60)
    ap.add_argument("--max-rss", type=float, default=12000, help="MiB; a run over it is ended")
    ap.add_argument("--json", help="write the raw figures here")
    ap.add_argument("--merge", action="store_true", help="keep what --json already holds for other benches and runners")
    ap.add_argument("--md", help="write the tables here too")
    ap.add_argument("--lock", help="take this lock file (flock) around the runs")
    ap.add_argument("--hold", type=float, default=300, help="seconds to hold the lock before giving others a turn")
    ap.add_argument("--report", metavar="JSON", help="print the tables of an earlier run")
    args = ap.parse_args()
    groups = {"all": ALL, "compute": COMPUTE, "conc": CONC}
    args.benches = [b for part in args.benches.split(",") for b in groups.get(part, [part])]
    for b in args.benches:
        if not os.path.exists(os.path.join(HERE, "go", b + ".go")):
            sys.exit("no such bench: " + b)
    if args.procs:
        os.environ["GOMAXPROCS"] = str(args.procs)
    args.runners = [r for r in args.runners.split(",") if r] if args.runners else installed()
    if args.report:
        text = report(load(args.report))
    else:
        text = report(measure(args))
    if args.md:
        with open(args.md, "w") as f:
            f.write(text)
    print(text)


main()
