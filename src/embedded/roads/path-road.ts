import { UnavailableError } from "../../core/errors.ts";
import { findOnPath } from "../find-on-path.ts";
import type { Road } from "./road.ts";

export const pathRoad: Road = {
  name: "temporal on the PATH",
  find: async ({ env }) => {
    const path = await findOnPath("temporal", env);
    if (path === null) throw new UnavailableError("there is none");
    return path;
  },
};
