import type { CallExpression, Expression, NewExpression, Node, VariableDeclarator } from "oxc-parser";

export type { Node };

/** Calls that load a module by its name: `require` and its relations, and what `createRequire` gave. */
export interface Loaders {
  see(node: VariableDeclarator): void;
  call(node: CallExpression): void;
  /** In the order of the file. */
  list(): readonly CallExpression[];
}

export function createLoaders(): Loaders {
  const names = new Set(["require"]);
  const calls: CallExpression[] = [];
  return {
    see: ({ id, init }) => {
      if (id.type === "Identifier" && init !== null && isCreateRequire(init)) names.add(id.name);
    },
    call: (node) => {
      if (node.callee.type === "Identifier" || isLoader(node.callee, names)) calls.push(node);
    },
    // A function may use a name above the line that makes it: which calls load is known at the end.
    list: () => calls.filter((node) => isLoader(node.callee, names)),
  };
}

/** `require`, `module.require`, `require.resolve`, `import.meta.resolve`, `createRequire(…)`. */
function isLoader(callee: Expression, names: ReadonlySet<string>): boolean {
  if (callee.type === "Identifier") return names.has(callee.name);
  if (isCreateRequire(callee)) return true;
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  const { object, property } = callee;
  if (property.name === "require") return object.type === "Identifier" && object.name === "module";
  if (property.name !== "resolve") return false;
  return object.type === "MetaProperty" || (object.type === "Identifier" && names.has(object.name));
}

function isCreateRequire(node: Expression): boolean {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  const name = callee.type === "MemberExpression" ? callee.property : callee;
  return name.type === "Identifier" && name.name === "createRequire";
}

/** A string, or a template without substitutions. */
export function literalOf(node: Node): string | null {
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
