/** Small programs of ours that run in the sandbox, each with paths as its arguments. */

/** pip's wheel, or its folder; then pip's own words. */
export const pipScript = `
import os, runpy, sys
place = sys.argv.pop(1)
sys.path.insert(0, place if place.endswith(".whl") else os.path.dirname(place))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

/** backend folder, backend module, folder for the wheel. */
export const buildScript = `
import importlib, sys
sys.path.insert(0, sys.argv[1])
importlib.import_module(sys.argv[2]).build_wheel(sys.argv[3], {})
`;

/**
 * wheel, new folder. Unpacks, takes comments out without moving a line or a column of code, and compiles without
 * running: prints \`fault <where>: <why>\` for what is no Python. What cannot be read safely stays as it is.
 */
export const publishScript = String.raw`
import ast, io, os, re, sys, tokenize, zipfile

KEPT = re.compile(r"#\s*type:")
COOKIE = re.compile(r"#.*?coding[:=]\s*[-\w.]+")

def without_comments(data):
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
        row, column = token.start
        if token.type != tokenize.COMMENT or KEPT.match(token.string):
            continue
        if (row == 1 and token.string.startswith("#!")) or (row <= 2 and COOKIE.match(token.string)):
            continue
        line = lines[row - 1]
        end = "\r" if line.endswith("\r") else ""
        lines[row - 1] = line[:column].rstrip(" \t\f") + end
    return "\n".join(lines).encode(encoding)

def same(before, after):
    return ast.dump(ast.parse(before), include_attributes=True) == ast.dump(ast.parse(after), include_attributes=True)

def publish(name, data):
    try:
        compile(data, name, "exec", ast.PyCF_ONLY_AST if name.endswith(".pyi") else 0, dont_inherit=True)
        after = without_comments(data)
        return after if same(data, after) else data
    except SyntaxError as error:
        print("fault %s:%s: %s" % (name, error.lineno or 0, error.msg))
    except (ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        print("fault %s:0: %s" % (name, error))
    return data

wheel, folder = sys.argv[1:3]
with zipfile.ZipFile(wheel) as archive:
    for info in archive.infolist():
        name = info.filename
        if info.is_dir():
            continue
        parts = name.split("/")
        if name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
            print("fault %r:0: is no path that a wheel may have" % name)
            continue
        data = archive.read(info)
        path = os.path.join(folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            file.write(publish(name, data) if name.endswith((".py", ".pyi")) else data)
        os.chmod(path, 0o755 if (info.external_attr >> 16) & 0o100 else 0o644)
`;

/** folder of wheels. One line of JSON for each: what it is called, and what it needs. */
export const describeWheelsScript = `
import email.parser, json, os, sys, zipfile
for name in sorted(os.listdir(sys.argv[1])):
    with zipfile.ZipFile(os.path.join(sys.argv[1], name)) as archive:
        info = next(one for one in archive.namelist() if one.count("/") == 1 and one.endswith(".dist-info/METADATA"))
        found = email.parser.Parser().parsestr(archive.read(info).decode("utf-8", "replace"), headersonly=True)
    print(json.dumps({"name": found["Name"], "version": found["Version"], "requires": found.get_all("Requires-Dist") or []}))
`;

/** At once, whatever threads the module has left: what it was told to find out is said. Fails as what it tried did. */
function leave(failed: string): string {
  return `sys.stdout.flush()
sys.stderr.flush()
os._exit(1 if ${failed} else 0)
`;
}

/** lib, JSON file with names of modules. Imports all of them, as whoever uses the artifact would. */
export const importScript = `
import importlib, json, os, site, sys
site.addsitedir(sys.argv[1])
with open(sys.argv[2]) as file:
    names = json.load(file)
sys.argv[1:] = []
failed = 0
for name in names:
    try:
        importlib.import_module(name)
    except BaseException as error:
        failed += 1
        print("\\nimport-failed %s: %s: %s" % (name, type(error).__name__, " ".join(str(error).split())[:300]))
print("\\nimports-done %d" % failed)
${leave("failed > 0")}`;

/** lib, folder of what only tests need, module's folder, JSON file with tests: how both programs for tests begin. */
const beginTests = `
import importlib, json, os, site, sys
lib, extra, folder, listing = sys.argv[1:5]
sys.argv[1:] = []
for path in (lib, extra):
    site.addsitedir(path)
os.environ["PYTHONPATH"] = os.pathsep.join((lib, extra))
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
with open(listing) as file:
    cases = json.load(file)
failures = []
`;

/** And how both end: who failed and why, and how many tests there are; one that is skipped is there. */
const endTests = `
for name, reason in failures:
    print("\\ntest-failed %s: %s" % (name, " ".join(reason.split())[:300]))
print("\\ntests-done %d" % there)
${leave("failures")}`;

/** Made for \`unittest\`. */
export const unittestScript = `${beginTests}
import unittest
suite = unittest.TestSuite()
there = 0


def reason_of(text):
    lines = text.strip().splitlines()
    at = max((at for at, line in enumerate(lines) if line.startswith("  File ")), default=-1)
    return " ".join(line for line in lines[at + 1 :] if not line.startswith("    "))


for case in cases:
    if case["top"] is not None:
        top = os.path.join(folder, case["top"]) if case["top"] else folder
        if top not in sys.path:
            sys.path.insert(0, top)
    try:
        module = importlib.import_module(case["name"])
        wanted = os.path.join(folder if case["top"] is not None else lib, case["file"])
        if os.path.realpath(module.__file__) != os.path.realpath(wanted):
            raise ImportError("%s is another file of that name" % module.__file__)
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
    except unittest.SkipTest:
        there += 1
    except BaseException as error:
        failures.append((case["file"], "%s: %s" % (type(error).__name__, error)))
there += suite.countTestCases()
result = unittest.TextTestRunner(stream=sys.stderr, verbosity=1).run(suite)
for test, text in [*result.failures, *result.errors]:
    failures.append((test.id(), reason_of(text)))
for test in result.unexpectedSuccesses:
    failures.append((test.id(), "succeeded, and is marked to fail"))
${endTests}`;

/** The same, for \`pytest\`. */
export const pytestScript = `${beginTests}
import pytest
class Count:
    there = 0
    def pytest_itemcollected(self, item):
        self.there += 1
    def pytest_runtest_logreport(self, report):
        if report.failed:
            text = str(report.longrepr).strip().splitlines() if report.longrepr else []
            lines = [line[1:].strip() for line in text if line.startswith("E ")]
            failures.append((report.nodeid, (lines or text or ["failed"])[0]))
    def pytest_collectreport(self, report):
        self.there += report.skipped
        if report.failed:
            text = str(report.longrepr).strip().splitlines()
            lines = [line[1:].strip() for line in text if line.startswith("E ")]
            failures.append((report.nodeid, (lines or text or ["failed"])[-1]))
count = Count()
files = [os.path.join(folder if case["top"] is not None else lib, case["file"]) for case in cases]
code = int(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", folder, *files], plugins=[count]))
if code not in (0, 1, 5) and not failures:
    failures.append(("pytest", "ended with code %d" % code))
there = count.there
${endTests}`;
