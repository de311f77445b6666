/** One address for each route of the gateway, of node-a: to walk all of them. `digest`: of a blob. */
export const gatewayPaths = (digest: string): Readonly<Record<string, string>> => ({
  "GET /v1/health": "/v1/health",
  "POST /v1/enrol": "/v1/enrol",
  "GET /v1/nodes/:node/declaration": "/v1/nodes/node-a/declaration?after=0.0&wait=0",
  "POST /v1/nodes/:node/report": "/v1/nodes/node-a/report",
  "GET /v1/roots/:version": "/v1/roots/2",
  "GET /v1/blobs/:digest": `/v1/blobs/${digest}`,
  "POST /v1/webhooks/:source": "/v1/webhooks/forge",
});
