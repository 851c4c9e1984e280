import { z } from "zod";
import { ROLES } from "~/core/actor";

export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;
