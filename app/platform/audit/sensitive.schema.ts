import { z } from "zod";

/** Fields whose values the audit trail doesn't keep: `schema.register(sensitive, { kind: "personal" })`, as the last call. */
export const sensitive = z.registry<{ kind: "secret" | "personal" }>();
