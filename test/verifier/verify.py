"""Verifies an audit log with the standard library alone: bytes, chain, numbers, log, files, roots of checkpoints; of signatures only that they are there.
usage: verify.py FILE|FOLDER ...   one line of JSON each: {"ok", "firstBad", "file"}; exit 0 all ok, 1 broken, 2 unreadable"""
import base64, glob, hashlib, json, os, re, sys

SIGNED = {"human_choice", "grant", "trust", "config_accepted", "switch", "log.open", "log.key", "log.checkpoint", "log.heartbeat"}
sha = lambda data: hashlib.sha256(data).digest()

def refuse(text):
    raise ValueError(text)

def integer(text):
    return int(text) if abs(int(text)) < 2**53 else refuse(text)

def fields(pairs):
    if len(dict(pairs)) < len(pairs) or any(c > "~" for key, _ in pairs for c in key): refuse("keys")
    return dict(pairs)

def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)

decoder = json.JSONDecoder(object_pairs_hook=fields, parse_int=integer, parse_float=refuse, parse_constant=refuse)

def record_of(line):
    """The record, or None where the line is not in canonical bytes or its own hash is wrong."""
    try:
        record = decoder.decode(line.decode("utf8"))
        stated = record.pop("record_hash")
        body = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf8")
        whole = body[:-1] + b',"record_hash":"' + stated.encode() + b'"}'
        return {**record, "record_hash": stated} if whole == line and sha(body).hex() == stated and depth(record) <= 64 else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None

def add(tree, leaf):
    node, size = sha(b"\0" + leaf), 1
    while tree and tree[-1][1] == size:
        node, size = sha(b"\1" + tree.pop()[0] + node), 2 * size
    tree.append((node, size))

def root(tree):
    node = tree[-1][0]
    for left, _ in reversed(tree[:-1]): node = sha(b"\1" + left + node)
    return base64.b64encode(node).decode()

def first_bad(path, number, log_id, before, notes, waited, keys):
    """Line of the first damage or None, the log's id, and what the next file must say of this one."""
    prev, count, tree, good, late, digest = None, 0, [], 1, None, hashlib.sha256()
    for line in open(path, "rb"):
        count += 1
        digest.update(line)
        record = record_of(line[:-1]) if line.endswith(b"\n") else None
        log_id = log_id or (record or {}).get("log_id")
        if record is None or (record.get("prev_hash", 0), record.get("seq"), record.get("log_id")) != (prev, count, log_id):
            return count, log_id, None
        for one in record.get("findings") or []:
            if one.get("by") != "audit_log" or not one.get("code", "").startswith("spooled"): continue
            name = (one.get("details") or {}).get("id")
            if name in waited: late = late or count
            waited.add(name)
        data, event = record.get("data") or {}, record.get("event")
        link = (data.get("segment"), data.get("previous")) if event == "log.segment" else (1, None)
        if event == "log.recovered" and data.get("what") == "head_differs" or count == 1 and link != (number, before):
            return max(1, count - 1), log_id, None
        if event in SIGNED and (not isinstance(record.get("sig"), str) or not keys and event != "log.open"):
            return late or count, log_id, None
        if event == "log.open": keys.add(data.get("vkey"))
        prev = record["record_hash"]
        add(tree, line[:-1])
        for size, stated in notes.get((log_id, number), []):
            if size == count and stated == root(tree): good = count + 1
            elif size == count: late = late or good
    if any(size > count for size, _ in notes.get((log_id, number), [])): late = late or count + 1
    return late, log_id, {"file": os.path.basename(path), "count": count, "head": prev, "sha256": digest.hexdigest()}

def verify(path):
    log = os.path.join(path, "audit.jsonl") if os.path.isdir(path) else path
    stem, notes, waited, log_id, before = log[:-6], {}, set(), None, None
    keys = set()
    if os.path.exists(stem + ".checkpoints"):
        text = open(stem + ".checkpoints", encoding="utf8", errors="replace").read()
        for origin, number, size, stated in re.findall(r"^countersign/(\S+)/(\d+)\n(\d+)\n(\S{44})\n\n", text, re.M):
            notes.setdefault((origin, int(number)), []).append((int(size), stated))
    closed = {int(file[len(stem) + 1:-6]): file for digits in (6, 7, 8, 9) for file in glob.glob(glob.escape(stem) + "-" + "[0-9]" * digits + ".jsonl")}
    closed = [file for number, file in sorted(closed.items()) if number > 0 and file == f"{stem}-{number:06}.jsonl"]
    for number, file in enumerate(closed + [log], 1):
        if file != log and file != f"{stem}-{number:06}.jsonl":
            return {"ok": False, "firstBad": 1, "file": os.path.basename(f"{stem}-{number:06}.jsonl")}
        bad, log_id, before = first_bad(file, number, log_id, before, notes, waited, keys)
        if bad is not None: return {"ok": False, "firstBad": bad, "file": os.path.basename(file)}
    return {"ok": True, "firstBad": None, "file": None}

try:
    results = [verify(path) for path in sys.argv[1:]]
    for result in results: print(json.dumps(result))
    sys.exit(0 if all(result["ok"] for result in results) else 1)
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
