import type { ObjectId } from "../../core/names.ts";
import type { FileImports } from "./import-reader.ts";

/** Imports by blob and reader: parsing is the whole cost of a comparison. The store keeps it between runs. */
export interface ImportCache {
  /** Those that are known, as they were written; read again through their schema. */
  read(reader: string, blobs: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, unknown>>;
  write(reader: string, imports: ReadonlyMap<ObjectId, FileImports>): Promise<void>;
}

/** For one process, and for tests. */
export function createMemoryImportCache(): ImportCache {
  const known = new Map<string, unknown>();
  return {
    read: async (reader, blobs) => {
      const found = new Map<ObjectId, unknown>();
      for (const blob of blobs) {
        const imports = known.get(`${reader} ${blob}`);
        if (imports !== undefined) found.set(blob, imports);
      }
      return found;
    },
    write: async (reader, imports) => {
      for (const [blob, value] of imports) known.set(`${reader} ${blob}`, value);
    },
  };
}
