import { Connection } from "@temporalio/client";
import { expect, inject, it } from "vitest";
import { searchAttributes } from "../../src/embedded/temporal-namespace.ts";

it("gives flows a Temporal server that knows the mesh's search attributes (R49)", async () => {
  const connection = await Connection.connect({ address: inject("temporalAddress") });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: "default" });
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
  } finally {
    await connection.close();
  }
});
