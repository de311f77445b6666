import type { ObjectId } from "../core/names.ts";
import type { ImportCache } from "../source/imports/import-cache.ts";
import { fileImportsSchema, type FileImports } from "../source/imports/import-reader.ts";
import type { Database } from "../store/database.ts";
import { getCachedImports, putCachedImports } from "../store/imports-cache.ts";

/** Imports by blob, kept in the records: only blobs that changed are parsed. */
export function createImportCache(db: Database): ImportCache {
  return {
    async read(reader, blobs) {
      const found = new Map<ObjectId, FileImports>();
      for (const [blob, imports] of await getCachedImports(db, reader, blobs)) {
        const parsed = fileImportsSchema.safeParse(imports);
        // A row of another shape is as good as none: the file is parsed again.
        if (parsed.success) found.set(blob, parsed.data);
      }
      return found;
    },
    write: (reader, imports) => (imports.size === 0 ? Promise.resolve() : putCachedImports(db, reader, imports)),
  };
}
