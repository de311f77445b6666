import type { Declaration, Secret } from "../../core/declaration.ts";
import { InputError } from "../../core/errors.ts";
import { openBox } from "../../link/sealing.ts";
import type { Redactor } from "../redactor.ts";

/** Opens boxes sealed to this host and remembers what was in them, in memory only. */
export interface SecretOpener {
  /** Throws InputError where the declaration holds no box for it, or one that does not open. */
  open(declaration: Declaration, provision: string, version: number): Promise<Secret>;
}

export function createSecretOpener(sealIdentity: string, redactor: Redactor): SecretOpener {
  let opened = new Map<string, Secret>();
  let openedFor: Declaration | null = null;
  return {
    async open(declaration, provision, version) {
      if (openedFor !== declaration) {
        // What the newest declaration does not hold any more is forgotten.
        const boxes = new Set(declaration.sealed.map(({ box }) => box));
        opened = new Map([...opened].filter(([box]) => boxes.has(box)));
        openedFor = declaration;
      }
      const sealed = declaration.sealed.find((each) => each.provision === provision && each.version === version);
      if (sealed === undefined)
        throw new InputError(`no credentials were sealed to this host for ${provision} v${version}`);
      const known = opened.get(sealed.box);
      if (known !== undefined && known.provision === provision && known.version === version) return known;
      const box = await openBox(sealed.box, sealIdentity, { node: declaration.node, provision, version });
      if (!box.ok) throw new InputError(`the credentials for ${provision} v${version} do not open: ${box.message}`);
      redactor.remember(box.secret.password);
      opened.set(sealed.box, box.secret);
      return box.secret;
    },
  };
}
