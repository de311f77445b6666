import { sealedBoxSchema, type SealedBox } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { Queryable, Transaction } from "./database.ts";
import { many, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** Whom a box is sealed to: a re-created node is another recipient. */
export interface Recipient {
  readonly node: Name;
  readonly incarnation: string;
}

/** Sealing is randomised: the first box of a (provision, version, recipient) stands and is reused. */
export async function insertSealedBoxes(
  tx: Transaction,
  mesh: Name,
  recipient: Recipient,
  boxes: readonly SealedBox[],
): Promise<void> {
  const rows = boxes.map((box) => sealedBoxSchema.parse(box));
  await run(
    tx,
    `insert into sealed_box (mesh, provision, version, node, incarnation, box)
       select $1, provision, version, $2, $3, box
         from jsonb_to_recordset($4::jsonb) as b(provision text, version integer, box text)
     on conflict (mesh, provision, version, node, incarnation) do nothing`,
    [mesh, recipient.node, recipient.incarnation, storableJson(rows)],
  );
}

/** Boxes of this recipient for the wanted versions, by provision. Fewer than wanted: the others were never sealed. */
export function listSealedBoxes(
  db: Queryable,
  mesh: Name,
  recipient: Recipient,
  wanted: readonly { readonly provision: string; readonly version: number }[],
): Promise<SealedBox[]> {
  return many(
    db,
    sealedBoxSchema,
    `select s.provision, s.version, s.box
       from sealed_box s
       join jsonb_to_recordset($4::jsonb) as w(provision text, version integer)
         on w.provision = s.provision and w.version = s.version
      where s.mesh = $1 and s.node = $2 and s.incarnation = $3 order by s.provision, s.version`,
    [mesh, recipient.node, recipient.incarnation, storableJson(wanted)],
  );
}
