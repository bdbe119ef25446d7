/** The Python that we run to look before anything runs, as text: what a module reaches, and whether it imports. Knows nothing of processes. */

/** Prints the local files that a module or script reaches by import, as JSON. Reads source and runs none of it. */
export const SCAN_SOURCE = `
import ast, json, os, sys
root, kind, name = sys.argv[1:4]
root = os.path.realpath(root)
found, waiting, elsewhere, unlisted, links = [], [], set(), [], []

def note(path, package):
    real = os.path.realpath(path)
    if kind == "module" and os.path.commonpath([root, real]) != root:
        raise ValueError(path + " leads out of the folder " + root)
    if path != real and path not in links:
        links.append(path)
    if real not in found:
        found.append(real)
        waiting.append((real, package))

def look(parts):
    place = root
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        inner = os.path.join(place, part)
        if os.path.isfile(os.path.join(inner, "__init__.py")):
            note(os.path.join(inner, "__init__.py"), parts[:index + 1])
            if last and kind == "main" and os.path.isfile(os.path.join(inner, "__main__.py")):
                note(os.path.join(inner, "__main__.py"), parts[:index + 1])
        elif os.path.isfile(inner + ".py"):
            note(inner + ".py", parts[:index])
            return
        elif not os.path.isdir(inner):
            if index == 0:
                elsewhere.add(part)
            return
        place = inner

def imports(tree, package):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            if base:
                yield base
            for alias in node.names:
                if alias.name != "*":
                    yield base + [alias.name]

RUNNERS = {"subprocess", "runpy", "imp", "pty", "ctypes", "cffi", "zipimport", "pkgutil", "code", "codeop", "pdb"}
RUNS = {
    "os": ("system", "popen", "startfile", "posix_spawn", "posix_spawnp", "fork", "forkpty"),
    "asyncio": ("create_subprocess_exec", "create_subprocess_shell"),
    "sys": ("path", "meta_path", "path_hooks", "path_importer_cache", "pycache_prefix"),
    "site": ("addsitedir", "main"),
    "importlib": ("reload", "machinery", "abc"),
}
LOADERS = ("spec_from_file_location", "SourceFileLoader", "module_from_spec", "run_path", "run_module", "load_module")

def runs(node):
    """Words for what loads or starts what its text does not name."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] in RUNNERS:
                return "import " + alias.name
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        top = node.module.split(".")[0]
        if top in RUNNERS:
            return "from %s import ..." % node.module
        for alias in node.names:
            if alias.name in RUNS.get(top, ()) or (top == "os" and alias.name.startswith(("exec", "spawn"))):
                return "from %s import %s" % (top, alias.name)
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        direct = isinstance(node.func, ast.Name) and name in ("exec", "eval", "compile", "__import__")
        if name in ("import_module", "__import__"):
            plain = len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
            if plain and not node.args[0].value.startswith("."):
                look(node.args[0].value.split("."))
                return None
            return name + "(...)"
        if direct or name in LOADERS:
            return name + "(...)"
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        top = node.value.id
        if node.attr in RUNS.get(top, ()) or (top == "os" and node.attr.startswith(("exec", "spawn"))):
            return top + "." + node.attr
    return None

def names_of(tree):
    """None where a name may come about in other ways."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif node.id in ("globals", "setattr", "vars", "exec", "eval"):
                return None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name == "*":
                    return None
                names.add((alias.asname or alias.name).split(".")[0])
        elif isinstance(node, ast.Attribute) and node.attr in ("modules", "__dict__"):
            return None
    return None if "__getattr__" in names else sorted(names)

def own_file():
    base = os.path.join(root, *name.split("."))
    for path in (os.path.join(base, "__init__.py"), base + ".py"):
        if os.path.isfile(path):
            return os.path.realpath(path)
    if os.path.exists(os.path.join(root, name.split(".")[0], "__init__.py")):
        raise ValueError("there is no module " + name + " in " + root)

HARMLESS = {"json", "base64", "calendar", "platform", "sysconfig"}
names = None
try:
    wanted = own_file() if kind == "module" else None
    if kind == "file":
        note(name, [])
    elif kind == "main" and name.split(".")[0] in HARMLESS and not os.path.exists(os.path.join(root, name.split(".")[0])):
        elsewhere.add(name.split(".")[0])
    elif kind == "code":
        waiting.append((None, []))
    else:
        look(name.split("."))
    # A script's folder comes before Python's own: a file of such a name would be taken in its place.
    if kind != "module":
        for part in getattr(sys, "stdlib_module_names", ()):
            look([part])
    if kind == "main" and not found and not waiting and name.split(".")[0] not in HARMLESS:
        unlisted.append("-m " + name + " may run files of this folder")
    while waiting:
        path, package = waiting.pop()
        if len(found) > 500:
            raise ValueError("it imports more than 500 files")
        if path is None:
            tree = ast.parse(name, "its code")
        else:
            with open(path, "rb") as source:
                tree = ast.parse(source.read(), path)
        if path == wanted:
            names = names_of(tree)
        for parts in imports(tree, package):
            look(parts)
        for node in ast.walk(tree):
            what = runs(node)
            if what is not None:
                unlisted.append("%s:%d: %s" % (path or "its code", getattr(node, "lineno", 1), what))
    own = getattr(sys, "stdlib_module_names", ())
    packages = sorted(part for part in elsewhere if part not in own)
    print(json.dumps({"files": found, "elsewhere": sorted(elsewhere), "names": names, "links": links,
                      "packages": packages, "unlisted": unlisted[:20]}))
except SyntaxError as error:
    print(json.dumps({"error": "%s:%s: %s" % (error.filename, error.lineno, error.msg)}))
except Exception as error:
    print(json.dumps({"error": str(error)}))
`;

/** Tells where Python really is (a shim chooses anew in each folder) and which it is. */
export const PROBE_SOURCE = `
import json, sys
print(json.dumps({"executable": sys.executable, "version": list(sys.version_info[:2])}))
`;
