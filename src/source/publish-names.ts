import type { Name } from "../core/names.ts";
import { keyOf } from "./known-source.ts";

/** The names of one language that a module is imported by. */
export interface Claim {
  readonly module: Name;
  readonly language: string;
  readonly names: readonly string[];
}

export interface Rival {
  readonly name: string;
  readonly module: Name;
}

/** Who publishes what, by language: each language has names of its own. */
export interface Published {
  owners(language: string): ReadonlyMap<string, Name>;
  /** Those who publish one of a module's names too. */
  rivals(module: Name): readonly Rival[];
  /** Equal keys: the same names of the same modules, at the same places. */
  key(language: string): string;
}

/** `placements`: where all modules lie, as text. The order of the claims does not matter. */
export function publishNames(claims: readonly Claim[], placements: string): Published {
  const claimants = new Map<string, Map<string, Name[]>>();
  const byModule = new Map<Name, Claim>();
  for (const claim of claims.toSorted((a, b) => (a.module < b.module ? -1 : 1))) {
    byModule.set(claim.module, claim);
    const names = claimants.get(claim.language) ?? new Map<string, Name[]>();
    claimants.set(claim.language, names);
    for (const name of claim.names) {
      const known = names.get(name);
      if (known === undefined) names.set(name, [claim.module]);
      else known.push(claim.module);
    }
  }
  const owners = new Map<string, Map<string, Name>>();
  const keys = new Map<string, string>();
  for (const [language, names] of claimants) {
    // Even where two claim one name, an import of it is an edge: both claimants are broken until one gives it up.
    owners.set(
      language,
      new Map([...names].flatMap(([name, [module]]) => (module === undefined ? [] : [[name, module] as const]))),
    );
    const text = [...names].map(([name, modules]) => `${name} ${modules.join(" ")}`).toSorted();
    keys.set(language, keyOf([placements, ...text].join("\n")));
  }
  const none = keyOf(placements);
  return {
    owners: (language) => owners.get(language) ?? new Map<string, Name>(),
    rivals: (module) => {
      const own = byModule.get(module);
      if (own === undefined) return [];
      return own.names.flatMap((name) =>
        (claimants.get(own.language)?.get(name) ?? []).flatMap((other) =>
          other === module ? [] : [{ name, module: other }],
        ),
      );
    },
    key: (language) => keys.get(language) ?? none,
  };
}
