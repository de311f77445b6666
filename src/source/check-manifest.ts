import type { Manifest } from "../core/manifest.ts";
import { addressSchema } from "../core/node.ts";
import { configKeyPattern, listPlaceholders, placeholderWords, readPlaceholder } from "../core/placeholder.ts";
import { provisionsPath, reservedFiles, whatOfFile } from "../decide/compose-files.ts";
import { findNearest } from "./find-nearest.ts";

/** Something that no node could ever be told. `path` leads to it in the manifest. */
export interface ManifestFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Text that somebody fills. `host`: which paths of its own the host fills in there. */
interface Template {
  readonly path: readonly (string | number)[];
  readonly text: string;
  readonly host: readonly string[];
  /** A file's text may be a script with placeholders of its own: they are kept. */
  readonly keepsForeign?: boolean;
}

const everyPath = ["data", "artifact", "etc"];

/**
 * What the schema cannot see and composing would stumble over, for every module of a node at once: words in `${…}` that mean
 * nothing, an address that is none, one name for two things. Not part of the schema, by which recorded manifests are read:
 * what was recorded before a rule stays readable.
 */
export function checkManifest(manifest: Manifest): ManifestFault[] {
  return [
    ...listTemplates(manifest).flatMap((template) => checkTemplate(manifest, template)),
    ...checkHealth(manifest),
    ...checkOffers(manifest),
    ...findTwins(
      manifest.requires.map(({ name }) => name),
      (at, name) => ({ path: ["requires", at, "name"], message: `two requirements are named ${name}` }),
    ),
    ...checkPresence(manifest),
    ...checkFiles(manifest),
  ];
}

function checkPresence({ module, presence }: Manifest): ManifestFault[] {
  return presence.flatMap((edge, at) => {
    if (edge.module !== module) return [];
    const message = `presence.${at}.module: ${module} would wait for itself, and never start: leave it out`;
    return [{ path: ["presence", at, "module"], message }];
  });
}

/** Each needs an id and a path of its own, and none can be a folder and a file at once. */
function checkFiles({ files }: Manifest): ManifestFault[] {
  const paths = files.map(({ path }) => path);
  const twins = findTwins([...reservedFiles, ...paths.map(whatOfFile)], (all) => {
    const at = all - reservedFiles.length;
    const message = `the file ${paths[at]} collides with another of its files, or with its provisions: rename it`;
    return { path: ["files", at, "path"], message };
  });
  const inside = paths.flatMap((path, at): ManifestFault[] => {
    const outer = [provisionsPath, ...paths].find((one) => path.startsWith(`${one}/`));
    if (outer === undefined) return [];
    const message = `the file ${path} would be in ${outer}, which is a file and no folder: rename it`;
    return [{ path: ["files", at, "path"], message }];
  });
  return [...twins, ...inside];
}

function listTemplates({ service, provides, files }: Manifest): Template[] {
  const { http, tcp } = service?.health ?? {};
  return [
    ...(service?.command ?? []).map((text, at) => ({ path: ["service", "command", at], text, host: everyPath })),
    ...Object.entries(service?.env ?? {}).map(([name, text]) => ({
      path: ["service", "env", name],
      text,
      host: everyPath,
    })),
    ...Object.entries({ http, tcp }).flatMap(([key, text]) =>
      text === undefined ? [] : [{ path: ["service", "health", key], text, host: everyPath }],
    ),
    ...provides.flatMap(({ host, port, admin, adminUser, adminPasswordFile }, at) => [
      ...Object.entries({ host, port, admin, adminUser }).map(([key, text]) => ({
        path: ["provides", at, key],
        text,
        host: [],
      })),
      { path: ["provides", at, "adminPasswordFile"], text: adminPasswordFile, host: ["data", "etc"] },
    ]),
    ...files.map(({ text }, at) => ({ path: ["files", at, "text"], text, host: [], keepsForeign: true })),
  ];
}

function checkTemplate(manifest: Manifest, { path, text, host, keepsForeign = false }: Template): ManifestFault[] {
  const where = path.join(".");
  return [...new Set(listPlaceholders(text))].flatMap((name) => {
    const shown = `${where}: \${${name.slice(0, 100)}}`;
    const placeholder = readPlaceholder(name);
    switch (placeholder.kind) {
      case "address":
        return [];
      case "config":
        if (configKeyPattern.test(placeholder.key)) return [];
        return [{ path, message: `${shown} names no key: a key is a lower case letter, then letters and digits` }];
      case "host":
        if (keepsForeign || host.includes(placeholder.path)) return [];
        return [{ path, message: `${shown} is filled in by the host, and not here` }];
      case "unknown":
        if (keepsForeign) return [];
        return [{ path, message: `${shown} means nothing: ${listWords(host)} do${suggest(manifest, name)}` }];
    }
  });
}

function listWords(host: readonly string[]): string {
  const words = placeholderWords.filter((word) => !everyPath.includes(word) || host.includes(word));
  return words.map((word) => `\${${word}}`).join(", ");
}

/** What a person may have meant by a word that means nothing. */
function suggest({ requires, config }: Manifest, name: string): string {
  const [head = "", ...rest] = name.split(".");
  if (/^(provi|requi)/.test(head) || requires.some((requirement) => requirement.name === head)) {
    return "; what it requires is in the file that MESH_PROVISIONS names";
  }
  const keys = Object.keys(config);
  if (rest.length === 1) {
    const first = findNearest(head, ["config", "node"]);
    const [key = ""] = rest;
    if (first === "node") return "; did you mean ${node.address}?";
    if (first === "config" && configKeyPattern.test(key))
      return `; did you mean \${config.${findNearest(key, keys) ?? key}}?`;
  }
  const word = findNearest(name, [...everyPath, "node.address", ...keys]);
  if (word === null) return "";
  return `; did you mean \${${keys.includes(word) ? `config.${word}` : word}}?`;
}

/** The host asks by HTTP only; what begins with a placeholder is known when it is filled. */
function checkHealth({ service }: Manifest): ManifestFault[] {
  const http = service?.health?.http;
  if (http === undefined || /^(https?:\/\/.|\$\{)/i.test(http)) return [];
  const message = `service.health.http: ${JSON.stringify(http.slice(0, 100))} is no URL with http:// or https://`;
  return [{ path: ["service", "health", "http"], message }];
}

function checkOffers({ provides }: Manifest): ManifestFault[] {
  return [
    ...findTwins(
      provides.map(({ kind }) => kind),
      (at, kind) => ({ path: ["provides", at, "kind"], message: `provides ${kind} twice: one offer of each kind` }),
    ),
    ...provides.flatMap(({ host, port }, at) => [
      ...(host.includes("${") || addressSchema.safeParse(host).success
        ? []
        : [{ path: ["provides", at, "host"], message: `provides.${at}.host: ${JSON.stringify(host)} is no address` }]),
      ...(port.includes("${") || (/^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= 65_535)
        ? []
        : [{ path: ["provides", at, "port"], message: `provides.${at}.port: ${JSON.stringify(port)} is no port` }]),
    ]),
  ];
}

function findTwins(names: readonly string[], say: (at: number, name: string) => ManifestFault): ManifestFault[] {
  return names.flatMap((name, at) => (names.indexOf(name) < at ? [say(at, name)] : []));
}
