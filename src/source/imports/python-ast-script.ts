/**
 * Reads NDJSON of `{"text": …}` and answers one line of `RawImports` for each. Nothing of what it reads is run, or even
 * compiled. Its own limits end it where a text is made to use it up; whoever started it sees a process that ended.
 */
export const pythonAstScript = String.raw`
import ast
import json
import sys

try:
    import resource
except ImportError:
    resource = None
if resource is not None:
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


def last_name(node):
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def catches(handler):
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(last_name(kind) in CAUGHT for kind in kinds)


def dotted(node):
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id + "." + node.attr
    return node.id if isinstance(node, ast.Name) else None


def asks_platform(test):
    return any(dotted(node) in {"sys.platform", "sys.version_info", "os.name"} for node in ast.walk(test))


def children(node, kind, optional):
    if isinstance(node, ast.If):
        yield node.test, kind, optional
        branches = optional or asks_platform(node.test)
        of_body = "type" if last_name(node.test) == "TYPE_CHECKING" else kind
        for child in node.body:
            yield child, of_body, branches
        for child in node.orelse:
            yield child, kind, branches
    elif isinstance(node, TRIES):
        guarded = optional or any(catches(handler) for handler in node.handlers)
        for child in node.body:
            yield child, kind, guarded
        for child in node.handlers:
            yield child, kind, guarded
        for child in [*node.orelse, *node.finalbody]:
            yield child, kind, optional
    else:
        for child in ast.iter_child_nodes(node):
            yield child, kind, optional


def walk(tree):
    stack = [(tree, "static", False)]
    while stack:
        node, kind, optional = stack.pop()
        yield node, kind, optional
        stack.extend(children(node, kind, optional))


def loaders(nodes):
    calls = {"__import__", "builtins.__import__", "importlib.import_module"}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "importlib" and alias.asname:
                    calls.add(alias.asname + ".import_module")
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "importlib":
            for alias in node.names:
                if alias.name == "import_module":
                    calls.add(alias.asname or alias.name)
    return calls


def argument(call):
    if call.args:
        return call.args[0]
    return next((word.value for word in call.keywords if word.arg == "name"), None)


def read(text):
    imports, computed = [], []
    found = list(walk(ast.parse(text)))
    calls = loaders(node for node, _, _ in found)
    for node, kind, optional in found:
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        elif isinstance(node, ast.Call) and dotted(node.func) in calls:
            name = argument(node)
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                names, kind = [name.value], "type" if kind == "type" else "dynamic"
            else:
                computed.append({"line": node.lineno, "call": dotted(node.func)})
        for name in names:
            if name != "__future__":
                imports.append({"specifier": name, "kind": kind, "line": node.lineno, "optional": optional})
    return {"imports": imports, "computed": computed, "fault": None}


def fault(line, message):
    return {"imports": [], "computed": [], "fault": {"line": max(line or 0, 0), "message": message}}


for line in sys.stdin.buffer:
    text = json.loads(line)["text"]
    try:
        answer = read(text)
    except SyntaxError as error:
        answer = fault(error.lineno, error.msg or "syntax error")
    except ValueError as error:
        answer = fault(0, str(error))
    except (RecursionError, MemoryError) as error:
        answer = fault(0, "it is nested too deep or too large (" + type(error).__name__ + ")")
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
`;
