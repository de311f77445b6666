import type {
  AssignmentExpression,
  CallExpression,
  ImportDeclaration,
  NewExpression,
  Node,
  VariableDeclarator,
} from "oxc-parser";

export type { Node };

/** Calls that load a module by its name: `require` and its relations, and what `createRequire` gave. */
export interface Loaders {
  see(node: VariableDeclarator | AssignmentExpression | ImportDeclaration): void;
  call(node: CallExpression): void;
  /** In the order of the file. */
  list(): readonly CallExpression[];
  /** Calls of `createRequire` whose function goes where nobody follows it: into a property, a list, another function. */
  listLost(): readonly CallExpression[];
}

export function createLoaders(): Loaders {
  const makers = new Set(["createRequire"]);
  const given: { readonly name: string; readonly by: Node }[] = [];
  const calls: CallExpression[] = [];
  /** What stands for a name, or is called where it stands. */
  const followed = new Set<Node>();
  return {
    see: (node) => {
      if (node.type === "ImportDeclaration") for (const name of listMakers(node)) makers.add(name);
      else {
        const [to, by] = node.type === "VariableDeclarator" ? [node.id, node.init] : [node.left, node.right];
        if (to.type !== "Identifier" || by === null) return;
        given.push({ name: to.name, by });
        followed.add(bare(by));
      }
    },
    call: (node) => {
      calls.push(node);
      const callee = bare(node.callee);
      followed.add(callee.type === "MemberExpression" ? bare(callee.object) : callee);
    },
    // A function may use a name above the line that makes it: which calls load is known at the end.
    list: () => {
      const names = new Set(["require"]);
      for (const { name, by } of given) {
        const from = bare(by);
        if (isCreateRequire(from, makers) || (from.type === "Identifier" && names.has(from.name))) names.add(name);
      }
      return calls.filter((node) => isLoader(node.callee, names, makers));
    },
    listLost: () => calls.filter((node) => isCreateRequire(node, makers) && !followed.has(node)),
  };
}

/** What `createRequire` is called here, where it is called otherwise. */
function listMakers({ specifiers }: ImportDeclaration): string[] {
  return specifiers.flatMap((one) =>
    one.type === "ImportSpecifier" && one.imported.type === "Identifier" && one.imported.name === "createRequire"
      ? [one.local.name]
      : [],
  );
}

/** `require`, `module.require`, `require.resolve`, `import.meta.resolve`, `createRequire(…)` and its `resolve`. */
function isLoader(node: Node, names: ReadonlySet<string>, makers: ReadonlySet<string>): boolean {
  const callee = bare(node);
  if (callee.type === "Identifier") return names.has(callee.name);
  if (isCreateRequire(callee, makers)) return true;
  if (callee.type !== "MemberExpression") return false;
  const object = bare(callee.object);
  const name = callee.property.type === "Identifier" ? callee.property.name : literalOf(callee.property);
  if (name === "require") return object.type === "Identifier" && object.name === "module";
  if (name !== "resolve") return false;
  if (object.type === "MetaProperty" || isCreateRequire(object, makers)) return true;
  return object.type === "Identifier" && names.has(object.name);
}

function isCreateRequire(from: Node, makers: ReadonlySet<string>): boolean {
  const node = bare(from);
  if (node.type !== "CallExpression") return false;
  const callee = bare(node.callee);
  if (callee.type === "Identifier") return makers.has(callee.name);
  return (
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "createRequire"
  );
}

/** Without what changes nothing of what it is: brackets, and what only says its type. */
function bare(node: Node): Node {
  let inner = node;
  for (;;) {
    if (
      inner.type === "ParenthesizedExpression" ||
      inner.type === "TSAsExpression" ||
      inner.type === "TSSatisfiesExpression" ||
      inner.type === "TSNonNullExpression" ||
      inner.type === "TSTypeAssertion" ||
      inner.type === "TSInstantiationExpression"
    )
      inner = inner.expression;
    else {
      // `(0, require)("x")`, as compilers write it.
      const last = inner.type === "SequenceExpression" ? inner.expressions.at(-1) : undefined;
      if (last === undefined) return inner;
      inner = last;
    }
  }
}

/** A string, or a template without substitutions. */
export function literalOf(written: Node): string | null {
  const node = bare(written);
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || node.quasis.length !== 1) return null;
  return node.quasis[0]?.value.cooked ?? null;
}

/** `new URL("../x", import.meta.url)` names a file beside the code. Another base, or an address: null. */
export function literalOfFile({ callee, arguments: [path, base] }: NewExpression): string | null {
  if (callee.type !== "Identifier" || callee.name !== "URL" || path === undefined) return null;
  if (base?.type !== "MemberExpression" || base.object.type !== "MetaProperty") return null;
  const literal = literalOf(path);
  return literal !== null && /^\.\.?\//.test(literal) ? literal : null;
}
