import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildEdgeKeys } from "../../src/core/manifest.ts";
import { manifestBytesLimit, readDocument, readManifest } from "../../src/source/read-manifest.ts";

function refusal(text: string): { line: number; message: string } {
  const reading = readManifest(text, "core");
  if (reading.kind === "manifest") throw new Error("it was taken");
  return { line: reading.findings[0].line, message: reading.findings[0].message };
}

describe("a manifest", () => {
  it("is read with its defaults", () => {
    const reading = readManifest("module: core\nlanguage: typescript\n", "core");
    expect(reading).toMatchObject({ kind: "manifest", manifest: { module: "core", upgrade: "record", requires: [] } });
  });

  it("keeps words that other YAML readers turn into something else", () => {
    const text = 'module: core\nlanguage: files\nconfig:\n  a: "no"\n  b: no\n  c: "012"\n  d: "1e999"\n';
    expect(readManifest(text, "core")).toMatchObject({
      manifest: { config: { a: "no", b: "no", c: "012", d: "1e999" } },
    });
  });

  it.each(buildEdgeKeys)(
    "that declares a build edge by %s is refused with the reason and the line (R4, case 53)",
    (key) => {
      const found = refusal(`module: core\nlanguage: typescript\n${key}: [other]\n`);
      expect(found.line).toBe(3);
      expect(found.message).toMatch(/never declared.*read from the imports/);
    },
  );

  it("that asks for upgrade: plan is told what exists", () => {
    expect(refusal("module: core\nlanguage: files\nupgrade: plan\n")).toEqual({
      line: 3,
      message: expect.stringMatching(/record and auto exist/),
    });
  });

  it.each(["", "# later\n", "---\n"])("that says nothing (%j) is told what is the least", (text) => {
    expect(refusal(text)).toEqual({
      line: 1,
      message: expect.stringMatching(/^is empty: the least it says is `module:/),
    });
  });

  it("of another module than the registered one is refused: a rename is a new module (case 14)", () => {
    expect(refusal("# a comment\nmodule: other\nlanguage: files\n")).toEqual({
      line: 2,
      message: expect.stringMatching(/registered as core/),
    });
  });
});

describe("a hostile manifest is refused with its line (case 53)", () => {
  const head = "module: core\nlanguage: files\n";
  const levels = Array.from(
    { length: 9 },
    (_, at) => `x${at + 1}: &x${at + 1} [${Array.from({ length: 9 }, () => `*x${at}`).join(", ")}]`,
  );
  it.each([
    ["aliases by the billion", `x0: &x0 [lol]\n${levels.join("\n")}\n`, 2],
    ["an alias", `${head}config: &c {a: b}\nfiles: *c\n`, 4],
    ["__proto__", `${head}__proto__: {a: 1}\n`, 3],
    ["__proto__ inside", `${head}config:\n  __proto__: x\n`, 4],
    ["constructor", `${head}config:\n  constructor: x\n`, 4],
    ["!!js/function", `${head}config:\n  a: !!js/function "x"\n`, 4],
    ["a tag of its own", `${head}config:\n  a: !ruby/object x\n`, 4],
    ["an unknown key", `${head}replicas: 3\n`, 3],
    ["an unknown key inside", `${head}service:\n  command: [a]\n  privileged: true\n`, 5],
    ["a key twice", `${head}language: files\n`, 3],
    ["a key that is a list", `${head}? [a]\n: b\n`, 3],
    ["a merge key", `${head}config:\n  <<: {a: b}\n`, 4],
    ["two documents", `${head}---\n${head}`, 3],
    ["a number where a word belongs", `${head}config:\n  a: 12\n`, 4],
    ["a path that leaves its folder", `${head}files:\n  - path: ../x\n    text: x\n`, 4],
    ["broken YAML", `${head}service: [\n`, 4],
  ])("%s", (_what, text, line) => {
    expect(refusal(text).line).toBe(line);
  });

  it.each([
    ["flow lists", "[".repeat(30_000)],
    ["flow maps", "{a: ".repeat(15_000)],
    ["lists in one line", "- ".repeat(30_000)],
    ["keys in one line", "? ".repeat(30_000)],
    ["flow lists over lines", "[\n".repeat(30_000)],
  ])("nested too deep by %s, which would take the process down", (_what, text) => {
    expect(refusal(text).message).toMatch(/nested deeper/);
  });

  it("larger than its limit", () => {
    expect(refusal(`# ${"x".repeat(manifestBytesLimit)}`).message).toMatch(/larger than/);
  });

  it.each(["", "null", "[]", "text", "\u0000", "\ufeff", "%YAML 9.9\n---\na"])(
    "that is no manifest at all: %j",
    (text) => {
      expect(readManifest(text, "core").kind).toBe("refused");
    },
  );
});

describe("a manifest that no node could be told is refused where it is read, with its line", () => {
  const head = "module: core\nlanguage: files\nconfig: { port: '1', hostName: a }\nservice:\n  command: [a]\n";
  const words = "${config.KEY}, ${node.address}, ${data}, ${artifact}, ${etc}";
  const offer = { host: "h", port: "1", admin: "a", adminUser: "u", adminPasswordFile: "/p" };
  const provides = (changes: Partial<typeof offer>, more = ""): string =>
    `provides: [${JSON.stringify({ kind: "rabbitmq", ...offer, ...changes })}${more}]\n`;
  const env = (text: string): string => `  env:\n    PORT: ${JSON.stringify(text)}\n`;

  it.each([
    ["a slip in config", env("${confg.port}"), 7, `means nothing: ${words} do; did you mean \${config.port}?`],
    ["a slip in config and in its key", env("${cofnig.prot}"), 7, "did you mean ${config.port}?"],
    ["a key without config", env("a ${hostname} b"), 7, "did you mean ${config.hostName}?"],
    ["a slip in node.address", env("${node.adress}"), 7, "did you mean ${node.address}?"],
    ["a slip in data", env("${dat}"), 7, "did you mean ${data}?"],
    ["a path", env("${../../secrets}"), 7, `service.env.PORT: \${../../secrets} means nothing: ${words} do`],
    ["nothing at all", env("${}"), 7, "${} means nothing"],
    ["a brace too many", env("${a{b}"), 7, "${a{b} means nothing"],
    ["a provision", env("${provision.database.host}"), 7, "in the file that MESH_PROVISIONS names"],
    ["a requirement", `${env("${db.host}")}requires: [{ name: db, kind: rabbitmq }]\n`, 7, "MESH_PROVISIONS"],
    ["a key that cannot be assigned", env("${config.Port-2}"), 7, "names no key"],
    [
      "a health check of a file",
      '  health:\n    http: "file:///etc/passwd"\n',
      7,
      "is no URL with http:// or https://",
    ],
    ["a health check that is a path", "  health: { http: /healthz }\n", 6, "is no URL with http://"],
    ["a slip in a health check", "  health: { tcp: '${config.host}:${prot}' }\n", 6, "did you mean ${config.port}?"],
    [
      "a path of the host in an offer",
      provides({ admin: "${data}/socket" }),
      6,
      "is filled in by the host, and not here",
    ],
    ["the module's files as a secret's place", provides({ adminPasswordFile: "${artifact}/p" }), 6, "and not here"],
    ["a port that is none", provides({ port: "http" }), 6, 'provides.0.port: "http" is no port'],
    ["a host that is none", provides({ host: "a b" }), 6, 'provides.0.host: "a b" is no address'],
    ["an offer twice", provides({}, `, ${JSON.stringify({ kind: "rabbitmq", ...offer })}`), 6, "rabbitmq twice"],
    [
      "a requirement twice",
      "requires:\n  - { name: a, kind: rabbitmq }\n  - { name: a, kind: postgresql }\n",
      8,
      "named a",
    ],
    ["a file in place of its provisions", "files:\n  - path: provisions\n    text: a\n", 7, "collides"],
    ["a file at the path of its provisions", "files:\n  - { path: provisions.json, text: a }\n", 7, "collides"],
    [
      "a file in the file of its provisions",
      "files:\n  - { path: provisions.json/x, text: a }\n",
      7,
      "would be in provisions.json, which is a file and no folder",
    ],
    [
      "a file in another of its files",
      "files:\n  - { path: conf/a/b.yaml, text: a }\n  - { path: conf, text: a }\n",
      7,
      "the file conf/a/b.yaml would be in conf",
    ],
    ["a service that waits for itself", "presence: [{ module: core }]\n", 6, "core would wait for itself"],
    ["a key in a file that cannot be assigned", 'files:\n  - path: a\n    text: "${config.}"\n', 8, "names no key"],
  ])("%s", (_what, text, line, message) => {
    expect(refusal(head + text)).toEqual({ line, message: expect.stringContaining(message) });
  });

  it("unless it means something: keys without a default, other placeholders in a file's text, a URL to be filled", () => {
    const text = `${head}${env("${config.other}|${data}|${etc}|${artifact}|${node.address}|$HOME|$(x)|{a}")}  health: { http: "\${config.url}" }
files: [{ path: run.sh, text: "\${HOME} \${confg.x} \${data}" }, { path: provisions/x, text: a }, { path: run.sh-d/x, text: a }]
presence: [{ module: broker }]
`;
    expect(readManifest(text, "core")).toMatchObject({ kind: "manifest" });
  });
});

it("a manifest of words only, which is read without YAML, says what YAML says", () => {
  const word = fc.constantFrom(
    "web",
    "typescript",
    "rust",
    "null",
    "True",
    "auto",
    "record",
    "no",
    "a-b_c",
    "x1",
    "1x",
    "",
  );
  const key = fc.constantFrom("module", "language", "upgrade", "entry", "constructor", "toString", "Module");
  const line = fc.tuple(key, fc.constantFrom(": ", ":  ", ":", " : "), word).map((parts) => parts.join(""));
  const others = fc.constantFrom("", "# a comment", "---", "language: go # said", "\tmodule: web", "module: 'web'");
  let short = 0;
  const hold = (text: string): void => {
    const whole = readDocument(text, "web");
    expect(readManifest(text, "web")).toEqual(whole);
    if (whole.kind === "manifest") short += 1;
  };
  const lines = fc.array(fc.oneof({ arbitrary: line, weight: 3 }, others), { maxLength: 5 });
  fc.assert(
    fc.property(lines, fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n", "\n\n"), (said, between, end) =>
      hold(`${said.join(between)}${end}`),
    ),
    { numRuns: 2_000 },
  );
  hold("module: web\nlanguage: typescript\n");
  hold("module: web\nlanguage: typescript\nupgrade: auto");
  expect(short).toBeGreaterThan(2);
});
