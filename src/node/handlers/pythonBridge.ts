/** The Python program that calls a function of a module with each event, as text. Knows nothing of processes. */

/**
 * Standard input brings lines of JSON, standard output takes them; both are taken away before the module is loaded,
 * so that what it prints goes to standard error. Files of the folder are run only as the bytes that were hashed.
 */
export const BRIDGE_SOURCE = `
import hashlib, importlib, importlib.abc, importlib.machinery, importlib.util, json, os, sys, threading, types

requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="")
answers = os.fdopen(os.dup(1), "wb", buffering=0)
empty = os.open(os.devnull, os.O_RDONLY)
os.dup2(empty, 0)
os.dup2(2, 1)
lock = threading.Lock()

def send(reply):
    data = (json.dumps(reply, allow_nan=False) + "\\n").encode("utf-8")
    with lock:
        view = memoryview(data)
        while view:
            view = view[answers.write(view):]

class Unset:
    def __repr__(self):
        return "UNSET"
    def __bool__(self):
        return False
UNSET = Unset()

EVENT_KEYS = ("event run_id session_id call_id agent cwd tool_name canonical_name vendor tool_input tool_result "
              "error outcome request response report artifacts").split()

class HookEvent(dict):
    def __getattr__(self, name):
        if name in self or name in EVENT_KEYS:
            return self.get(name)
        raise AttributeError(name)

RESULT_KEYS = ("decision reason updated_input updated_result updated_error updated_request updated_response "
               "additional_context findings").split()

class HookResult:
    def __init__(self, decision="allow", reason=None, updated_input=UNSET, updated_result=UNSET, updated_error=UNSET,
                 updated_request=UNSET, updated_response=UNSET, additional_context=None, findings=()):
        self.decision, self.reason, self.additional_context = decision, reason, additional_context
        self.updated_input, self.updated_result, self.updated_error = updated_input, updated_result, updated_error
        self.updated_request, self.updated_response = updated_request, updated_response
        self.findings = list(findings)

def plain(answer):
    if answer is None or isinstance(answer, (dict, str, int, float, list, bool)):
        return answer
    if not hasattr(answer, "decision"):
        raise TypeError("the answer is a " + type(answer).__name__)
    unset = getattr(sys.modules.get(type(answer).__module__), "UNSET", UNSET)
    pairs = [(key, getattr(answer, key, UNSET)) for key in RESULT_KEYS]
    return {key: value for key, value in pairs if value is not UNSET and value is not unset}

def offer(name):
    module = types.ModuleType(name)
    module.HookEvent, module.HookResult, module.UNSET = HookEvent, HookResult, UNSET
    module.__path__ = []
    sys.modules[name] = module
    return module

def under(path, folder):
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)

class Loader(importlib.abc.Loader):
    def __init__(self, path, source):
        self.path, self.source = path, source
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(self.source, self.path, "exec", dont_inherit=True), module.__dict__)
    def get_source(self, name):
        return importlib.util.decode_source(self.source)
    def is_package(self, name):
        return os.path.basename(self.path) == "__init__.py"

class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, folder, files, others):
        self.folder, self.files, self.others = folder, files, others
    def local(self, place):
        place = os.path.realpath(place)
        return under(place, self.folder) and not any(under(place, other) for other in self.others)
    def find_spec(self, name, path=None, target=None):
        places = [self.folder] if path is None else [place for place in path if self.local(place)]
        tail = name.rpartition(".")[2]
        for place in places:
            package = os.path.join(place, tail, "__init__.py")
            for found in (package, os.path.join(place, tail + ".py")):
                if os.path.isfile(found):
                    return self.spec(name, found, os.path.dirname(found) if found is package else None)
        for place in places:
            inner = os.path.join(place, tail)
            if os.path.isdir(inner) and (path is not None or importlib.machinery.PathFinder.find_spec(name) is None):
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [inner]
                return spec
        if path is not None and places and len(places) == len(list(path)):
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
        return None
    def spec(self, name, found, package):
        real = os.path.realpath(found)
        with open(real, "rb") as file:
            source = file.read()
        if self.files.get(real) != hashlib.sha256(source).hexdigest():
            raise ImportError(found + " is not among the files that were read when the configuration was loaded", name=name)
        inner = None if package is None else [package]
        loader = Loader(found, source)
        return importlib.util.spec_from_file_location(name, found, loader=loader, submodule_search_locations=inner)

def text(error):
    try:
        return (type(error).__name__ + ": " + str(error))[:2000]
    except BaseException:
        return "it raised something that cannot be shown"

def watch(limit):
    import time
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    while os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm") as file:
            if int(file.read().split()[1]) * page > limit:
                send({"ended": "it used too much memory"})
                os._exit(1)
        time.sleep(0.05)

def begin(start):
    folder = os.path.realpath(start["folder"])
    sys.path[:] = [place for place in sys.path if place not in ("", ".", folder)]
    others = [os.path.realpath(place) for place in sys.path]
    others = [other for other in others if not under(folder, other)]
    place = next((i for i, f in enumerate(sys.meta_path) if f is importlib.machinery.PathFinder), 0)
    sys.meta_path.insert(place, Finder(folder, start["files"], others))
    for name in ("countersign", "gatewaysdk.hooks"):
        parent = name.partition(".")[0]
        if importlib.util.find_spec(parent) is None:
            module = offer(name)
            if parent != name:
                offer(parent).hooks = module
    threading.Thread(target=watch, args=(start["maxBytes"],), daemon=True).start()
    return importlib.import_module(start["module"])

def function_of(module, name):
    if not hasattr(module, name):
        raise AttributeError("there is no function %s in %s" % (name, module.__name__))
    function = getattr(module, name)
    if not callable(function):
        raise TypeError("%s in %s is not callable" % (name, module.__name__))
    return function

def answer(module, request):
    try:
        function = function_of(module, request["fn"])
        if "event" not in request:
            return send({"id": request["id"], "ok": True})
        value = function(HookEvent(request["event"]))
        if hasattr(value, "__await__"):
            import asyncio
            async def wait():
                return await value
            value = asyncio.run(wait())
        value = plain(value)
        if len(json.dumps(value, allow_nan=False)) > 1048576:
            raise ValueError("the answer is larger than 1 MiB")
        send({"id": request["id"], "ok": True, "value": value})
    except BaseException as error:
        send({"id": request["id"], "ok": False, "error": text(error)})

module = None
for line in requests:
    message = json.loads(line)
    if "module" in message:
        try:
            module = begin(message)
            send({"id": 0, "ok": True})
        except BaseException as error:
            send({"id": 0, "ok": False, "error": text(error)})
    else:
        threading.Thread(target=answer, args=(module, message), daemon=True).start()
os._exit(0)
`;
