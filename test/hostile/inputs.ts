/** One hostile text and what is hostile about it. */
export type Hostile = readonly [situation: string, text: string];

/** Case 52: what no mesh, node, module, repository or requirement may be called. */
export const hostileNames: readonly Hostile[] = [
  ["a path upward", "../../x"],
  ["a path", "a/b"],
  ["a Windows path", "a\\b"],
  ["a dot", "."],
  ["two dots", ".."],
  ["a device", "con"],
  ["a numbered device", "com1"],
  ["NUL inside", "a\0b"],
  ["NUL at the end", "a\0"],
  ["a newline at the end", "a\n"],
  ["a newline inside", "a\nb"],
  ["300 characters", "a".repeat(300)],
  ["64 characters", "a".repeat(64)],
  ["ten million characters", "a".repeat(10_000_000)],
  ["a right-to-left mark", "a\u202eb"],
  ["a zero-width joiner", "a\u200db"],
  ["a Cyrillic look-alike", "\u0430bc"],
  ["a full-width look-alike", "\uff41bc"],
  ["a composed letter", "caf\u00e9"],
  ["half of a surrogate pair", "a\ud800"],
  ["upper case", "Meshboard"],
  ["an option", "--all"],
  ["a hyphen first", "-a"],
  ["a digit first", "1a"],
  ["a command substitution", "$(id)"],
  ["back-ticks", "`id`"],
  ["a second command", "a;id"],
  ["a pipe", "a|id"],
  ["a glob", "a*"],
  ["a variable", "${HOME}"],
  ["an SQL comment", "a'--"],
  ["an SQL statement", "a'; drop table node; --"],
  ["a double quote", 'a"b'],
  ["markup", "<script>alert(1)</script>"],
  ["an escape sequence", "\u001b[31ma"],
  ["a prototype", "__proto__"],
  ["nothing", ""],
  ["a blank", " "],
  ["blanks around", " a "],
  ["an address", "a@b"],
  ["a percent escape", "%2e%2e"],
];

/** Case 52: what is not followed as a branch. Several of them are valid refs for git. */
export const hostileBranches: readonly Hostile[] = [
  ["an option", "--upload-pack=x"],
  ["a short option", "-b"],
  ["a command substitution", "$(id)"],
  ["a second command", "a;touch${IFS}x"],
  ["two dots", "a..b"],
  ["a path upward", "../x"],
  ["an absolute path", "/etc/passwd"],
  ["two slashes", "a//b"],
  ["a slash at the end", "a/"],
  ["a lock file", "main.lock"],
  ["a lock file in the middle", "a.lock/b"],
  ["a dot at the end", "main."],
  ["a hidden part", "a/.git"],
  ["a refspec", "main:refs/heads/other"],
  ["a forced refspec", "+main"],
  ["a pattern", "refs/heads/*"],
  ["an ancestor", "main~1"],
  ["a parent", "main^"],
  ["a reflog", "main@{1}"],
  ["a blank", "a b"],
  ["NUL", "a\0b"],
  ["a newline", "a\nb"],
  ["a right-to-left mark", "a\u202eb"],
  ["a megabyte", "a".repeat(1_000_000)],
  ["nothing", ""],
];

/** Case 52, 54: what is not a folder inside a repository. */
export const hostileTreePaths: readonly Hostile[] = [
  ["upward", ".."],
  ["upward inside", "a/../../b"],
  ["absolute", "/etc"],
  ["an empty part", "a//b"],
  ["a dot inside", "a/./b"],
  ["a slash at the end", "a/"],
  ["git's own folder", ".git"],
  ["git's own folder inside", "a/.git/hooks"],
  ["a back-slash", "a\\..\\b"],
  ["an option", "-x"],
  ["NUL", "a\0b"],
  ["a newline", "a\nb"],
  ["pathspec magic", ":(top)x"],
  ["a megabyte", "a/".repeat(500_000) + "a"],
  ["a right-to-left mark", "a\u202eb"],
  ["nothing", ""],
];

/** What a host never writes to, whatever a declaration says. */
export const hostileNodePaths: readonly Hostile[] = [
  ["upward", "../x"],
  ["upward inside", "etc/../../x"],
  ["absolute", "/etc/passwd"],
  ["an empty part", "etc//x"],
  ["hidden", ".ssh/authorized_keys"],
  ["NUL", "etc/a\0b"],
  ["a back-slash", "etc\\..\\x"],
  ["a newline", "etc/a\nb"],
  ["500 characters", "a".repeat(500)],
  ["nothing", ""],
];

/** Case 52, 54: what git is never asked to fetch from. */
export const hostileRepositoryUrls: readonly Hostile[] = [
  ["a program", "ext::sh -c id"],
  ["a program without blanks", "ext::id"],
  ["a transport by descriptor", "fd::17"],
  ["an option", "--upload-pack=touch x"],
  ["ssh with an option for a host", "ssh://-oProxyCommand=id/x"],
  ["short ssh with an option for a host", "-oProxyCommand=id:x"],
  ["short ssh with an option for a path", "git@example.org:-x"],
  ["a password", "https://user:password@example.org/x.git"],
  ["a token for a user", "https://token@example.org/x.git"],
  ["no encryption", "http://example.org/x.git"],
  ["git's own protocol", "git://example.org/x.git"],
  ["another scheme", "javascript:alert(1)"],
  ["a newline", "https://example.org/x\n--upload-pack=id"],
  ["NUL", "https://example.org/x\0"],
  ["a right-to-left mark", "https://example.org/\u202egpj.tig"],
  ["a megabyte", "https://example.org/" + "a".repeat(1_000_000)],
  ["a relative file", "file://x/y"],
  ["nothing", ""],
];

/** What is not under which other nodes reach one. */
export const hostileAddresses: readonly Hostile[] = [
  ["a port", "example.org:80"],
  ["a user", "user@example.org"],
  ["a path", "example.org/x"],
  ["a URL", "https://example.org"],
  ["an option", "-example.org"],
  ["two dots", "example..org"],
  ["a command", "$(id)"],
  ["a newline", "example.org\nHost: other"],
  ["NUL", "example.org\0"],
  ["a look-alike", "ex\u0430mple.org"],
  ["300 characters", "a.".repeat(150) + "a"],
  ["nothing", ""],
];

const manifest = (lines: string): string => `module: board\nlanguage: files\n${lines}`;

/** Case 53: manifests. Each must be refused with the line that is wrong. */
export const hostileManifests: readonly Hostile[] = [
  [
    "aliases by the billion",
    manifest(
      [
        'a: &a ["x","x","x","x","x","x","x","x","x"]',
        ...Array.from({ length: 12 }, (_, level) => {
          const [name, before] = [String.fromCharCode(98 + level), String.fromCharCode(97 + level)];
          return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
        }),
      ].join("\n"),
    ),
  ],
  ["one alias", manifest("config: &c {title: x}\nfiles: [*c]")],
  ["an alias to itself", manifest("config: &c\n  title: *c")],
  ["a merge key", manifest("config: {<<: {title: x}}")],
  ["a prototype", manifest("__proto__: {polluted: true}")],
  ["a prototype in a member", manifest("config:\n  __proto__: {polluted: x}")],
  ["a constructor", manifest("constructor: {prototype: {polluted: x}}")],
  ["a JavaScript function", manifest('config: {title: !!js/function "function () { return 1 }"}')],
  ["a JavaScript expression", manifest("config: {title: !!js process.exit(9)}")],
  ["a Python object", manifest('config: {title: !!python/object/apply:os.system ["id"]}')],
  ["an unknown tag", manifest("config: {title: !mine x}")],
  ["an unknown key", manifest("colour: red")],
  ["an unknown key inside", manifest("service:\n  command: [a]\n  shell: true")],
  ["build edges", manifest("dependencies: [core]")],
  ["build edges by another name", manifest("needs: [core]")],
  ["the same key twice", manifest("language: typescript")],
  ["two documents", manifest("---\nmodule: other")],
  ["another module's name", "module: other\nlanguage: files\n"],
  ["a hostile module name", "module: ../../x\nlanguage: files\n"],
  ["an unknown language", "module: board\nlanguage: cobol\n"],
  ["a policy that does not exist yet", manifest("upgrade: plan")],
  ["a number where text belongs", manifest("config: {port: 8080}")],
  ["a boolean where text belongs", manifest("config: {on: true}")],
  ["an infinite number", manifest("config: {port: 1e999}")],
  ["a file outside its folder", manifest('files: [{path: "../x", text: ""}]')],
  ["an absolute file", manifest('files: [{path: "/etc/passwd", text: ""}]')],
  ["a file with the setuid bit", manifest('files: [{path: x, mode: "4755", text: ""}]')],
  ["a shell for a command", manifest('service: {command: "rm -rf /"}')],
  ["an empty command", manifest("service: {command: []}")],
  ["the loader in the environment", manifest('service: {command: [a], env: {"LD_PRELOAD=x": y}}')],
  ["a list for a document", "- module: board\n"],
  ["text for a document", "board"],
  ["nothing", ""],
  ["a tab for indentation", manifest("service:\n\tcommand: [a]")],
  ["an open bracket", manifest("requires: [")],
  ["ten thousand open brackets", manifest("config: " + "[".repeat(10_000))],
  ["ten thousand levels", manifest("config: " + "{a: ".repeat(10_000) + "x" + "}".repeat(10_000))],
  ["NUL", manifest("config: {title: a\0b}")],
  ["ten megabytes", manifest("# " + "x".repeat(10_000_000))],
  [
    "a hundred thousand keys",
    manifest("config:\n" + Array.from({ length: 100_000 }, (_, n) => `  k${n}: x\n`).join("")),
  ],
  ["a thousand requirements", manifest("requires:\n" + "  - {name: a, kind: postgresql}\n".repeat(1000))],
];

const encode = (value: string): string => `mesh1.${Buffer.from(value, "utf8").toString("base64url")}`;
const ca = "-----BEGIN CERTIFICATE-----\nx";
const token = (members: object): string =>
  encode(JSON.stringify({ url: "https://localhost:1", ca, mesh: "m", node: "n", secret: "a".repeat(43), ...members }));

/** Enrolment tokens that are pasted cut, changed, or made by somebody else. */
export const hostileTokens: readonly Hostile[] = [
  ["nothing", ""],
  ["another word", "hello"],
  ["the prefix alone", "mesh1."],
  ["rubbish after the prefix", "mesh1.!!!!"],
  ["base64 with padding", `${token({})}==`],
  ["cut off", token({}).slice(0, -20)],
  ["two tokens", `${token({})} ${token({})}`],
  ["ten megabytes", `mesh1.${"A".repeat(10_000_000)}`],
  ["no JSON", encode("hello")],
  ["a list", encode("[]")],
  ["null", encode("null")],
  ["a prototype", encode('{"__proto__": {"url": "https://x"}}')],
  ["the same member twice", encode('{"url": "https://a", "url": "https://b"}')],
  ["two thousand levels", encode("[".repeat(2000))],
  ["an unknown member", token({ also: "x" })],
  ["no encryption", token({ url: "http://localhost:1" })],
  ["a path in the address", token({ url: "https://localhost:1/../x" })],
  ["a user in the address", token({ url: "https://user@localhost:1" })],
  ["a node that is a path", token({ node: "../../x" })],
  ["no certificate", token({ ca: "hello" })],
  ["a private key for a certificate", token({ ca: "-----BEGIN PRIVATE KEY-----\nx" })],
  ["a short secret", token({ secret: "a" })],
  ["a secret with blanks", token({ secret: " ".repeat(43) })],
];

/** Case 45, 56: proof headers of host requests. */
export const hostileProofs: readonly Hostile[] = [
  ["nothing", ""],
  ["another version", `v2.n.1.${"a".repeat(22)}.${"a".repeat(86)}`],
  ["a node that is a path", `v1.../x.1.${"a".repeat(22)}.${"a".repeat(86)}`],
  ["a time that is no number", `v1.n.now.${"a".repeat(22)}.${"a".repeat(86)}`],
  ["a negative time", `v1.n.-1.${"a".repeat(22)}.${"a".repeat(86)}`],
  ["a short nonce", `v1.n.1.a.${"a".repeat(86)}`],
  ["a short signature", `v1.n.1.${"a".repeat(22)}.a`],
  ["two proofs", `v1.n.1.${"a".repeat(22)}.${"a".repeat(86)}, v1.n.1.${"a".repeat(22)}.${"a".repeat(86)}`],
  ["a reserved node", `v1.con/../x.1.${"a".repeat(22)}.${"a".repeat(86)}`],
  ["a newline", `v1.n.1.${"a".repeat(22)}.${"a".repeat(86)}\n`],
  ["a megabyte", `v1.${"n".repeat(1_000_000)}`],
];
