import { canonicalJson } from "../core/canonical.ts";
import type { Content } from "../core/declaration.ts";
import type { Resource } from "../core/resource.ts";
import { shortId } from "../decide/short-names.ts";

/** One line of a difference between what a node was last sent and what it would be sent. */
export interface ContentChange {
  readonly change: "added" | "removed" | "changed";
  /** `build/<module>`, or a resource's id. */
  readonly what: string;
  /** For a person: which members differ, or from what to what. Values of files and settings are not shown. */
  readonly detail: string;
}

/** `before` null: the node was never told. Sorted: builds first, then resources by id. */
export function diffContent(before: Content | null, after: Content): ContentChange[] {
  return [
    ...diffBuilds(before?.builds ?? {}, after.builds),
    ...diffResources(before?.resources ?? [], after.resources),
  ];
}

function diffBuilds(before: Content["builds"], after: Content["builds"]): ContentChange[] {
  return union(Object.keys(before), Object.keys(after)).flatMap((module): ContentChange[] => {
    const [old, now] = [before[module], after[module]];
    if (old === now) return [];
    const what = `build/${module}`;
    if (old === undefined) return [{ change: "added", what, detail: now === undefined ? "" : shortId(now) }];
    if (now === undefined) return [{ change: "removed", what, detail: shortId(old) }];
    return [{ change: "changed", what, detail: `${shortId(old)} → ${shortId(now)}` }];
  });
}

function diffResources(before: readonly Resource[], after: readonly Resource[]): ContentChange[] {
  const old = new Map(before.map((resource) => [resource.id, resource]));
  const now = new Map(after.map((resource) => [resource.id, resource]));
  return union([...old.keys()], [...now.keys()]).flatMap((id): ContentChange[] => {
    const [was, is] = [old.get(id), now.get(id)];
    if (was === undefined) return is === undefined ? [] : [{ change: "added", what: id, detail: summarize(is) }];
    if (is === undefined) return [{ change: "removed", what: id, detail: summarize(was) }];
    if (canonicalJson(was) === canonicalJson(is)) return [];
    return [{ change: "changed", what: id, detail: whatChanged(was, is) }];
  });
}

function whatChanged(was: Resource, is: Resource): string {
  if (was.kind === "grant" && is.kind === "grant") {
    const names = (resource: typeof was): string[] =>
      resource.grants.map((grant) => `${grant.provision}#${grant.version}`);
    const [old, now] = [new Set(names(was)), new Set(names(is))];
    const more = is.grants.filter((grant) => !old.has(`${grant.provision}#${grant.version}`));
    const less = was.grants.filter((grant) => !now.has(`${grant.provision}#${grant.version}`));
    const words = [
      ...more.map((grant) => `+${grant.name} for ${grant.consumer.module} on ${grant.consumer.node}`),
      ...less.map((grant) => `-${grant.name} for ${grant.consumer.module} on ${grant.consumer.node}`),
    ];
    if (words.length > 0)
      return words.length <= 6 ? words.join(", ") : `${words.slice(0, 6).join(", ")} and ${words.length - 6} more`;
  }
  const members = union(Object.keys(was), Object.keys(is)).filter((key) => member(was, key) !== member(is, key));
  return members.join(", ");
}

function member(resource: Resource, key: string): string {
  const value: unknown = Reflect.get(resource, key);
  return value === undefined ? "" : JSON.stringify(value);
}

function summarize(resource: Resource): string {
  switch (resource.kind) {
    case "directory":
    case "file":
      return resource.path;
    case "artifact":
      return shortId(resource.digest);
    case "service":
      return resource.command[0] ?? "";
    case "grant":
      return `${resource.grants.length} ${resource.provider}`;
  }
}

function union(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
