import type { Declaration, SealedBox, Secret } from "../../core/declaration.ts";
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
  let boxesFor: Declaration | null = null;
  let boxes = new Map<string, SealedBox>();
  return {
    async open(declaration, provision, version) {
      if (boxesFor !== declaration) {
        // What the newest declaration does not hold any more is forgotten.
        const held = new Set(declaration.sealed.map(({ box }) => box));
        opened = new Map([...opened].filter(([box]) => held.has(box)));
        // Of two under one name the first counts.
        const lastFirst = declaration.sealed.toReversed();
        boxes = new Map(lastFirst.map((sealed) => [nameBox(sealed.provision, sealed.version), sealed]));
        boxesFor = declaration;
      }
      const sealed = boxes.get(nameBox(provision, version));
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

function nameBox(provision: string, version: number): string {
  return `${provision}#${version}`;
}
