/** The part of pino's logger that the gateway uses. Fields never hold headers, bodies or secrets. */
export type GatewayLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
