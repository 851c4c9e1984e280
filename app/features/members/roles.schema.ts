import { z } from "zod";
import { ROLES } from "./role-names.schema";

export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;
