/**
 * What a host speaks, in the header `mesh-protocol` of each of its requests (R37). 1: no order, neither in what it is sent
 * nor in what it reports. 2: order. A request without the header is of a host from before there was one: those speak 2.
 */
export const protocolHeader = "mesh-protocol";
export const orderedProtocol = 2;

/** Null: not a protocol. Above what is known here: a newer host, which speaks what we speak, too. */
export function readProtocol(header: string | undefined): number | null {
  if (header === undefined) return orderedProtocol;
  return /^[1-9]\d{0,3}$/.test(header) ? Number(header) : null;
}

export function keepsOrder(protocol: number): boolean {
  return protocol >= orderedProtocol;
}
